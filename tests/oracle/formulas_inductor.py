"""inductor (CPU): quantized_decomposed's operators as torch.compile's vector code computes them. The conventions are those of
`formulas.py`.

Everything is float32, whatever the types of scales and outputs; casts to int8 saturate.
"""

from __future__ import annotations

from exact import (
    FLOAT32,
    FLOAT64,
    FORMATS,
    INTEGER_RANGES,
    ONE,
    Value,
    add,
    divide,
    exact,
    fma,
    least_and_greatest,
    less,
    low_bits,
    maximum,
    multiply,
    nearest_integer,
    round_half_even,
    round_to,
    saturate,
    subtract,
    x86_convert_nearest,
    x86_convert_truncate,
)
from formula import Formula
from formulas_observers import affine_scale, wrapping_zero_point
from formulas_quantized_decomposed import DOUBLE_QPARAMS, OUT_DTYPE, Q, clamp_to


def low_bits_of(integer: int, dtype: str) -> int:
    lowest, highest = INTEGER_RANGES[dtype]
    return low_bits(integer, (highest - lowest).bit_length(), lowest < 0)


def quantize(p, inverse: Value, zero_point: int) -> dict:
    rounded = round_half_even(multiply(FLOAT32, p.x, inverse))
    shifted = add(FLOAT32, rounded, round_to(FLOAT32, exact(zero_point)))
    integer = x86_convert_truncate(clamp_to(FLOAT32, shifted, p), 32)
    return {"q": saturate(integer, -128, 127) if p.dtype == "int8" else low_bits_of(integer, p.dtype)}


def quantize_per_tensor(p):
    return quantize(p, round_to(FLOAT32, divide(FLOAT64, ONE, p.scale)), p.zero_point)


def single_inverse(scale: Value) -> Value:
    return divide(FLOAT32, ONE, round_to(FLOAT32, scale))


def quantize_per_channel(p):
    return quantize(p, single_inverse(p.scales), p.zero_points)


def round_half_away(value: Value) -> Value:
    """C's round."""
    if not value.is_finite:
        return value
    magnitude = nearest_integer(abs(value.rational), "away")
    return exact(-magnitude if value.negative else magnitude)


def quantize_per_tensor_tensor(p):
    """The vectors decide how 8 bits are rounded and cast; more bits are truncated. No quant_min, no quant_max."""
    shifted = fma(FLOAT32, p.x, single_inverse(p.scale), round_to(FLOAT32, exact(p.zero_point)))
    lowest, highest = INTEGER_RANGES[p.dtype]
    if p.dtype not in ("int8", "uint8"):
        return {"q": low_bits_of(x86_convert_truncate(shifted, 32), p.dtype)}
    if p.vector == "none":
        return {"q": low_bits_of(x86_convert_truncate(round_half_away(shifted), 32), p.dtype)}
    if p.vector == "avx2":
        if shifted.is_nan:
            return {"q": 0}
        if shifted.is_infinite:
            return {"q": lowest if shifted.negative else highest}
        return {"q": saturate(int(round_half_away(shifted).rational), lowest, highest)}
    if p.dtype == "int8":
        return {"q": saturate(x86_convert_nearest(shifted, 32), lowest, highest)}
    # The maximum with zero takes NaN away, and the minimum is one of unsigned integers.
    above_zero = shifted if less(exact(0), shifted) else exact(0)
    return {"q": min(x86_convert_nearest(above_zero, 32) % 2**32, highest)}


def dequantize(p, scale: Value, zero_point: int) -> dict:
    q, zero = (round_to(FLOAT32, exact(integer)) for integer in (p.q, zero_point))
    y = multiply(FLOAT32, subtract(FLOAT32, q, zero), round_to(FLOAT32, scale))
    return {"y": round_to(FORMATS[p.out_dtype], y)}


def dequantize_per_tensor(p):
    return dequantize(p, p.scale, p.zero_point)


def dequantize_per_channel(p):
    return dequantize(p, p.scales, p.zero_points)


def choose_qparams(p):
    """The range as it is, without zero."""
    limits = (p.quant_min, p.quant_max)
    least, greatest = least_and_greatest(p.x)
    scale = maximum(affine_scale(least, greatest, *limits), round_to(FLOAT32, p.eps))
    return {"scale": scale, "zero_point": wrapping_zero_point(least, scale, *limits)}


# ------------ the list

FORMULAS = {
    "quantize_per_tensor": Formula(quantize_per_tensor, Q, groups="tensor"),
    "quantize_per_tensor_tensor": Formula(quantize_per_tensor_tensor, Q, {"vector": "avx512"}, "tensor"),
    "quantize_per_channel": Formula(quantize_per_channel, Q),
    "dequantize_per_tensor": Formula(dequantize_per_tensor, {"y": "out_dtype"}, OUT_DTYPE, "tensor"),
    "dequantize_per_channel": Formula(dequantize_per_channel, {"y": "out_dtype"}, OUT_DTYPE),
    "choose_qparams": Formula(choose_qparams, DOUBLE_QPARAMS, groups="tensor", whole_groups=True),
}
FORMULAS = {f"inductor.{name}": formula for name, formula in FORMULAS.items()}
