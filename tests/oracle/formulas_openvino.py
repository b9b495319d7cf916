"""openvino (Model.evaluate) and openvino_cpu (the CPU plugin) of release 2026.4.1, on x86 with AVX-512. The conventions are those of
`formulas.py`, but that a function here takes a whole case: what the plugin does to an element depends on all bounds.

It gets inputs and tensor parameters as `evaluate.Tensor`s and returns for each output its elements, type and shape.
Arrays of `Value`s are NumPy object arrays, and broadcast as bounds do.
"""

from __future__ import annotations

from fractions import Fraction

import exact
import numpy as np
from exact import (
    BFLOAT16,
    FLOAT16,
    FLOAT32,
    INTEGER_RANGES,
    ONE,
    ZERO,
    Format,
    Value,
    fma,
    less,
    less_equal,
    negate,
    power_of_two,
    round_half_even,
    round_to,
    saturate_value,
    x86_max,
    x86_min,
)
from formula import Formula

# ------------ arrays of exact values


def over(function, count: int):
    """A function of `count` Values as a function of arrays of them. The result is always an array."""
    vectorized = np.frompyfunc(function, count, 1)
    return lambda *arrays: as_array(vectorized(*arrays))


def as_array(result) -> np.ndarray:
    if isinstance(result, np.ndarray):
        return result
    held = np.empty((), object)
    held[()] = result
    return held


def values(given) -> np.ndarray:
    """The elements of an `evaluate.Tensor`."""
    held = np.empty(given.array.shape, object)
    held.reshape(-1)[:] = [exact.as_value(element) for element in given.elements()]
    return held


def whole(number: Fraction | int) -> np.ndarray:
    return as_array(exact.exact(number))


add = over(lambda a, b: exact.add(FLOAT32, a, b), 2)
subtract = over(lambda a, b: exact.subtract(FLOAT32, a, b), 2)
multiply = over(lambda a, b: exact.multiply(FLOAT32, a, b), 2)
divide = over(lambda a, b: exact.divide(FLOAT32, a, b), 2)
multiply_add = over(lambda a, b, c: fma(FLOAT32, a, b, c), 3)
to_float32 = over(lambda a: round_to(FLOAT32, a), 1)
rounded = over(round_half_even, 1)
negated = over(negate, 1)
at_least = over(x86_max, 2)
at_most = over(x86_min, 2)


def is_zero(value: Value) -> bool:
    return value.is_zero


def absolute(value: Value) -> Value:
    return negate(value) if value.negative else value


def same(a: Value, b: Value) -> bool:
    """IEEE equality."""
    return less_equal(a, b) and less_equal(b, a)


def everywhere(condition, *arrays: np.ndarray) -> bool:
    return all(condition(*elements) for elements in zip(*(array.reshape(-1) for array in np.broadcast_arrays(*arrays)), strict=True))


def nearest_float32(number: Fraction) -> Value:
    return round_to(FLOAT32, exact.exact(number))


LEAST_NORMAL = power_of_two(-126)


def is_subnormal(value: Value) -> bool:
    return value.is_finite and not value.is_zero and abs(value.rational) < LEAST_NORMAL


def flushed(array: np.ndarray) -> np.ndarray:
    """A constant tensor as the plugin stores it: with a subnormal among its elements all that are less than normal are +0."""
    if not any(is_subnormal(value) for value in array.reshape(-1)):
        return array
    return over(lambda value: ZERO if value.is_zero or is_subnormal(value) else value, 1)(array)


def flushed_vector(array: np.ndarray) -> np.ndarray:
    return flushed(array) if array.size > 1 else array


# ------------ narrowing


def to_half(value: Value) -> Value:
    return round_to(FLOAT16, value)


def to_bfloat16_of_odd(value: Value) -> Value:
    """The reference kernels' narrowing: with an even last bit kept it truncates, with an odd one half goes away from zero."""
    if not value.is_finite:
        return value
    bits = exact.encode(FLOAT32, value)
    return exact.decode(BFLOAT16, ((bits + ((bits & 0x10000) >> 1)) >> 16) & 0xFFFF)


