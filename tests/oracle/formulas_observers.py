"""pytorch (CPU): scales and zero points from ranges, observers, and the operator that observes and quantizes at once.

The conventions are those of `formulas.py`.
"""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

from exact import (
    FLOAT32,
    FLOAT64,
    INFINITY,
    INTEGER_RANGES,
    MINUS_INFINITY,
    ONE,
    ZERO,
    Value,
    add,
    divide,
    exact,
    from_float,
    least_and_greatest,
    less,
    maximum,
    minimum,
    multiply,
    negate,
    round_half_even,
    round_to,
    saturate,
    subtract,
    wrap,
    x86_convert_truncate,
)
from formula import Formula
from formulas_pytorch import fake_quantize_per_channel_affine, fake_quantize_per_tensor_affine

SMALL_SCALE = round_to(FLOAT32, exact(Fraction(61, 10**6)))
TENTH = {form: round_to(form, exact(Fraction(1, 10))) for form in (FLOAT32, FLOAT64)}
MACHINE_EPSILON = exact(Fraction(1, 2**23))
HUNDREDTH = from_float(0.01)


def absolute(value: Value) -> Value:
    return negate(value) if value.negative else value


def divide_toward_zero(dividend: int, divisor: int) -> int:
    """C's integer division."""
    quotient = abs(dividend) // abs(divisor)
    return quotient if (dividend < 0) == (divisor < 0) else -quotient


# ------------ ChooseQuantizationParams, of FBGEMM and of ATen


def symmetric_range(least: Value, greatest: Value, qmin: int, qmax: int) -> tuple[Value, Value]:
    """As wide on both sides as the wider one needs."""
    n = divide_toward_zero(qmax - qmin, 2)
    below, above = (absolute(divide(FLOAT32, end, round_to(FLOAT32, exact(bound)))) for end, bound in ((least, -(n + 1)), (greatest, n)))
    widest = above if less(below, above) else below
    bounds = (multiply(FLOAT64, widest, exact(bound)) for bound in (-(n + 1), n))
    return tuple(round_to(FLOAT32, bound) for bound in bounds)


def choose(p, form, larger_error_sign: int) -> dict:
    """The two versions differ in the type of the scale, and in how the error of the zero point is estimated."""
    least, greatest = p.min, p.max
    two_sided = less(least, ZERO) and less(ZERO, greatest)
    if p.preserve_sparsity and two_sided:
        least, greatest = symmetric_range(least, greatest, p.qmin, p.qmax)
    least = ZERO if less(ZERO, least) else least
    greatest = ZERO if less(greatest, ZERO) else greatest
    width = exact(p.qmax - p.qmin)
    scale = round_to(form, divide(FLOAT64, subtract(FLOAT64, greatest, least), width))
    narrow = round_to(FLOAT32, scale)
    if narrow.is_zero or divide(FLOAT32, ONE, narrow).is_infinite:
        scale = TENTH[form]
    if less(scale, SMALL_SCALE):
        amplifier = divide(FLOAT32, SMALL_SCALE, round_to(FLOAT32, scale))
        reach = multiply(FLOAT32, SMALL_SCALE, round_to(FLOAT32, width))
        scale = SMALL_SCALE
        if least.is_zero:
            greatest = reach
        elif greatest.is_zero:
            least = negate(reach)
        else:
            least, greatest = multiply(FLOAT32, least, amplifier), multiply(FLOAT32, greatest, amplifier)
    candidates = []
    for code, bound in ((p.qmin, least), (p.qmax, greatest)):
        steps = divide(FLOAT64, bound, scale)
        size = absolute(steps) if larger_error_sign > 0 else negate(absolute(steps))
        candidates.append((add(FLOAT64, exact(abs(code)), size), subtract(FLOAT64, exact(code), steps)))
    (error_of_least, from_least), (error_of_greatest, from_greatest) = candidates
    zero_point = from_least if less(error_of_least, error_of_greatest) else from_greatest
    if p.preserve_sparsity and less(least, ZERO) and less(ZERO, greatest):
        zero_point = exact(Fraction(p.qmin + p.qmax, 2))
    if less(zero_point, exact(p.qmin)):
        return {"scale": scale, "zero_point": p.qmin}
    if less(exact(p.qmax), zero_point):
        return {"scale": scale, "zero_point": p.qmax}
    return {"scale": scale, "zero_point": x86_convert_truncate(round_half_even(zero_point), 32)}


