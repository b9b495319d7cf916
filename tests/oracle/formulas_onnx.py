"""onnx (the specification), onnxruntime, onnx_reference. The conventions are those of `formulas.py`."""

from __future__ import annotations

from types import SimpleNamespace

from exact import (
    FLOAT32,
    FLOAT64,
    FORMATS,
    INTEGER_RANGES,
    ONE,
    ZERO,
    Value,
    add,
    as_value,
    c_fmax,
    c_fmin,
    divide,
    exact,
    less,
    less_equal,
    multiply,
    round_half_even,
    round_to,
    saturate,
    saturate_value,
    subtract,
    wrap,
    x86_convert_truncate,
    x86_max,
    x86_min,
)
from formula import Formula


def positive_and_finite(scale: Value) -> bool:
    return scale.is_finite and less(ZERO, scale)


# ------------ onnx: the specification


def onnx_quotient_type(p: SimpleNamespace) -> str:
    """Opset 23 on: the attribute `precision`, else the type of the scale. Before, x and scale have one type."""
    return p.precision if p.opset >= 23 and p.precision != "none" else p.y_scale_type


def onnx_quantize_linear(p):
    """y = saturate(round_half_even(x / y_scale) + y_zero_point)"""
    form = FORMATS[onnx_quotient_type(p)]
    scale = round_to(form, p.y_scale)
    quotient = divide(form, round_to(form, p.x), scale)
    if quotient.is_nan or not positive_and_finite(p.y_scale) or not positive_and_finite(scale):
        return {"y": None}
    shifted = add_integer(round_half_even(quotient), p.y_zero_point)
    return {"y": saturate_value(shifted, *INTEGER_RANGES[p.output_dtype])}


def add_integer(value: Value, integer: int) -> Value:
    """The exact sum: no format, no rounding."""
    return exact(value.rational + integer) if value.is_finite else value


def onnx_dequantize_linear(p):
    """y = (x - x_zero_point) * x_scale, the multiplication in the type of the output."""
    form = FORMATS[p.output_dtype]
    scale = round_to(form, p.x_scale)
    if not positive_and_finite(p.x_scale) or not positive_and_finite(scale):
        return {"y": None}
    difference = round_to(form, exact(p.x - p.x_zero_point))
    return {"y": multiply(form, difference, scale)}


def onnx_dynamic_quantize_linear(p):
    """One scale and zero point for the tensor from its range, which always holds 0; then QuantizeLinear to uint8."""
    unspecified = {"y": [None] * len(p.x), "y_scale": None, "y_zero_point": None}
    if not all(element.is_finite for element in p.x):
        return unspecified
    greatest = exact(max(0, *(element.rational for element in p.x)))
    least = exact(min(0, *(element.rational for element in p.x)))
    scale = divide(FLOAT32, subtract(FLOAT32, greatest, least), exact(255))
    if not positive_and_finite(scale):
        return unspecified
    intermediate = subtract(FLOAT32, ZERO, divide(FLOAT32, least, scale))
    zero_point = saturate_value(round_half_even(intermediate), 0, 255)
    y = [saturate_value(add_integer(round_half_even(divide(FLOAT32, e, scale)), zero_point), 0, 255) for e in p.x]
    return {"y": y, "y_scale": scale, "y_zero_point": zero_point}


# ------------ onnxruntime (CPU, release 1.32)


def clamp_then_round(v: Value, zero_point: int, lowest: int, highest: int) -> int:
    """MLAS: clamp to the range less the zero point in x86 order, round half to even, add the zero point exactly."""
    v = x86_max(v, exact(lowest - zero_point))
    v = x86_min(v, exact(highest - zero_point))
    return round_half_even(v).rational.numerator + zero_point


def onnxruntime_quantize_linear(p):
    if p.opset < 23:
        form = FLOAT32  # float16 is widened, and the quotient is not narrowed again
    else:
        form = FORMATS[p.precision if p.precision != "none" else p.y_scale_type]
    quotient = divide(form, round_to(form, p.x), round_to(form, p.y_scale))
    return {"y": clamp_then_round(quotient, p.y_zero_point, *INTEGER_RANGES[p.output_dtype])}


def onnxruntime_dequantize_linear(p):
    difference = round_to(FLOAT32, exact(wrap(p.x - p.x_zero_point, 32)))
    return {"y": round_to(FORMATS[p.output_dtype], multiply(FLOAT32, difference, p.x_scale))}


def onnxruntime_dynamic_quantize_linear(p):
    """Without NaN, whose effect depends on its position in a SIMD lane."""
    greatest, least = ZERO, ZERO
    for element in p.x:
        greatest = element if less(greatest, element) else greatest
        least = element if less(element, least) else least
    if greatest == least:
        scale = ONE
    else:
        scale = divide(FLOAT32, subtract(FLOAT32, greatest, least), exact(255))
    shift = subtract(FLOAT32, ZERO, divide(FLOAT32, least, scale))
    clamped = x86_max(x86_min(shift, exact(255)), ZERO)  # upper bound first: the NaN of -inf / inf becomes 255
    zero_point = round_half_even(clamped).rational.numerator
    y = [clamp_then_round(divide(FLOAT32, element, scale), zero_point, 0, 255) for element in p.x]
    return {"y": y, "y_scale": scale, "y_zero_point": zero_point}


def requantize_multiplier(p) -> Value:
    return divide(FLOAT32, multiply(FLOAT32, p.x_scale, p.w_scale), p.y_scale)


