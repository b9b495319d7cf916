"""Each formula as a small function of exact values: what the formula sheets say, step by step, and nothing else.

An element function takes one namespace `p`: the input element, the parameters that apply to it, and for what has a type
its type under `<name>_type`. Numbers of a float type are `exact.Value`s, of an integer type Python ints. It returns a
dictionary output -> result; None is "the specification leaves this open".

Rounding is written out: `divide(FLOAT32, a, b)` is the exact quotient rounded once to binary32.
"""

from __future__ import annotations

from types import SimpleNamespace

from exact import (
    FLOAT32,
    FLOAT64,
    FORMATS,
    ZERO,
    Value,
    add,
    c_fmax,
    c_fmin,
    divide,
    exact,
    fma,
    less,
    less_equal,
    low_bits,
    multiply,
    round_half_even,
    round_to,
    saturate,
    saturate_value,
    subtract,
    wrap,
    x86_convert_nearest,
    x86_convert_truncate,
    x86_max,
    x86_min,
)

INTEGER_RANGES = {
    "int2": (-2, 1),
    "uint2": (0, 3),
    "int4": (-8, 7),
    "uint4": (0, 15),
    "int8": (-128, 127),
    "uint8": (0, 255),
    "int16": (-32768, 32767),
    "uint16": (0, 65535),
    "int32": (-(2**31), 2**31 - 1),
}
INTEGER_RANGES |= {"quint8": (0, 255), "qint8": (-128, 127), "qint32": (-(2**31), 2**31 - 1)}
ONE = exact(1)


def as_value(number: Value | int) -> Value:
    return number if isinstance(number, Value) else exact(number)


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


def onnx_dynamic_quantize_linear(x: list[Value]):
    """One scale and zero point for the tensor from its range, which always holds 0; then QuantizeLinear to uint8."""
    unspecified = {"y": [None] * len(x), "y_scale": None, "y_zero_point": None}
    if not all(element.is_finite for element in x):
        return unspecified
    greatest = exact(max(0, *(element.rational for element in x)))
    least = exact(min(0, *(element.rational for element in x)))
    scale = divide(FLOAT32, subtract(FLOAT32, greatest, least), exact(255))
    if not positive_and_finite(scale):
        return unspecified
    intermediate = subtract(FLOAT32, ZERO, divide(FLOAT32, least, scale))
    zero_point = saturate_value(round_half_even(intermediate), 0, 255)
    y = [saturate_value(add_integer(round_half_even(divide(FLOAT32, e, scale)), zero_point), 0, 255) for e in x]
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


def onnxruntime_dynamic_quantize_linear(x: list[Value]):
    """Without NaN, whose effect depends on its position in a SIMD lane."""
    greatest, least = ZERO, ZERO
    for element in x:
        greatest = element if less(greatest, element) else greatest
        least = element if less(element, least) else least
    if greatest == least:
        scale = ONE
    else:
        scale = divide(FLOAT32, subtract(FLOAT32, greatest, least), exact(255))
    shift = subtract(FLOAT32, ZERO, divide(FLOAT32, least, scale))
    clamped = x86_max(x86_min(shift, exact(255)), ZERO)  # upper bound first: the NaN of -inf / inf becomes 255
    zero_point = round_half_even(clamped).rational.numerator
    y = [clamp_then_round(divide(FLOAT32, element, scale), zero_point, 0, 255) for element in x]
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


def onnx_reference_dynamic_quantize_linear(x: list[Value]):
    """An all-zero input has the scale 1/255. NaN anywhere: scale NaN, zero point 255, codes 0."""
    greatest, least = ZERO, ZERO
    for element in x:
        greatest = element if element.is_nan or less(greatest, element) else greatest
        least = element if element.is_nan or less(element, least) else least
    all_equal = less_equal(greatest, least) and less_equal(least, greatest)
    span = ONE if all_equal else subtract(FLOAT32, greatest, least)
    scale = divide(FLOAT32, span, exact(255))
    shift = subtract(FLOAT32, ZERO, divide(FLOAT32, least, scale))
    smaller = shift if less(shift, exact(255)) else exact(255)  # Python's min(255, shift) and max(0, ...)
    zero_point = round_half_even(smaller if less(ZERO, smaller) else ZERO).rational.numerator
    y = []
    for element in x:
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


# ------------ pytorch (CPU)

CONVERSION_CAP = exact(2147483520)  # the largest float32 below 2**31


def pytorch_capped_convert(t: Value) -> int:
    """FBGEMM: (t < cap) ? t : cap, so NaN becomes the cap; then CVTPS2DQ."""
    return x86_convert_nearest(x86_min(t, CONVERSION_CAP), 32)


def pytorch_inverse(scale: Value) -> Value:
    """float32(1 / float32(scale)), of a double or a float scale."""
    return divide(FLOAT32, ONE, round_to(FLOAT32, scale))


def pytorch_quantize_val(p, legacy: bool, scale: Value, zero_point: int):
    """The scalar form: qint32, per channel. The zero point is added in float32, legacy before rounding, else after."""
    scaled = multiply(FLOAT32, p.x, pytorch_inverse(scale))
    shift = round_to(FLOAT32, exact(zero_point))
    if legacy:
        t = round_half_even(add(FLOAT32, shift, scaled))
    else:
        t = add(FLOAT32, shift, round_half_even(scaled))
    lowest, highest = (exact(bound) for bound in INTEGER_RANGES[p.dtype])
    t = lowest if less(t, lowest) else t
    t = highest if less(highest, t) else t
    bits, signed = {"quint8": (8, False), "qint8": (8, True), "qint32": (32, True)}[p.dtype]
    return {"q": low_bits(x86_convert_truncate(t, 32), bits, signed)}


