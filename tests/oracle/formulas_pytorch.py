"""pytorch (CPU): quantize, dequantize, fake quantization and its gradients. The conventions are those of `formulas.py`."""

from __future__ import annotations

from fractions import Fraction
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
    clamp,
    divide,
    exact,
    fma,
    less,
    less_equal,
    low_bits,
    multiply,
    negate,
    round_half_even,
    round_to,
    saturate,
    subtract,
    sum_once,
    wrap,
    x86_convert_nearest,
    x86_convert_truncate,
    x86_min,
)
from formula import Formula

ONE_HALF = exact(Fraction(1, 2))
MINUS_ONE = exact(-1)
CONVERSION_CAP = exact(2147483520)  # the largest float32 below 2**31


def capped_convert(t: Value) -> int:
    """FBGEMM: (t < cap) ? t : cap, so NaN becomes the cap; then CVTPS2DQ."""
    return x86_convert_nearest(x86_min(t, CONVERSION_CAP), 32)


def reciprocal(scale: Value) -> Value:
    """float32(1 / float32(scale)), of a double or a float scale."""
    return divide(FLOAT32, ONE, round_to(FLOAT32, scale))


def quantize_val(p, legacy: bool, scale: Value, zero_point: int):
    """The scalar form: qint32, per channel. The zero point is added in float32, legacy before rounding, else after."""
    scaled = multiply(FLOAT32, p.x, reciprocal(scale))
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


def quantize_per_tensor(p):
    """2.12 and from 2.14 on: the zero point is added after rounding, in wrapping int32."""
    if p.dtype == "qint32":
        return quantize_val(p, False, p.scale, p.zero_point)
    t = multiply(FLOAT32, p.x, reciprocal(p.scale))
    return {"q": saturate(wrap(capped_convert(t) + p.zero_point, 32), *INTEGER_RANGES[p.dtype])}


def quantize_per_tensor_2_13(p):
    """2.13: the zero point is added before rounding, in one fma."""
    if p.dtype == "qint32":
        return quantize_val(p, True, p.scale, p.zero_point)
    t = fma(FLOAT32, p.x, reciprocal(p.scale), exact(p.zero_point))
    return {"q": saturate(capped_convert(t), *INTEGER_RANGES[p.dtype])}


def quantize_per_channel(p):
    return quantize_val(p, False, p.scales, p.zero_points)


def quantize_per_channel_2_13(p):
    return quantize_val(p, True, p.scales, p.zero_points)


def dequantize_per_tensor(p):
    difference = round_to(FLOAT32, exact(wrap(p.q - p.zero_point, 32)))
    return {"y": multiply(FLOAT32, round_to(FLOAT32, p.scale), difference)}


def dequantize_per_channel(p):
    """The difference in float32; multiplied in float64 by the double scale; then float32."""
    difference = subtract(FLOAT32, round_to(FLOAT32, exact(p.q)), round_to(FLOAT32, exact(p.zero_points)))
    return {"y": round_to(FLOAT32, multiply(FLOAT64, difference, p.scales))}


def c_clamp(v: Value, p) -> Value:
    """fmin(fmax(v, quant_min), quant_max) in double: NaN becomes quant_min."""
    return c_fmin(c_fmax(v, exact(p.quant_min)), exact(p.quant_max))


def fake_quantize_per_tensor_affine(p):
    scale = round_to(FLOAT32, p.scale)
    rounded = round_half_even(multiply(FLOAT32, p.x, reciprocal(scale)))
    qf = add(FLOAT32, round_to(FLOAT32, exact(p.zero_point)), rounded)
    q = c_clamp(qf, p).rational.numerator
    y = multiply(FLOAT32, round_to(FLOAT32, exact(q - p.zero_point)), scale)
    lowest, highest = (round_to(FLOAT32, exact(bound)) for bound in (p.quant_min, p.quant_max))
    return {"y": round_to(FORMATS[p.x_type], y), "mask": less_equal(lowest, qf) and less_equal(qf, highest)}