def onnxruntime_requantize(p):
    accumulator = round_to(FLOAT32, exact(p.acc))
    v = multiply(FLOAT32, accumulator, requantize_multiplier(p))
    return {"y": clamp_then_round(v, p.y_zero_point, *INTEGER_RANGES[p.output_dtype])}


# ------------ onnx_reference: ReferenceEvaluator of onnx 1.23, numpy


def numpy_promotion(a: str, b: str) -> str:
    """The type in which numpy divides or multiplies, for the pairs of types that occur."""
    if a == b:
        return a
    if "int32" in (a, b) or "float64" in (a, b):
        return "float64"
    return "float32"  # of float32 with float16 or bfloat16


def onnx_reference_quantize_linear(p):
    if p.precision != "none":
        form = FORMATS[p.precision]
    else:
        form = FORMATS[numpy_promotion(p.x_type, p.y_scale_type)]
    quotient = divide(form, round_to(form, as_value(p.x)), round_to(form, p.y_scale))
    rounded = x86_convert_truncate(round_half_even(quotient), 32)
    shifted = wrap(rounded + p.y_zero_point, 32)
    return {"y": saturate(shifted, *INTEGER_RANGES[p.output_dtype])}


def onnx_reference_dequantize_linear(p):
    """(float32(q) - zp) * scale in numpy's promoted types: an int32 zero point makes it float64."""
    difference_form = FLOAT64 if p.x_type == "int32" else FLOAT32
    difference = subtract(difference_form, round_to(FLOAT32, exact(p.x)), exact(p.x_zero_point))
    product = multiply(FORMATS[numpy_promotion(difference_form.name, p.x_scale_type)], difference, p.x_scale)
    return {"y": round_to(FORMATS[p.output_dtype], product)}


def onnx_reference_dynamic_quantize_linear(p):
    """An all-zero input has the scale 1/255. NaN anywhere: scale NaN, zero point 255, codes 0."""
    greatest, least = ZERO, ZERO
    for element in p.x:
        greatest = element if element.is_nan or less(greatest, element) else greatest
        least = element if element.is_nan or less(element, least) else least
    all_equal = less_equal(greatest, least) and less_equal(least, greatest)
    span = ONE if all_equal else subtract(FLOAT32, greatest, least)
    scale = divide(FLOAT32, span, exact(255))
    shift = subtract(FLOAT32, ZERO, divide(FLOAT32, least, scale))
    smaller = shift if less(shift, exact(255)) else exact(255)  # Python's min(255, shift) and max(0, ...)
    zero_point = round_half_even(smaller if less(ZERO, smaller) else ZERO).rational.numerator
    y = []
    for element in p.x:
        shifted = add_integer(round_half_even(divide(FLOAT32, element, scale)), zero_point)
        y.append(0 if shifted.is_nan else saturate_value(shifted, 0, 255))
    return {"y": y, "y_scale": scale, "y_zero_point": zero_point}


def onnx_reference_requantize(p):
    """In float64, zero point before rounding. QLinearConv ("conv") clips, then rounds; QLinearMatMul the reverse."""
    lowest, highest = INTEGER_RANGES[p.output_dtype]
    product = multiply(FLOAT64, exact(p.acc), requantize_multiplier(p))
    shifted = add(FLOAT64, product, exact(p.y_zero_point))
    if shifted.is_nan:
        return {"y": 0}
    if p.op == "conv":
        clipped = c_fmin(c_fmax(shifted, exact(lowest)), exact(highest))
        return {"y": round_half_even(clipped).rational.numerator}
    return {"y": saturate_value(round_half_even(shifted), lowest, highest)}


# ------------ the list

SHIFTS = {"axis": 1, "block_size": 0, "y_zero_point": 0, "x_zero_point": 0}
QUANTIZER = SHIFTS | {"output_dtype": "uint8", "precision": "none", "opset": 21}
DEQUANTIZER = SHIFTS | {"output_dtype": "float32", "opset": 21}
OUTPUT = {"y": "output_dtype"}
DYNAMIC_OUTPUTS = {"y": "uint8", "y_scale": "float32", "y_zero_point": "uint8"}


def dynamic(function) -> Formula:
    return Formula(function, DYNAMIC_OUTPUTS, groups="tensor", whole_groups=True)


FORMULAS = {
    "onnx.QuantizeLinear": Formula(onnx_quantize_linear, OUTPUT, QUANTIZER),
    "onnx.DequantizeLinear": Formula(onnx_dequantize_linear, OUTPUT, DEQUANTIZER),
    "onnx.DynamicQuantizeLinear": dynamic(onnx_dynamic_quantize_linear),
    "onnxruntime.QuantizeLinear": Formula(onnxruntime_quantize_linear, OUTPUT, QUANTIZER),
    "onnxruntime.DequantizeLinear": Formula(onnxruntime_dequantize_linear, OUTPUT, DEQUANTIZER),
    "onnxruntime.DynamicQuantizeLinear": dynamic(onnxruntime_dynamic_quantize_linear),
    "onnxruntime.requantize": Formula(onnxruntime_requantize, OUTPUT, QUANTIZER),
    "onnx_reference.QuantizeLinear": Formula(onnx_reference_quantize_linear, OUTPUT, QUANTIZER),
    "onnx_reference.DequantizeLinear": Formula(onnx_reference_dequantize_linear, OUTPUT, DEQUANTIZER),
    "onnx_reference.DynamicQuantizeLinear": dynamic(onnx_reference_dynamic_quantize_linear),
    "onnx_reference.requantize": Formula(onnx_reference_requantize, OUTPUT, QUANTIZER),
}