def choose_quantization_params(p):
    """FBGEMM: the scale is a float32 from the first; the error is the sum of the two magnitudes."""
    return choose(p, FLOAT32, larger_error_sign=1)


def choose_quantization_params_dynamic(p):
    """ATen's quant_utils: the scale stays a double; the error is the difference of the two magnitudes."""
    halved = {}
    if p.reduce_range:
        halved = {"qmin": divide_toward_zero(p.qmin, 2), "qmax": divide_toward_zero(p.qmax, 2)}
    return choose(SimpleNamespace(**vars(p) | halved), FLOAT64, larger_error_sign=-1)


# ------------ moving averages


def moving_average(state: Value, current: Value, constant: Value) -> Value:
    step = multiply(FLOAT32, round_to(FLOAT32, constant), subtract(FLOAT32, current, state))
    return add(FLOAT32, state, step)


def fused_moving_avg_obs_fake_quant(p):
    """The scale is FBGEMM's, from the running range, also when the observer is off; eps and qscheme play no part."""
    running = [p.running_min, p.running_max]
    if p.observer_on:
        for index, current in enumerate(least_and_greatest(p.x)):
            state = running[index]
            running[index] = current if state.is_infinite else moving_average(state, current, p.averaging_const)
    outputs = {"running_min": running[0], "running_max": running[1]}
    if not p.fake_quant_on:
        return outputs | {"y": p.x, "mask": [True] * len(p.x), "scale": p.scale, "zero_point": p.zero_point}
    chosen = choose_quantization_params(
        SimpleNamespace(min=running[0], max=running[1], qmin=p.quant_min, qmax=p.quant_max, preserve_sparsity=p.symmetric_quant)
    )
    fake_quantize = fake_quantize_per_channel_affine if p.per_row_fake_quant else fake_quantize_per_tensor_affine
    y, mask = [], []
    for x in p.x:
        element = SimpleNamespace(x=x, x_type=p.x_type, quant_min=p.quant_min, quant_max=p.quant_max, **chosen)
        quantized = fake_quantize(element)
        y.append(quantized["y"])
        mask.append(quantized["mask"])
    return outputs | chosen | {"y": y, "mask": mask}


# ------------ observers


