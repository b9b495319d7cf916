"""quantized_decomposed (CPU, eager): the operators that torch.export writes. The conventions are those of `formulas.py`.

They are written in PyTorch's own tensor operations, so the promoted type of the operands decides in which format each
step is rounded: float64 scales make the whole computation float64.
"""

from __future__ import annotations

from fractions import Fraction

from exact import (
    FLOAT32,
    FLOAT64,
    FORMATS,
    INTEGER_RANGES,
    ONE,
    ZERO,
    Format,
    Value,
    add,
    clamp,
    divide,
    exact,
    least_and_greatest,
    less,
    less_equal,
    low_bits,
    maximum,
    multiply,
    negate,
    round_half_even,
    round_to,
    subtract,
    x86_convert_truncate,
)
from formula import Formula
from formulas_observers import affine_scale, symmetric_scale, with_zero, wrapping_zero_point

TOKEN_FLOOR = round_to(FLOAT32, exact(Fraction(1, 10**5)))
TOKEN_EPSILON = exact(Fraction(1, 2**23))


def cast(value: Value, dtype: str) -> int:
    """Tensor.to(integer type): toward zero in 32 bits, of which the low ones stay. NaN becomes 0, or INT_MIN."""
    lowest, highest = INTEGER_RANGES[dtype]
    return low_bits(x86_convert_truncate(value, 32), (highest - lowest).bit_length(), lowest < 0)


def clamp_to(form: Format, value: Value, p) -> Value:
    """The bounds are Python numbers and are rounded to the tensor's type: 2**31 - 1 is 2**31 in float32."""
    return clamp(value, *(round_to(form, exact(bound)) for bound in (p.quant_min, p.quant_max)))


# ------------ quantize


def quantize(p, form: Format, inverse: Value, zero_point: int) -> dict:
    """The zero point after rounding."""
    rounded = round_half_even(multiply(form, p.x, inverse))
    shifted = add(form, rounded, round_to(form, exact(zero_point)))
    return {"q": cast(clamp_to(form, shifted, p), p.dtype)}


def quantize_per_tensor(p):
    """The scale is a Python float, and so is its inverse before it meets the float32 tensor."""
    return quantize(p, FLOAT32, round_to(FLOAT32, divide(FLOAT64, ONE, p.scale)), p.zero_point)


def quantize_per_channel(p):
    form = FORMATS[p.scales_type]
    return quantize(p, form, divide(form, ONE, p.scales), p.zero_points)


def quantize_per_token(p):
    """Per token and per group the zero point is added before rounding."""
    form = FORMATS[p.scales_type]
    scaled = multiply(form, p.x, divide(form, ONE, p.scales))
    shifted = add(form, scaled, round_to(form, exact(p.zero_points)))
    return {"q": cast(clamp_to(form, round_half_even(shifted), p), p.dtype)}


def fake_quant_per_channel(p):
    shift = round_to(FLOAT32, exact(p.zero_points))
    rounded = round_half_even(multiply(FLOAT32, p.x, divide(FLOAT32, ONE, p.scales)))
    t = add(FLOAT32, rounded, shift)
    y = multiply(FLOAT32, subtract(FLOAT32, clamp_to(FLOAT32, t, p), shift), p.scales)
    lowest, highest = (round_to(FLOAT32, exact(bound)) for bound in (p.quant_min, p.quant_max))
    return {"y": y, "mask": less_equal(lowest, t) and less_equal(t, highest)}


# ------------ dequantize


def promoted_integer(a: str, b: str) -> str:
    """PyTorch's result type of two integer types. uint16 with another type is refused there."""
    if a == b:
        return a
    if {a, b} == {"int8", "uint8"}:
        return "int16"
    return max(a, b, key=lambda name: INTEGER_RANGES[name][1])


def integer_difference(q: int, zero_point: int, q_type: str, zero_point_type: str) -> int:
    """In the promoted type, where it wraps."""
    lowest, highest = INTEGER_RANGES[promoted_integer(q_type, zero_point_type)]
    return low_bits(q - zero_point, (highest - lowest).bit_length(), lowest < 0)


def dequantize_per_tensor(p):
    """In the type of the output. For a 16-bit one each operation is made in float32 and its result rounded; the zero
    point is rounded to that type, the scale only to float32."""
    form = FLOAT64 if p.out_dtype == "float64" else FLOAT32
    q, zero_point = (convert_float(round_to(form, exact(integer)), p.out_dtype) for integer in (p.q, p.zero_point))
    difference = convert_float(subtract(form, q, zero_point), p.out_dtype)
    return {"y": convert_float(multiply(form, difference, round_to(form, p.scale)), p.out_dtype)}


