"""torchao (quantization.quant_primitives): affine quantization in blocks of any shape.

The conventions are those of `formulas.py`. Inputs are float32; dequantization also gives float16 and bfloat16. A Python
number that meets a float32 tensor is rounded to float32 first.
"""

from __future__ import annotations

from fractions import Fraction

from exact import (
    FLOAT32,
    FORMATS,
    INTEGER_RANGES,
    ONE,
    Value,
    add,
    clamp,
    divide,
    exact,
    least_and_greatest,
    less,
    maximum,
    multiply,
    power_of_two,
    round_half_even,
    round_to,
    subtract,
)
from formula import Formula
from formulas_observers import affine_scale, symmetric_scale, with_zero
from formulas_quantized_decomposed import cast


def limits(p, dtype: str) -> tuple[int, int]:
    ends = INTEGER_RANGES[dtype]
    return tuple(end if given == "none" else given for given, end in zip((p.quant_min, p.quant_max), ends, strict=True))


def single(number: Fraction | int) -> Value:
    return round_to(FLOAT32, exact(number))


def middle(p, dtype: str) -> Fraction:
    return Fraction(sum(limits(p, dtype)) + 1, 2)


def clamp_and_cast(value: Value, p) -> dict:
    bounds = (single(bound) for bound in limits(p, p.output_dtype))
    return {"q": cast(clamp(value, *bounds), p.output_dtype)}


# ------------ quantize


def scaled_and_rounded(p) -> Value:
    return round_half_even(multiply(FLOAT32, p.x, divide(FLOAT32, ONE, p.scale)))


def quantize_affine(p):
    return clamp_and_cast(add(FLOAT32, scaled_and_rounded(p), single(p.zero_point)), p)


def quantize_affine_no_zero_point(p):
    return clamp_and_cast(scaled_and_rounded(p), p)


def quantize_affine_tinygemm(p):
    """The zero point is the value of the middle code; a division, not a multiplication by the inverse."""
    least = subtract(FLOAT32, p.zero_point, multiply(FLOAT32, p.scale, single(middle(p, p.output_dtype))))
    return clamp_and_cast(round_half_even(divide(FLOAT32, subtract(FLOAT32, p.x, least), p.scale)), p)


# ------------ dequantize


def converted(value: Value, type_name: str) -> Value:
    """To a 16-bit type, also of an integer, by way of float32."""
    return round_to(FORMATS[type_name], round_to(FLOAT32, value))


def dequantize_affine(p):
    """The difference in the type of the output, the product with the float32 scale in float32."""
    q, zero_point = converted(exact(p.q), p.output_dtype), converted(exact(p.zero_point), p.output_dtype)
    difference = converted(subtract(FLOAT32, q, zero_point), p.output_dtype)
    return {"y": converted(multiply(FLOAT32, difference, p.scale), p.output_dtype)}


def dequantize_affine_tinygemm(p):
    """In the type of the output from the difference on: product and sum are made in place."""
    difference = converted(subtract(FLOAT32, single(p.q), single(middle(p, p.q_type))), p.output_dtype)
    product = converted(multiply(FLOAT32, difference, p.scale), p.output_dtype)
    return {"y": converted(add(FLOAT32, product, p.zero_point), p.output_dtype)}


# ------------ scale and zero point


def affine_zero_point(least: Value, scale: Value, ends: tuple[int, int]) -> int:
    """In float32 until the end: the upper bound of int32 is 2**31, which the conversion makes INT_MIN."""
    lowest, highest = (single(end) for end in ends)
    steps = round_half_even(divide(FLOAT32, least, scale))
    return cast(clamp(subtract(FLOAT32, lowest, steps), lowest, highest), "int32")


def choose_qparams_affine(p):
    ends = limits(p, p.target_dtype)
    least, greatest = with_zero(*least_and_greatest(p.x))
    if p.mapping_type == "ASYMMETRIC":
        scale = maximum(affine_scale(least, greatest, *ends), p.eps)
        return {"scale": scale, "zero_point": affine_zero_point(least, scale, ends)}
    if p.mapping_type == "SYMMETRIC":
        scale = symmetric_scale(least, greatest, *ends)
    else:
        below, above = divide(FLOAT32, least, single(ends[0])), divide(FLOAT32, greatest, single(ends[1]))
        scale = below if less(above, below) else above
    zero_point = cast(single(int(middle(p, p.target_dtype))), "int32")  # int(): toward zero
    return {"scale": maximum(scale, p.eps), "zero_point": zero_point}


def choose_qparams_affine_tinygemm(p):
    """The range need not hold zero; the zero point is the value of the middle code."""
    least, greatest = least_and_greatest(p.x)
    scale = maximum(affine_scale(least, greatest, *limits(p, p.target_dtype)), p.eps)
    return {"scale": scale, "zero_point": add(FLOAT32, least, multiply(FLOAT32, scale, single(middle(p, p.target_dtype))))}


def choose_qparams_affine_dont_preserve_zero(p):
    ends = limits(p, p.target_dtype)
    least, greatest = least_and_greatest(p.x)
    scale = maximum(affine_scale(least, greatest, *ends), p.eps)
    return {"scale": scale, "zero_point": affine_zero_point(least, scale, ends)}


# ------------ the list

LIMITS = {"quant_min": "none", "quant_max": "none", "block_size": "none"}
QUANTIZER, DEQUANTIZER = {"q": "output_dtype"}, {"y": "output_dtype"}
DEQUANTIZER_DEFAULTS = LIMITS | {"output_dtype": "float32"}
CHOOSER_DEFAULTS = LIMITS | {"eps": exact(power_of_two(-126))}
INTEGER_ZERO_POINT = {"scale": "float32", "zero_point": "int32"}
FLOAT_ZERO_POINT = {"scale": "float32", "zero_point": "float32"}


def chooser(function, outputs: dict[str, str]) -> Formula:
    return Formula(function, outputs, CHOOSER_DEFAULTS, "blocks", whole_groups=True)


FORMULAS = {
    "quantize_affine": Formula(quantize_affine, QUANTIZER, LIMITS, "blocks"),
    "quantize_affine_no_zero_point": Formula(quantize_affine_no_zero_point, QUANTIZER, LIMITS, "blocks"),
    "quantize_affine_tinygemm": Formula(quantize_affine_tinygemm, QUANTIZER, LIMITS, "blocks"),
    "dequantize_affine": Formula(dequantize_affine, DEQUANTIZER, DEQUANTIZER_DEFAULTS, "blocks"),
    "dequantize_affine_tinygemm": Formula(dequantize_affine_tinygemm, DEQUANTIZER, DEQUANTIZER_DEFAULTS, "blocks"),
    "choose_qparams_affine": chooser(choose_qparams_affine, INTEGER_ZERO_POINT),
    "choose_qparams_affine_tinygemm": chooser(choose_qparams_affine_tinygemm, FLOAT_ZERO_POINT),
    "choose_qparams_affine_dont_preserve_zero": chooser(choose_qparams_affine_dont_preserve_zero, INTEGER_ZERO_POINT),
}
FORMULAS = {f"torchao.{name}": formula for name, formula in FORMULAS.items()}