def to_bfloat16_of_x86(value: Value) -> Value:
    """VCVTNEPS2BF16: to nearest even, subnormal arguments are zeros."""
    return Value("finite", value.negative) if is_subnormal(value) else round_to(BFLOAT16, value)


def narrowed(array: np.ndarray, kind: str, to_bfloat16) -> np.ndarray:
    step = {"float32": None, "float16": to_half, "bfloat16": to_bfloat16}[kind]
    return array if step is None else over(step, 1)(array)


def like(x, array: np.ndarray, kind: str | None = None) -> dict:
    """The output y, of x's shape."""
    full = np.broadcast_to(array, x.array.shape)
    return {"y": (list(full.reshape(-1)), kind or x.type, x.array.shape)}


# ------------ FakeQuantize: four arithmetics, all in float32


def reference_fake_quantize(x, input_low, input_high, output_low, output_high, levels):
    """x <= both bounds: output_low; x > both: output_high; else (rint((x - il) / (ih - il) * L) / L * (oh - ol)) + ol."""
    last = whole(levels - 1)

    def one(element, low, high, out_low, out_high, inside):
        smaller, larger = (high if less(high, low) else low), (high if less(low, high) else low)
        return out_low if less_equal(element, smaller) else out_high if less(larger, element) else inside

    index = rounded(multiply(divide(subtract(x, input_low), subtract(input_high, input_low)), last))
    inside = add(multiply(divide(index, last), subtract(output_high, output_low)), output_low)
    return over(one, 6)(x, input_low, input_high, output_low, output_high, inside)


def folded_fake_quantize(x, input_low, input_high, output_low, output_high, levels):
    """The plugin's reference node: its constants are flushed, scalars too."""
    return reference_fake_quantize(x, *map(flushed, (input_low, input_high, output_low, output_high)), levels)


def snippets_fake_quantize(x, input_low, input_high, output_low, output_high, levels):
    scale, shift = snippets_scale(input_low, input_high, levels)
    clamped = at_most(at_least(x, flushed_vector(input_low)), flushed_vector(input_high))
    index = rounded(subtract(multiply(clamped, flushed_vector(scale)), flushed_vector(shift)))
    step = divide(subtract(output_high, output_low), whole(levels - 1))
    return multiply_add(index, flushed_vector(step), flushed_vector(output_low))


def snippets_scale(input_low, input_high, levels):
    scale = divide(whole(levels - 1), subtract(input_high, input_low))
    return scale, multiply(input_low, scale)


def snippets_fake_quantize_in_bfloat16(x, input_low, input_high, output_low, output_high, levels):
    """Bounds of bfloat16 make all constants bfloat16, each narrowed once at the end of its own float32 arithmetic."""
    narrow = over(to_bfloat16_of_odd, 1)
    last = narrow(whole(levels - 1))
    scale = divide(last, subtract(input_high, input_low))
    shift = narrow(multiply(input_low, scale))
    clamped = at_most(at_least(x, flushed_vector(input_low)), flushed_vector(input_high))
    index = rounded(subtract(multiply(clamped, flushed_vector(narrow(scale))), flushed_vector(shift)))
    step = narrow(divide(subtract(output_high, output_low), last))
    return multiply_add(index, flushed_vector(step), flushed_vector(output_low))


def one_for_all(array: np.ndarray) -> np.ndarray:
    """Elements that are all equal, zeros of either sign too, become the first of them."""
    first = array.reshape(-1)[:1].reshape(())
    return first if array.size > 1 and everywhere(same, array, first) else array


