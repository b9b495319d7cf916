"""executorch (CPU): its kernels of quantized_decomposed's operators, and XNNPACK's conversion. The conventions are those of
`formulas.py`."""

from __future__ import annotations

from exact import (
    FLOAT32,
    FLOAT64,
    FORMATS,
    ONE,
    ZERO,
    Value,
    add,
    divide,
    exact,
    less,
    multiply,
    negate,
    round_half_even,
    round_to,
    saturate,
    subtract,
    wrap,
    x86_convert_nearest,
    x86_convert_truncate,
    x86_min,
)
from formula import Formula
from formulas_observers import SMALL_SCALE, TENTH, absolute
from formulas_quantized_decomposed import DOUBLE_QPARAMS, OUT_DTYPE, OUTPUT_DTYPE, TOKEN, Q

# ------------ quantize


def quantize(p, scale: Value, zero_point: int) -> dict:
    """The integer is limited as an int64, in which infinity and NaN are the lowest of all."""
    inverse = divide(FLOAT32, ONE, round_to(FLOAT32, scale))
    rounded = round_half_even(multiply(FLOAT32, inverse, p.x))
    integer = x86_convert_truncate(add(FLOAT32, round_to(FLOAT32, exact(zero_point)), rounded), 64)
    return {"q": saturate(integer, p.quant_min, p.quant_max)}


def quantize_per_tensor(p):
    return quantize(p, p.scale, p.zero_point)


def quantize_by_group(p):
    return quantize(p, p.scales, p.zero_points)


def xnnpack_quantize_per_tensor(p):
    """float32 to int8, by way of int32 and int16."""
    inverse = divide(FLOAT32, ONE, round_to(FLOAT32, p.scale))
    limited = x86_min(multiply(FLOAT32, p.x, inverse), exact(127 - p.zero_point))
    narrowed = saturate(x86_convert_nearest(limited, 32), -(1 << 15), (1 << 15) - 1)
    shifted = saturate(narrowed + p.zero_point, -(1 << 15), (1 << 15) - 1)
    return {"q": saturate(shifted, -128, 127)}


# ------------ dequantize


def product(q: int, scale: Value, zero_point: int, output_type: str) -> Value:
    """int32 minus int32 wraps."""
    difference = round_to(FLOAT32, exact(wrap(q - zero_point, 32)))
    return round_to(FORMATS[output_type], multiply(FLOAT32, difference, round_to(FLOAT32, scale)))


def dequantize_per_tensor(p):
    return {"y": product(p.q, p.scale, p.zero_point, p.out_dtype)}


def vector_product(q: int, scale: Value, zero_point: int, output_type: str) -> Value:
    """The difference is converted to the type of the output first."""
    form = FORMATS[output_type]
    difference = round_to(form, exact(wrap(q - zero_point, 32)))
    return round_to(form, multiply(FLOAT64 if form is FLOAT64 else FLOAT32, difference, round_to(FLOAT32, scale)))


def dequantize_per_channel(p):
    """Vectors have a kernel of their own. No parameter set has one element a channel but a vector."""
    if len(p.q) == 1:
        return {"y": [vector_product(p.q[0], p.scales, p.zero_points, p.out_dtype)]}
    return {"y": [product(q, p.scales, p.zero_points, p.out_dtype) for q in p.q]}


def dequantize_per_token(p):
    return {"y": product(p.q, p.scales, p.zero_points, p.output_dtype)}


# ------------ scale and zero point


def range_with_zero(elements: list[Value]) -> tuple[Value, Value]:
    """Comparisons, in which a NaN never wins; one in first place is refused."""
    numbers = [ZERO] + [element for element in elements if not element.is_nan]
    least = greatest = ZERO
    for number in numbers:
        least = number if less(number, least) else least
        greatest = number if less(greatest, number) else greatest
    return least, greatest


def chosen(elements: list[Value], qmin: int, qmax: int) -> dict:
    least, greatest = range_with_zero(elements)
    scale = divide(FLOAT64, subtract(FLOAT64, greatest, least), exact(qmax - qmin))
    narrow = round_to(FLOAT32, scale)
    if narrow.is_zero or divide(FLOAT32, ONE, narrow).is_infinite:
        scale = TENTH[FLOAT64]
    elif less(scale, SMALL_SCALE):
        reach = multiply(FLOAT32, SMALL_SCALE, round_to(FLOAT32, exact(qmax - qmin)))
        factor = divide(FLOAT32, SMALL_SCALE, narrow)
        if least.is_zero:
            least, greatest = ZERO, reach
        elif greatest.is_zero:
            least, greatest = negate(reach), ZERO
        else:
            least, greatest = multiply(FLOAT32, least, factor), multiply(FLOAT32, greatest, factor)
        scale = SMALL_SCALE
    low_steps, high_steps = divide(FLOAT64, least, scale), divide(FLOAT64, greatest, scale)
    low_error = subtract(FLOAT64, exact(abs(qmin)), absolute(low_steps))
    high_error = subtract(FLOAT64, exact(abs(qmax)), absolute(high_steps))
    code, steps = (qmin, low_steps) if less(low_error, high_error) else (qmax, high_steps)
    candidate = subtract(FLOAT64, exact(code), steps)
    if less(candidate, exact(qmin)):
        zero_point = qmin
    elif less(exact(qmax), candidate):
        zero_point = qmax
    else:
        zero_point = x86_convert_truncate(round_half_even(round_to(FLOAT32, candidate)), 32)
    return {"scale": scale, "zero_point": zero_point}


def choose_qparams(p):
    return chosen(p.x, p.quant_min, p.quant_max)


def choose_qparams_per_token_asymmetric(p):
    return chosen(p.x, -128, 127)


# ------------ the list


FORMULAS = {
    "quantize_per_tensor": Formula(quantize_per_tensor, Q, groups="tensor"),
    "quantize_per_channel": Formula(quantize_by_group, Q),
    "quantize_per_token": Formula(quantize_by_group, Q, groups="tokens"),
    "dequantize_per_tensor": Formula(dequantize_per_tensor, {"y": "out_dtype"}, OUT_DTYPE, "tensor"),
    "dequantize_per_channel": Formula(dequantize_per_channel, {"y": "out_dtype"}, OUT_DTYPE, whole_groups=True),
    "dequantize_per_token": Formula(dequantize_per_token, {"y": "output_dtype"}, OUTPUT_DTYPE, "tokens"),
    "choose_qparams": Formula(choose_qparams, DOUBLE_QPARAMS, {"eps": ZERO}, "tensor", whole_groups=True),
    "choose_qparams_per_token_asymmetric": Formula(choose_qparams_per_token_asymmetric, DOUBLE_QPARAMS, TOKEN, "tokens", whole_groups=True),
    "xnnpack_quantize_per_tensor": Formula(xnnpack_quantize_per_tensor, Q, {"dtype": "int8"}, "tensor"),
}
FORMULAS = {f"executorch.{name}": formula for name, formula in FORMULAS.items()}