def observed_range(p) -> tuple[int, int]:
    """The codes an observer counts on. Only a range of which both ends are given is taken; reduce_range halves it down."""
    if customized(p):
        return (p.quant_min // 2, p.quant_max // 2) if p.reduce_range else (p.quant_min, p.quant_max)
    dtype = p.dtype.removeprefix("q")
    if p.reduce_range and dtype in ("int8", "uint8"):
        return (-64, 63) if dtype == "int8" else (0, 127)
    return INTEGER_RANGES[dtype]


def customized(p) -> bool:
    return "none" not in (p.quant_min, p.quant_max)


def affine_scale(least: Value, greatest: Value, quant_min: int, quant_max: int) -> Value:
    """The Python number quant_max - quant_min is rounded to float32, like every scalar that meets a float32 tensor."""
    width = round_to(FLOAT32, exact(quant_max - quant_min))
    return divide(FLOAT32, subtract(FLOAT32, greatest, least), width)


def symmetric_scale(least: Value, greatest: Value, quant_min: int, quant_max: int) -> Value:
    half_width = round_to(FLOAT32, exact(Fraction(quant_max - quant_min, 2)))
    return divide(FLOAT32, maximum(negate(least), greatest), half_width)


def wrapping_zero_point(least: Value, scale: Value, quant_min: int, quant_max: int) -> int:
    """quant_min - round(min / scale) in int32."""
    steps = x86_convert_truncate(round_half_even(divide(FLOAT32, least, scale)), 32)
    return saturate(wrap(quant_min - steps, 32), quant_min, quant_max)


def with_zero(least: Value, greatest: Value) -> tuple[Value, Value]:
    return minimum(least, ZERO), maximum(greatest, ZERO)


def symmetric_zero_point(p, quant_min: int, quant_max: int) -> int:
    dtype = p.dtype.removeprefix("q")
    if dtype == "uint8":
        return (quant_min + quant_max) // 2 if customized(p) else 128
    return 1 << 15 if dtype == "uint16" else 0


def calculate_qparams(p, least: Value, greatest: Value) -> dict:
    """What every observer gives for its range."""
    limits = observed_range(p)
    state = {"min_val": least, "max_val": greatest}
    if p.qscheme == "per_channel_affine_float_qparams":
        scale = affine_scale(least, greatest, *limits)
        scale = scale if less(p.eps, scale) else ONE
        return state | {"scale": scale, "zero_point": divide(FLOAT32, negate(least), scale)}
    below, above = with_zero(least, greatest)
    if p.qscheme.endswith("symmetric"):
        scale = maximum(symmetric_scale(below, above, *limits), p.eps)
        return state | {"scale": scale, "zero_point": symmetric_zero_point(p, *limits)}
    scale = maximum(affine_scale(below, above, *limits), p.eps)
    return state | {"scale": scale, "zero_point": wrapping_zero_point(below, scale, *limits)}


def untouched(p) -> bool:
    """Nothing seen yet: the infinities of the start per tensor, no state at all per channel."""
    if p.qscheme.startswith("per_channel"):
        return "none" in (p.min_val, p.max_val)
    return p.min_val == INFINITY and p.max_val == MINUS_INFINITY


def min_max_observer(p):
    if not p.x:
        return qparams_of_state(p)
    least, greatest = least_and_greatest(p.x)
    if not untouched(p):
        least, greatest = minimum(least, p.min_val), maximum(greatest, p.max_val)
    return calculate_qparams(p, least, greatest)


def moving_average_min_max_observer(p):
    if not p.x:
        return qparams_of_state(p)
    least, greatest = least_and_greatest(p.x)
    if not untouched(p):
        least = moving_average(p.min_val, least, p.averaging_const)
        greatest = moving_average(p.max_val, greatest, p.averaging_const)
    return calculate_qparams(p, least, greatest)


def qparams_of_state(p) -> dict:
    """An empty batch changes nothing; an observer that has seen nothing gives scale 1 and zero point 0."""
    if untouched(p):
        return {"min_val": p.min_val, "max_val": p.max_val, "scale": ONE, "zero_point": 0}
    return calculate_qparams(p, p.min_val, p.max_val)


# ------------ the list

RANGE = {"preserve_sparsity": False}
CHOSEN = {"scale": "float32", "zero_point": "int32"}
FUSED_OUTPUTS = {"y": "x", "mask": "bool", "running_min": "float32", "running_max": "float32"} | CHOSEN
FUSED_DEFAULTS = {
    "observer_on": True,
    "fake_quant_on": True,
    "running_min": INFINITY,
    "running_max": MINUS_INFINITY,
    "scale": ONE,
    "zero_point": 0,
    "averaging_const": HUNDREDTH,
    "ch_axis": -1,
    "per_row_fake_quant": False,
    "symmetric_quant": False,
}


def zero_point_type(settings: dict) -> str:
    return "float32" if settings["qscheme"] == "per_channel_affine_float_qparams" else "int32"


OBSERVED = {"min_val": "float32", "max_val": "float32", "scale": "float32", "zero_point": zero_point_type}
OBSERVER = {
    "quant_min": "none",
    "quant_max": "none",
    "eps": MACHINE_EPSILON,
    "averaging_const": HUNDREDTH,
    "reduce_range": False,
}
PER_TENSOR = OBSERVER | {"min_val": INFINITY, "max_val": MINUS_INFINITY}
PER_CHANNEL = OBSERVER | {"min_val": "none", "max_val": "none", "ch_axis": 0}


def observer(function, defaults: dict) -> Formula:
    groups = "axis" if "ch_axis" in defaults else "tensor"
    return Formula(function, OBSERVED, defaults, groups, whole_groups=True)


FORMULAS = {
    "pytorch.ChooseQuantizationParams": Formula(choose_quantization_params, CHOSEN, RANGE),
    "pytorch.choose_quantization_params_dynamic": Formula(
        choose_quantization_params_dynamic,
        {"scale": "float64", "zero_point": "int32"},
        RANGE | {"qmin": 0, "qmax": 255, "reduce_range": False},
    ),
    "pytorch.fused_moving_avg_obs_fake_quant": Formula(
        fused_moving_avg_obs_fake_quant, FUSED_OUTPUTS, FUSED_DEFAULTS, "rows", whole_groups=True
    ),
    "pytorch.MinMaxObserver": observer(min_max_observer, PER_TENSOR),
    "pytorch.MovingAverageMinMaxObserver": observer(moving_average_min_max_observer, PER_TENSOR),
    "pytorch.PerChannelMinMaxObserver": observer(min_max_observer, PER_CHANNEL),
    "pytorch.MovingAveragePerChannelMinMaxObserver": observer(moving_average_min_max_observer, PER_CHANNEL),
}