def jit_fake_quantize(x, input_low, input_high, output_low, output_high, levels):
    last = whole(levels - 1)
    low, high, out_low, out_high = map(one_for_all, (input_low, input_high, output_low, output_high))
    width = subtract(high, low)
    clamped = at_least(at_most(x, high), low)
    index = rounded(multiply_add(clamped, divide(last, width), divide(multiply(negated(low), last), width)))
    step = divide(subtract(out_high, out_low), last)
    if everywhere(lambda value: same(value, ONE), step) and everywhere(is_zero, out_low):
        return index
    return multiply_add(index, step, out_low)


def eltwise_fake_quantize(x, input_low, input_high, output_low, output_high, levels):
    """As snippets, but for the last step, which is not contracted, and for the input bounds: as scalars they are flushed too."""
    scale, shift = snippets_scale(input_low, input_high, levels)
    clamped = at_most(at_least(x, flushed(input_low)), flushed(input_high))
    index = rounded(subtract(multiply(clamped, flushed_vector(scale)), flushed_vector(shift)))
    step = divide(subtract(output_high, output_low), whole(levels - 1))
    return add(multiply(index, flushed_vector(step)), flushed_vector(output_low))


NODES = {
    "snippets": snippets_fake_quantize,
    "jit": jit_fake_quantize,
    "reference": folded_fake_quantize,
    "eltwise": eltwise_fake_quantize,
}


# ------------ low-precision transformations: the output bounds of FakeQuantize by way of integers

REWRITTEN_LEVELS = (15, 16, 255, 256)
SMALL_BOUND = nearest_float32(Fraction(1, 10**6))
ASYMMETRY = nearest_float32(Fraction(2, 1000))
LEAST_SCALE, GREATEST_SCALE = nearest_float32(Fraction(1, 10**32)), nearest_float32(Fraction(10**32))


def is_far_from_symmetric(low: Value, high: Value, levels: int) -> bool:
    if high.is_zero:
        return True
    expected = exact.exact(-1)
    if levels in (16, 256):
        expected = exact.divide(FLOAT32, exact.exact(-levels), exact.exact(levels - 2))
    actual = exact.divide(FLOAT32, low, high)
    smaller = expected if less(expected, actual) else actual
    distance = exact.divide(FLOAT32, exact.subtract(FLOAT32, actual, expected), smaller)
    return less(ASYMMETRY, absolute(distance))


def integer_range(low: np.ndarray, high: np.ndarray, levels: int) -> tuple[int, int, bool]:
    """The integers that the levels become, and whether a zero point goes with them."""
    can_be_signed = can_be_unsigned = True
    needs_zero_point = all_small = False
    pairs = list(zip(low.reshape(-1), high.reshape(-1), strict=True))
    telling = [pair for pair in pairs if not all(less(absolute(bound), SMALL_BOUND) for bound in pair)]
    for one, other in telling:
        starts_at_zero = less(absolute(one), SMALL_BOUND)
        if one.negative != other.negative and not starts_at_zero:
            can_be_unsigned = False
            needs_zero_point = needs_zero_point or is_far_from_symmetric(one, other, levels)
        else:
            can_be_signed = False
            needs_zero_point = needs_zero_point or not starts_at_zero
    all_small = not telling
    if all_small:
        can_be_signed = any(less(one, ZERO) for one, _ in pairs)
        can_be_unsigned = not can_be_signed
    if levels != 15 and not needs_zero_point and can_be_signed and not can_be_unsigned:
        highest = 7 if levels == 16 else 127
        return highest - levels + 1, highest, False
    plain = levels != 15 and not needs_zero_point and can_be_unsigned and not can_be_signed
    return 0, 15 if levels == 16 else 255, not plain