def fake_quantize_per_channel_affine(p):
    """Converted to int64 before the clamp. A float zero point is added before rounding, in an fma or two operations."""
    inverse = reciprocal(p.scale)
    if isinstance(p.zero_point, Value):
        if p.contraction == "fma":
            t = fma(FLOAT32, p.x, inverse, p.zero_point)
        else:
            t = add(FLOAT32, multiply(FLOAT32, p.x, inverse), p.zero_point)
        q = x86_convert_nearest(t, 64)
    else:
        rounded = round_half_even(multiply(FLOAT32, p.x, inverse))
        q = x86_convert_truncate(add(FLOAT32, round_to(FLOAT32, exact(p.zero_point)), rounded), 64)
    clamped = c_clamp(round_to(FLOAT64, exact(q)), p)
    difference = subtract(FLOAT64, clamped, as_value(p.zero_point))
    y = round_to(FLOAT32, multiply(FLOAT64, difference, p.scale))
    return {"y": round_to(FORMATS[p.x_type], y), "mask": p.quant_min <= q <= p.quant_max}


# ------------ float zero points


def quantize_per_channel_float_qparams(p):
    """lrintf gives 64 bits, of which the low 32 are clipped: NaN, infinities and 2**63 become 0 first."""
    inverse = ONE if p.scales.is_zero else reciprocal(p.scales)
    t = add(FLOAT32, multiply(FLOAT32, p.x, inverse), p.zero_points)
    return {"q": saturate(wrap(x86_convert_nearest(t, 64), 32), *INTEGER_RANGES[p.dtype])}


def dequantize_per_channel_float_qparams(p):
    difference = subtract(FLOAT32, round_to(FLOAT32, exact(p.q)), p.zero_points)
    return {"y": multiply(FLOAT32, difference, p.scales)}


# ------------ learnable scale and zero point


def quantized_range(p) -> tuple[Value, Value]:
    return round_to(FLOAT32, exact(p.quant_min)), round_to(FLOAT32, exact(p.quant_max))


def rounded_zero_point(p) -> Value:
    return clamp(round_half_even(p.zero_point), *quantized_range(p))


def with_integer_zero_point(p) -> SimpleNamespace:
    return SimpleNamespace(**vars(p) | {"zero_point": x86_convert_truncate(rounded_zero_point(p), 64)})


def fake_quantize_learnable_per_tensor_affine(p):
    return {"y": fake_quantize_per_tensor_affine(with_integer_zero_point(p))["y"]}


def fake_quantize_learnable_per_channel_affine(p):
    return {"y": fake_quantize_per_channel_affine(with_integer_zero_point(p))["y"]}


def gradients(p, zero_point: Value):
    """The gradients of a group: of each x, and the terms of those of scale and zero point with their sums.

    `contraction` is "fma" where the compiler joined multiplication and addition, as in the AVX2 and AVX-512 builds.
    """
    columns = {"dx": [], "dscale_terms": [], "dzero_point_terms": []}
    for dy, x in zip(p.dy, p.x, strict=True):
        dx, dscale, dzero_point = gradient_terms(p, zero_point, dy, x)
        columns["dx"].append(dx)
        # A term shows as a sum of one, and every sum begins at +0.
        columns["dscale_terms"].append(add(FLOAT32, ZERO, dscale))
        columns["dzero_point_terms"].append(add(FLOAT32, ZERO, dzero_point))
    sums = {name: sum_once(FLOAT32, columns[f"{name}_terms"]) for name in ("dscale", "dzero_point")}
    return columns | sums