def dequantize(p, output_type: str) -> dict:
    form = FORMATS[p.scales_type]
    difference = integer_difference(p.q, p.zero_points, p.q_type, p.zero_points_type)
    y = multiply(form, round_to(form, exact(difference)), p.scales)
    return {"y": convert_float(y, output_type)}


def convert_float(value: Value, output_type: str) -> Value:
    """Tensor.to(float type). To the 16-bit types a double goes by way of float32."""
    if output_type in ("float16", "bfloat16"):
        value = round_to(FLOAT32, value)
    return round_to(FORMATS[output_type], value)


def dequantize_per_channel(p):
    return dequantize(p, p.out_dtype)


def dequantize_per_token(p):
    return dequantize(p, p.output_dtype)


# ------------ scale and zero point


def choose_qparams(p):
    """The observers' affine rule. eps becomes a float32 tensor, the scale a double at the end."""
    limits = (p.quant_min, p.quant_max)
    least, greatest = with_zero(*least_and_greatest(p.x))
    scale = maximum(affine_scale(least, greatest, *limits), round_to(FLOAT32, p.eps))
    return {"scale": scale, "zero_point": wrapping_zero_point(least, scale, *limits)}


def choose_qparams_symmetric(p):
    least, greatest = with_zero(*least_and_greatest(p.x))
    scale = maximum(symmetric_scale(least, greatest, p.quant_min, p.quant_max), round_to(FLOAT32, p.eps))
    return {"scale": scale, "zero_point": 128 if p.dtype == "uint8" else 0}


def choose_qparams_per_token(p):
    magnitudes = [negate(element) if element.negative else element for element in p.x]
    greatest = maximum(least_and_greatest(magnitudes)[1], TOKEN_FLOOR)
    return {"scale": divide(FLOAT32, greatest, exact(127)), "zero_point": ZERO}


def choose_qparams_per_token_asymmetric(p):
    """As XNNPACK: the zero point from the end of the range that is hit more exactly, rounded last."""
    qmin, qmax = exact(-128), exact(127)
    least, greatest = with_zero(*least_and_greatest(p.x))
    scale = maximum(divide(FLOAT32, subtract(FLOAT32, greatest, least), exact(255)), TOKEN_EPSILON)
    below, above = divide(FLOAT32, least, scale), divide(FLOAT32, greatest, scale)
    errors = add(FLOAT32, add(FLOAT32, qmin, below), add(FLOAT32, qmax, above))
    zero_point = subtract(FLOAT32, qmin, below) if less(ZERO, errors) else subtract(FLOAT32, qmax, above)
    return {"scale": scale, "zero_point": x86_convert_truncate(round_half_even(clamp(zero_point, qmin, qmax)), 64)}


# ------------ the list

Q, TOKEN = {"q": "dtype"}, {"dtype": "int8"}
DOUBLE_QPARAMS = {"scale": "float64", "zero_point": "int64"}
FLOAT_QPARAMS = {"scale": "float32", "zero_point": "float32"}
OUT_DTYPE = {"out_dtype": "float32"}
OUTPUT_DTYPE = {"output_dtype": "float32"}
GROUP = {"group_size": 128}

FORMULAS = {
    "quantize_per_tensor": Formula(quantize_per_tensor, Q, groups="tensor"),
    "quantize_per_channel": Formula(quantize_per_channel, Q),
    "quantize_per_token": Formula(quantize_per_token, Q, groups="tokens"),
    "quantize_per_channel_group": Formula(quantize_per_token, Q, GROUP, "group_size"),
    "dequantize_per_tensor": Formula(dequantize_per_tensor, {"y": "out_dtype"}, OUT_DTYPE, "tensor"),
    "dequantize_per_channel": Formula(dequantize_per_channel, {"y": "out_dtype"}, OUT_DTYPE),
    "dequantize_per_token": Formula(dequantize_per_token, {"y": "output_dtype"}, OUTPUT_DTYPE, "tokens"),
    "dequantize_per_channel_group": Formula(dequantize_per_token, {"y": "output_dtype"}, GROUP | OUTPUT_DTYPE, "group_size"),
    "choose_qparams": Formula(choose_qparams, DOUBLE_QPARAMS, groups="tensor", whole_groups=True),
    "choose_qparams_symmetric": Formula(choose_qparams_symmetric, DOUBLE_QPARAMS, groups="tensor", whole_groups=True),
    "choose_qparams_per_token": Formula(choose_qparams_per_token, FLOAT_QPARAMS, TOKEN, "tokens", whole_groups=True),
    "choose_qparams_per_token_asymmetric": Formula(choose_qparams_per_token_asymmetric, DOUBLE_QPARAMS, TOKEN, "tokens", whole_groups=True),
    "fake_quant_per_channel": Formula(fake_quant_per_channel, {"y": "x", "mask": "bool"}),
}
FORMULAS = {f"quantized_decomposed.{name}": formula for name, formula in FORMULAS.items()}