def rewritten_bounds(low: np.ndarray, high: np.ndarray, levels: int) -> tuple[np.ndarray, np.ndarray]:
    """The output bounds that the transformations leave. For two bounds of one shape, not equal in every channel."""
    if levels not in REWRITTEN_LEVELS:
        return low, high
    lowest, highest, has_zero_point = integer_range(low, high, levels)
    if everywhere(same, low, high):
        raise ValueError("the FakeQuantize becomes a constant")
    equal = over(same, 2)(low, high)
    ends = [over(lambda flag, bound, end=end: bound if flag else exact.exact(end), 2)(equal, high) for end in (lowest, highest)]
    width = subtract(high, low)
    quotient = divide(subtract(multiply(whole(lowest), high), multiply(whole(highest), low)), width)
    shift = over(lambda flag, value: ZERO if flag else value, 2)(equal, quotient)
    scale = over(lambda flag, value: ONE if flag else value, 2)(equal, divide(width, whole(highest - lowest)))
    if has_zero_point and not everywhere(lambda value: less_equal(absolute(value), LEAST_SCALE), shift):
        ends = [subtract(end, shift) for end in ends]
    limited = over(limited_scale, 1)(scale)
    return multiply(ends[0], limited), multiply(ends[1], limited)


def limited_scale(scale: Value) -> Value:
    if less(absolute(scale), LEAST_SCALE):
        return LEAST_SCALE
    if less(GREATEST_SCALE, absolute(scale)):
        return negate(GREATEST_SCALE) if less(scale, ZERO) else GREATEST_SCALE
    return scale


# ------------ FakeQuantize, the operators


def four_bounds(p) -> list[np.ndarray]:
    return [values(bound) for bound in (p.input_low, p.input_high, p.output_low, p.output_high)]


def openvino_fake_quantize(p):
    y = reference_fake_quantize(values(p.x), *four_bounds(p), p.levels)
    return like(p.x, narrowed(y, p.x.type, to_bfloat16_of_odd))


def openvino_cpu_fake_quantize(p):
    return like(p.x, plugin_fake_quantize(p, *four_bounds(p), p.levels))


def plugin_fake_quantize(p, low, high, out_low, out_high, levels):
    is_rewritten = p.lp_transforms_mode == "yes" and levels in REWRITTEN_LEVELS
    function, to_bfloat16 = NODES[p.node], to_bfloat16_of_x86
    if p.x.type == "bfloat16" and p.node == "reference" and not is_rewritten:
        function, to_bfloat16 = reference_fake_quantize, to_bfloat16_of_odd
    elif p.x.type == "bfloat16" and p.node == "snippets" and not is_rewritten:
        function = snippets_fake_quantize_in_bfloat16
    if is_rewritten:
        out_low, out_high = rewritten_bounds(out_low, out_high, levels)
    y = function(values(p.x), low, high, out_low, out_high, levels)
    return narrowed(y, p.x.type, to_bfloat16)


# ------------ QuantizeLinear: what the ONNX front end makes of it


def along_axis(p, given) -> np.ndarray:
    """Scales or zero points, a scalar or a vector along the axis, so that they broadcast to x."""
    held = whole(given) if isinstance(given, int) else values(given)
    if held.ndim == 0 or held.size == 1:
        return held.reshape(())
    shape = [1] * p.x.array.ndim
    shape[p.axis] = held.size
    return held.reshape(shape)


def quantizer_bounds(p):
    """The FakeQuantize's bounds. Everything is float32, whatever the types of x and scale."""
    lowest, highest = INTEGER_RANGES[p.output_dtype]
    scale, zero_point = along_axis(p, p.y_scale), along_axis(p, p.y_zero_point)
    ends = [multiply(scale, subtract(whole(end), zero_point)) for end in (lowest, highest)]
    return *ends, whole(lowest), whole(highest)


def level_count(kind: str) -> int:
    lowest, highest = INTEGER_RANGES[kind]
    return highest - lowest + 1


def openvino_quantize_linear(p):
    y = reference_fake_quantize(values(p.x), *quantizer_bounds(p), level_count(p.output_dtype))
    return like(p.x, over(lambda value: code(value, p.output_dtype, 0, 0), 1)(y), p.output_dtype)