def gradient_terms(p, zero_point: Value, dy: Value, x: Value) -> tuple[Value, Value, Value]:
    """The zero point is added before rounding, not after it as in the forward formula."""
    inverse = reciprocal(p.scale)
    if p.contraction == "fma":
        t = fma(FLOAT32, x, inverse, zero_point)
    else:
        t = add(FLOAT32, zero_point, multiply(FLOAT32, x, inverse))
    q = x86_convert_truncate(round_half_even(t), 64)
    if not p.quant_min <= q <= p.quant_max:
        bound = exact(p.quant_min if q < p.quant_min else p.quant_max)
        distance = subtract(FLOAT32, bound, zero_point)
        dscale = multiply(FLOAT32, multiply(FLOAT32, dy, distance), p.grad_factor)
        dzero_point = multiply(FLOAT32, multiply(FLOAT32, multiply(FLOAT32, dy, MINUS_ONE), p.scale), p.grad_factor)
        return multiply(FLOAT32, dy, ZERO), dscale, dzero_point
    steps = subtract(FLOAT32, exact(q), zero_point)
    if p.contraction == "fma":
        error = fma(FLOAT32, steps, p.scale, negate(x))
    else:
        error = subtract(FLOAT32, multiply(FLOAT32, steps, p.scale), x)
    dscale = multiply(FLOAT32, multiply(FLOAT32, multiply(FLOAT32, dy, error), inverse), p.grad_factor)
    return dy, dscale, ZERO


def fake_quantize_learnable_per_tensor_affine_backward(p):
    """Not the forward formula's zero point: zero_point + 0.5, clipped, toward zero."""
    shifted = clamp(add(FLOAT32, p.zero_point, ONE_HALF), *quantized_range(p))
    return gradients(p, exact(x86_convert_truncate(shifted, 64)))


def fake_quantize_learnable_per_channel_affine_backward(p):
    return gradients(p, rounded_zero_point(p))


# ------------ the list

Q, Y = {"q": "dtype"}, {"y": "float32"}
FAKE = {"y": "x", "mask": "bool"}
BACKWARD = {"dx": "x", "dscale_terms": "x", "dzero_point_terms": "x", "dscale": "float32", "dzero_point": "float32"}
BACKWARD_DEFAULTS = {"grad_factor": ONE, "contraction": "fma"}

FORMULAS = {
    "quantize_per_tensor": Formula(quantize_per_tensor, Q, groups="tensor"),
    "quantize_per_tensor@2.13": Formula(quantize_per_tensor_2_13, Q, groups="tensor"),
    "quantize_per_channel": Formula(quantize_per_channel, Q),
    "quantize_per_channel@2.13": Formula(quantize_per_channel_2_13, Q),
    "quantize_per_channel_float_qparams": Formula(quantize_per_channel_float_qparams, Q),
    "dequantize_per_tensor": Formula(dequantize_per_tensor, Y, groups="tensor"),
    "dequantize_per_channel": Formula(dequantize_per_channel, Y),
    "dequantize_per_channel_float_qparams": Formula(dequantize_per_channel_float_qparams, Y),
    "fake_quantize_per_tensor_affine": Formula(fake_quantize_per_tensor_affine, FAKE, groups="tensor"),
    "fake_quantize_per_channel_affine": Formula(fake_quantize_per_channel_affine, FAKE, {"contraction": "fma"}),
    "fake_quantize_learnable_per_tensor_affine": Formula(fake_quantize_learnable_per_tensor_affine, {"y": "x"}, groups="tensor"),
    "fake_quantize_learnable_per_channel_affine": Formula(fake_quantize_learnable_per_channel_affine, {"y": "x"}),
    "fake_quantize_learnable_per_tensor_affine_backward": Formula(
        fake_quantize_learnable_per_tensor_affine_backward, BACKWARD, BACKWARD_DEFAULTS, "tensor", whole_groups=True
    ),
    "fake_quantize_learnable_per_channel_affine_backward": Formula(
        fake_quantize_learnable_per_channel_affine_backward, BACKWARD, BACKWARD_DEFAULTS, whole_groups=True
    ),
}
FORMULAS = {f"pytorch.{name}": formula for name, formula in FORMULAS.items()}