def pytorch_quantize_per_tensor(p):
    """2.12 and from 2.14 on: the zero point is added after rounding, in wrapping int32."""
    if p.dtype == "qint32":
        return pytorch_quantize_val(p, False, p.scale, p.zero_point)
    t = multiply(FLOAT32, p.x, pytorch_inverse(p.scale))
    return {"q": saturate(wrap(pytorch_capped_convert(t) + p.zero_point, 32), *INTEGER_RANGES[p.dtype])}


def pytorch_quantize_per_tensor_2_13(p):
    """2.13: the zero point is added before rounding, in one fma."""
    if p.dtype == "qint32":
        return pytorch_quantize_val(p, True, p.scale, p.zero_point)
    t = fma(FLOAT32, p.x, pytorch_inverse(p.scale), exact(p.zero_point))
    return {"q": saturate(pytorch_capped_convert(t), *INTEGER_RANGES[p.dtype])}


def pytorch_quantize_per_channel(p):
    return pytorch_quantize_val(p, False, p.scales, p.zero_points)


def pytorch_quantize_per_channel_2_13(p):
    return pytorch_quantize_val(p, True, p.scales, p.zero_points)


def pytorch_dequantize_per_tensor(p):
    difference = round_to(FLOAT32, exact(wrap(p.q - p.zero_point, 32)))
    return {"y": multiply(FLOAT32, round_to(FLOAT32, p.scale), difference)}


def pytorch_dequantize_per_channel(p):
    """The difference in float32; multiplied in float64 by the double scale; then float32."""
    difference = subtract(FLOAT32, round_to(FLOAT32, exact(p.q)), round_to(FLOAT32, exact(p.zero_points)))
    return {"y": round_to(FLOAT32, multiply(FLOAT64, difference, p.scales))}


def pytorch_clamp(v: Value, p) -> Value:
    """fmin(fmax(v, quant_min), quant_max) in double: NaN becomes quant_min."""
    return c_fmin(c_fmax(v, exact(p.quant_min)), exact(p.quant_max))


def pytorch_fake_quantize_per_tensor_affine(p):
    scale = round_to(FLOAT32, p.scale)
    rounded = round_half_even(multiply(FLOAT32, p.x, pytorch_inverse(scale)))
    qf = add(FLOAT32, round_to(FLOAT32, exact(p.zero_point)), rounded)
    q = pytorch_clamp(qf, p).rational.numerator
    y = multiply(FLOAT32, round_to(FLOAT32, exact(q - p.zero_point)), scale)
    lowest, highest = (round_to(FLOAT32, exact(bound)) for bound in (p.quant_min, p.quant_max))
    return {"y": round_to(FORMATS[p.x_type], y), "mask": less_equal(lowest, qf) and less_equal(qf, highest)}


def pytorch_fake_quantize_per_channel_affine(p):
    """Converted to int64 before the clamp. A float zero point is added before rounding, in an fma or two operations."""
    inverse = pytorch_inverse(p.scale)
    if isinstance(p.zero_point, Value):
        if p.contraction == "fma":
            t = fma(FLOAT32, p.x, inverse, p.zero_point)
        else:
            t = add(FLOAT32, multiply(FLOAT32, p.x, inverse), p.zero_point)
        q = x86_convert_nearest(t, 64)
    else:
        rounded = round_half_even(multiply(FLOAT32, p.x, inverse))
        q = x86_convert_truncate(add(FLOAT32, round_to(FLOAT32, exact(p.zero_point)), rounded), 64)
    clamped = pytorch_clamp(round_to(FLOAT64, exact(q)), p)
    difference = subtract(FLOAT64, clamped, as_value(p.zero_point))
    y = round_to(FLOAT32, multiply(FLOAT64, difference, p.scale))
    return {"y": round_to(FORMATS[p.x_type], y), "mask": p.quant_min <= q <= p.quant_max}


# ------------ the list

ELEMENTWISE = {
    "onnx.QuantizeLinear": onnx_quantize_linear,
    "onnx.DequantizeLinear": onnx_dequantize_linear,
    "onnxruntime.QuantizeLinear": onnxruntime_quantize_linear,
    "onnxruntime.DequantizeLinear": onnxruntime_dequantize_linear,
    "onnxruntime.requantize": onnxruntime_requantize,
    "onnx_reference.QuantizeLinear": onnx_reference_quantize_linear,
    "onnx_reference.DequantizeLinear": onnx_reference_dequantize_linear,
    "onnx_reference.requantize": onnx_reference_requantize,
    "pytorch.quantize_per_tensor": pytorch_quantize_per_tensor,
    "pytorch.quantize_per_tensor@2.13": pytorch_quantize_per_tensor_2_13,
    "pytorch.quantize_per_channel": pytorch_quantize_per_channel,
    "pytorch.quantize_per_channel@2.13": pytorch_quantize_per_channel_2_13,
    "pytorch.dequantize_per_tensor": pytorch_dequantize_per_tensor,
    "pytorch.dequantize_per_channel": pytorch_dequantize_per_channel,
    "pytorch.fake_quantize_per_tensor_affine": pytorch_fake_quantize_per_tensor_affine,
    "pytorch.fake_quantize_per_channel_affine": pytorch_fake_quantize_per_channel_affine,
}

WHOLE_TENSOR = {
    "onnx.DynamicQuantizeLinear": onnx_dynamic_quantize_linear,
    "onnxruntime.DynamicQuantizeLinear": onnxruntime_dynamic_quantize_linear,
    "onnx_reference.DynamicQuantizeLinear": onnx_reference_dynamic_quantize_linear,
}