def code(value: Value, kind: str, of_nan: int, of_infinity: int | None) -> int:
    """The integer of a level. NaN and infinities, the only levels that are no integers, are given; None saturates to 8 bits.

    4-bit codes are the low bits of what 8 bits hold.
    """
    lowest, highest = INTEGER_RANGES[kind]
    if value.is_finite:
        return saturate_value(value, lowest, highest)
    integer = of_nan
    if value.is_infinite:
        integer = of_infinity if of_infinity is not None else byte_end(kind, value.negative)
    return exact.low_bits(integer, 4, signed=lowest < 0) if kind.endswith("int4") else integer


def byte_end(kind: str, low: bool) -> int:
    if kind.endswith("int16"):
        return 0
    return {("int", True): -128, ("int", False): 127, ("uint", True): 0, ("uint", False): 255}[kind.rstrip("48"), low]


def scales_alone(low, high, scale) -> bool:
    """Whether int8 codes are taken without the shift: low * scale is close to -128 in every channel, high * scale to 127."""
    limit = nearest_float32(Fraction(1, 10**4))

    def is_near(a, b, target):
        return less(absolute(exact.subtract(FLOAT32, exact.multiply(FLOAT32, a, b), exact.exact(target))), limit)

    return everywhere(lambda a, b: is_near(a, b, -128), low, scale) and everywhere(lambda a, b: is_near(a, b, 127), high, scale)


def openvino_cpu_quantize_linear(p):
    kind, is_transformed = p.output_dtype, p.lp_transforms_mode == "yes"
    levels, x = level_count(kind), values(p.x)
    low, high, out_low, out_high = quantizer_bounds(p)
    scale, _ = snippets_scale(low, high, levels)
    if kind == "int8" and is_transformed and p.node == "snippets" and scales_alone(low, high, scale):
        clamped = at_most(at_least(x, flushed_vector(low)), flushed_vector(high))
        y = rounded(multiply(clamped, flushed_vector(scale)))
    else:
        y = NODES[p.node](x, low, high, out_low, out_high, levels)
    lost = -128 if is_transformed and p.node != "reference" and kind in ("int8", "int4") else 0
    of_infinity = None if p.node == "jit" and not is_transformed else lost
    return like(p.x, over(lambda value: code(value, kind, lost, of_infinity), 1)(y), kind)


# ------------ DequantizeLinear


def dequantizer_parts(p):
    return to_float32(values(p.x)), along_axis(p, p.x_scale), along_axis(p, p.x_zero_point)


def openvino_dequantize_linear(p):
    q, scale, zero_point = dequantizer_parts(p)
    return like(p.x, multiply(subtract(q, zero_point), scale), p.output_dtype)


def openvino_cpu_dequantize_linear(p):
    """The zero point is multiplied beforehand: q * scale + (-zero_point) * scale, contracted or not."""
    q, scale, zero_point = dequantizer_parts(p)
    product = multiply(q, flushed_vector(scale))
    is_scalar = scale.size == 1 and zero_point.size == 1
    shift = multiply(negated(zero_point), scale)
    has_no_shift = everywhere(is_zero, zero_point) or (is_scalar and everywhere(is_zero, shift))
    if has_no_shift:
        y = add(product, as_array(ZERO)) if p.node == "eltwise" and is_scalar else product
    elif p.node == "eltwise" and (is_scalar or p.axis % p.x.array.ndim == 0):
        y = add(product, flushed_vector(shift))
    else:
        y = multiply_add(q, flushed_vector(scale), flushed_vector(shift))
    return like(p.x, y, p.output_dtype)


# ------------ FakeConvert

FLOAT8_E4M3 = Format("float8_e4m3", 4, -6, 8)  # its largest number is 448, not the 480 of the table
FLOAT8_E5M2 = Format("float8_e5m2", 3, -14, 15)
SMALL_FLOATS = {"float8_e4m3fn": (FLOAT8_E4M3, 448), "float8_e5m2": (FLOAT8_E5M2, 57344)}


def signed(magnitude: Fraction | int, negative: bool) -> Value:
    return exact.exact(-magnitude if negative else magnitude, negative_zero=negative)


def to_half_carrying_twice(value: Value) -> Value:
    """The reference kernel's float32 to float16: below 2**-15 a significand that rounds up to 2 is doubled once more."""
    half = to_half(value)
    if value.is_finite and value.rational and abs(value.rational) < power_of_two(-15):
        magnitude = abs(value.rational)
        exponent = exact.floor_log2(magnitude.numerator, magnitude.denominator)
        if magnitude >= (2 - power_of_two(-11)) * power_of_two(exponent) and exponent >= -26:
            return to_half(signed(power_of_two(exponent + 2), value.negative))
    return half


def reference_e5m2(half: Value) -> Value:
    """To nearest even; what is beyond the largest number is that number, NaN stays."""
    if half.is_nan:
        return half
    narrow = round_to(FLOAT8_E5M2, half)
    return signed(57344, half.negative) if narrow.is_infinite else narrow


def reference_e4m3(half: Value) -> Value:
    """By the bits of float16: to three bits after the point, ties to even; then, below 2**-6, truncated to multiples of 2**-9.

    From 448 on, infinity and NaN it is 448; below 2**-9 it is +0 or, for what rounds there, 0 of that sign.
    """
    if not half.is_finite or abs(half.rational) >= 448:
        return signed(448, half.negative)
    magnitude = abs(half.rational)
    if magnitude < power_of_two(-9):
        return ZERO
    exponent = exact.floor_log2(magnitude.numerator, magnitude.denominator)
    eighths = exact.nearest_integer(magnitude / power_of_two(exponent - 3))
    if exponent < -6:
        eighths = eighths >> (-6 - exponent) << (-6 - exponent)
    return signed(eighths * power_of_two(exponent - 3), half.negative)


REFERENCE_SMALL_FLOATS = {"float8_e4m3fn": reference_e4m3, "float8_e5m2": reference_e5m2}


def openvino_fake_convert(p):
    scale, shift = values(p.scale), values(p.shift)
    half = over(to_half_carrying_twice, 1)(subtract(multiply(values(p.x), scale), shift))
    small = over(REFERENCE_SMALL_FLOATS[p.destination_type], 1)(half)
    return like(p.x, divide(add(small, shift), scale))


def openvino_cpu_fake_convert(p):
    """Steps that do nothing are left out; a scalar scale's product also gets a zero added."""
    scale, shift, y = values(p.scale), values(p.shift), values(p.x)
    form, largest = SMALL_FLOATS[p.destination_type]
    has_scale = not everywhere(lambda value: same(value, ONE), scale)
    has_shift = not everywhere(is_zero, shift)
    if has_scale:
        y = multiply(y, flushed_vector(scale))
    if has_shift:
        y = subtract(y, flushed_vector(shift))
    y = at_most(at_least(y, whole(-largest)), whole(largest))
    y = over(lambda value: round_to(form, to_half(value)), 1)(y)
    if has_shift:
        y = subtract(y, flushed_vector(negated(shift)))
    if has_scale:
        y = multiply(y, flushed_vector(divide(as_array(ONE), scale)))
        if scale.size == 1:
            y = add(y, as_array(ZERO))
    return like(p.x, y)


# ------------ the PyTorch front end: parameters alone


def first_smaller(a: Value, b: Value) -> Value:
    return b if less(b, a) else a


def first_larger(a: Value, b: Value) -> Value:
    return b if less(a, b) else a


def without_subnormals(value: Value) -> Value:
    return ZERO if is_subnormal(value) else value


def translated_bounds(p, zero_point: np.ndarray, rank: int) -> tuple[np.ndarray, np.ndarray]:
    """Low and high, with one element for each channel along the axis."""
    scale = values(p.scale)
    ends = [multiply(scale, subtract(whole(end), zero_point)) for end in (p.quant_min, p.quant_max)]
    shape = [1] * rank
    shape[p.axis] = scale.size
    low, high = (over(without_subnormals, 1)(over(choose, 2)(*ends)) for choose in (first_smaller, first_larger))
    return low.reshape(shape), high.reshape(shape)


def given_zero_point(p) -> np.ndarray:
    return to_float32(values(p.zero_point))


def learned_zero_point(p) -> np.ndarray:
    """Rounded half to even, then clamped to the range."""

    def on_grid(value: Value) -> Value:
        limited = first_larger(round_half_even(value), exact.exact(p.quant_min))
        return first_smaller(limited, exact.exact(p.quant_max))

    return over(on_grid, 1)(values(p.zero_point))


def translation_level_count(p) -> int:
    return abs(p.quant_max - p.quant_min) + 1


def translation(zero_point):
    def translate(p):
        bounds = dict(zip(("low", "high"), translated_bounds(p, zero_point(p), p.rank), strict=True))
        outputs = {
            f"{side}_{end}": (list(bound.reshape(-1)), "float32", bound.shape)
            for side in ("input", "output")
            for end, bound in bounds.items()
        }
        return outputs | {"levels": ([translation_level_count(p)], "int64", ())}

    return translate


def crossing(zero_point, run):
    """The operator of torch, brought across: the FakeQuantize that it becomes."""

    def fake_quantize(p):
        low, high = translated_bounds(p, zero_point(p), p.x.array.ndim)
        return like(p.x, run(p, low, high, low, high, translation_level_count(p)))

    return fake_quantize


def on_reference(p, *grid):
    return reference_fake_quantize(values(p.x), *grid)


# ------------ the list

QUANTIZER = {"axis": 1, "block_size": 0, "y_zero_point": 0, "output_dtype": "uint8", "precision": "none", "opset": 21}
DEQUANTIZER = {"axis": 1, "block_size": 0, "x_zero_point": 0, "output_dtype": "float32", "opset": 21}
PLUGIN = {"node": "snippets", "lp_transforms_mode": "no"}
BOUNDS = {name: "float32" for name in ("input_low", "input_high", "output_low", "output_high")} | {"levels": "int64"}


def of_case(function, outputs: dict, defaults: dict | None = None) -> Formula:
    return Formula(function, outputs, defaults or {}, whole_case=True)


FORMULAS = {
    "openvino.FakeQuantize": of_case(openvino_fake_quantize, {"y": "x"}),
    "openvino_cpu.FakeQuantize": of_case(openvino_cpu_fake_quantize, {"y": "x"}, PLUGIN),
    "openvino.FakeConvert": of_case(openvino_fake_convert, {"y": "x"}),
    "openvino_cpu.FakeConvert": of_case(openvino_cpu_fake_convert, {"y": "x"}),
    "openvino.QuantizeLinear": of_case(openvino_quantize_linear, {"y": "output_dtype"}, QUANTIZER),
    "openvino_cpu.QuantizeLinear": of_case(openvino_cpu_quantize_linear, {"y": "output_dtype"}, QUANTIZER | PLUGIN),
    "openvino.DequantizeLinear": of_case(openvino_dequantize_linear, {"y": "output_dtype"}, DEQUANTIZER),
    "openvino_cpu.DequantizeLinear": of_case(openvino_cpu_dequantize_linear, {"y": "output_dtype"}, DEQUANTIZER | {"node": "snippets"}),
}
for operator, zero_point in (
    ("fake_quantize_per_channel_affine", given_zero_point),
    ("fake_quantize_learnable_per_channel_affine", learned_zero_point),
):
    FORMULAS |= {
        f"openvino.translate_{operator}": of_case(translation(zero_point), BOUNDS),
        f"openvino.{operator}": of_case(crossing(zero_point, on_reference), {"y": "x"}),
        f"openvino_cpu.{operator}": of_case(crossing(zero_point, plugin_fake_quantize), {"y": "x"}, PLUGIN),
    }
