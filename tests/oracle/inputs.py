"""Inputs on which quantization formulas part: ties and their neighbours, overflows, special values, noise."""

from __future__ import annotations

import random
from fractions import Fraction

import exact
from exact import Format, Value

FEW_ULPS = (-2, -1, 0, 1, 2)


def ordered(form: Format, bits: int) -> int:
    """A number for each bit pattern that grows with the value; neighbours differ by one."""
    sign = 1 << (form.bits - 1)
    return sign - bits if bits & sign else bits


def from_ordered(form: Format, number: int) -> int:
    sign = 1 << (form.bits - 1)
    return sign - number if number < 0 else number


def neighbourhood(form: Format, number: Fraction, ulps=FEW_ULPS) -> list[int]:
    """Bit patterns of the nearest value and of those a few ulps away from it, no further than the infinities."""
    centre = ordered(form, exact.encode(form, exact.round_to(form, exact.exact(number))))
    end = exact.encode(form, exact.INFINITY)
    return [from_ordered(form, centre + step) for step in ulps if -end <= centre + step <= end]


def special_bits(form: Format) -> list[int]:
    infinity = exact.encode(form, exact.INFINITY)
    quiet = 1 << (form.precision - 2)
    least_normal = 1 << (form.precision - 1)
    positive = [0, 1, 2, least_normal // 2, least_normal - 1, least_normal, least_normal + 1, infinity - 1, infinity]
    positive += [infinity + 1, infinity + quiet - 1, infinity + quiet, infinity + quiet + 5, infinity + 2 * quiet - 1]
    for exponent in (-24, -2, -1, 0, 1, 8, 15, 16, 22, 23, 24, 25, 31, 32, 63, 64):
        if form.emin <= exponent <= form.emax:
            positive += neighbourhood(form, exact.power_of_two(exponent), (-1, 0, 1))
    sign = 1 << (form.bits - 1)
    return positive + [sign | bits for bits in positive]


def some_codes(lowest: int, highest: int, zero_point: int, count: int, source: random.Random) -> list[int]:
    """Codes of a range and a little past it: all, or the ends, those around the zero point, and a sample."""
    if highest - lowest + 7 <= count:
        return list(range(lowest - 3, highest + 4))
    ends = list(range(lowest - 3, lowest + 10)) + list(range(highest - 9, highest + 4))
    middle = list(range(zero_point - 10, zero_point + 10))
    return ends + middle + [source.randint(lowest, highest) for _ in range(count - len(ends) - len(middle))]


def quantizer_inputs(
    form: Format, scale: Value, zero_point: Fraction | int, lowest: int, highest: int, seed: int, count: int = 2048
) -> list[int]:
    """At least `count` bit patterns of the format for a quantizer x / scale + zero_point into [lowest, highest]."""
    source = random.Random(seed)
    bits = special_bits(form)
    if scale.is_finite and not scale.is_zero:
        step = scale.rational
        for code in some_codes(lowest, highest, int(zero_point), count // 8, source):
            bits += neighbourhood(form, (code + Fraction(1, 2) - zero_point) * step)
            bits += neighbourhood(form, (code - zero_point) * step, (0,))
        for power in (23, 24, 31, 32, 63, 64):
            for edge in (1 << power, (1 << power) - Fraction(1, 2), (1 << power) - 128):
                bits += neighbourhood(form, edge * step, (-1, 0, 1))
                bits += neighbourhood(form, -edge * step, (-1, 0, 1))
        width = highest - lowest
        for _ in range(count // 8):
            code = Fraction(source.uniform(lowest - 0.2 * width - 1, highest + 0.2 * width + 1))
            bits += neighbourhood(form, (code - zero_point) * step, (0,))
    while len(bits) < count or len(bits) % 24:  # a multiple of 24, so that it can take the shape of a tensor
        bits.append(source.getrandbits(form.bits))
    source.shuffle(bits)  # so that every part of the list has something of everything
    return bits


def codes(lowest: int, highest: int, zero_point: int, seed: int, count: int = 2048) -> list[int]:
    """All codes of a small type, else its ends, those around the zero point, and a sample."""
    if highest - lowest < count:
        return list(range(lowest, highest + 1))
    source = random.Random(seed)
    chosen = list(range(lowest, lowest + 40)) + list(range(highest - 39, highest + 1))
    chosen += [code for code in range(zero_point - 40, zero_point + 40) if lowest <= code <= highest]
    for power in range(8, 31):
        chosen += [code for code in (1 << power, (1 << power) + 1, -(1 << power) - 1) if lowest <= code <= highest]
    while len(chosen) < count:
        chosen.append(source.randint(lowest, highest))
    return chosen


def accumulators(multiplier: Value, zero_point: int, lowest: int, highest: int, seed: int, count: int = 2048) -> list[int]:
    """int32 accumulators around the ties of accumulator * multiplier, of every magnitude, and the ends of the type."""
    source = random.Random(seed)
    least, greatest = -(1 << 31), (1 << 31) - 1
    chosen = [least, least + 1, -1, 0, 1, greatest - 1, greatest]
    for power in range(1, 31):
        chosen += [sign * (1 << power) + step for sign in (-1, 1) for step in (-1, 0, 1)]
    if multiplier.is_finite and not multiplier.is_zero:
        for code in some_codes(lowest, highest, zero_point, count // 8, source):
            centre = exact.nearest_integer((code + Fraction(1, 2) - zero_point) / multiplier.rational)
            chosen += [centre + step for step in FEW_ULPS]
    chosen = [number for number in chosen if least <= number <= greatest]
    while len(chosen) < count or len(chosen) % 24:
        chosen.append(source.getrandbits(source.randint(1, 31)) * source.choice((-1, 1)))
    source.shuffle(chosen)
    return chosen


def gradients(count: int, seed: int, awkward: bool) -> list[int]:
    """float32 output gradients of many magnitudes and both signs; awkward ones also among the special values."""
    source = random.Random(seed)
    special = special_bits(exact.FLOAT32)
    bits = []
    for _ in range(count):
        if awkward and source.random() < 0.1:
            bits.append(source.choice(special))
            continue
        number = Fraction(source.getrandbits(24) - (1 << 23)) * exact.power_of_two(source.randint(-40, -10))
        bits.append(exact.encode(exact.FLOAT32, exact.exact(number)))
    return bits


def float32_bits(*numbers: float) -> list[int]:
    return [exact.encode(exact.FLOAT32, exact.round_to(exact.FLOAT32, exact.from_float(number))) for number in numbers]


def batches(count: int, seed: int) -> dict[str, list[int]]:
    """What an observer may be shown: float32 tensors of `count` elements by the name of what is special about them.

    No tensor holds zeros of both signs: which of them is the least is not defined.
    """
    infinity, nan = float("inf"), float("nan")
    source = random.Random(seed)

    def uniform(low: float, high: float, *others: float) -> list[int]:
        numbers = [source.uniform(low, high) for _ in range(count - len(others))] + list(others)
        source.shuffle(numbers)
        return float32_bits(*numbers)

    return {
        "two-sided": uniform(-1.3, 2.7),
        "positive": uniform(0.5, 3.0),
        "negative": uniform(-7.0, -0.01),
        "from-zero": uniform(0.0, 6.0, 0.0),
        "to-zero": uniform(-2.0, -0.1, 0.0),
        "as-wide-on-both-sides": uniform(-1.0, 1.0, -1.0, 1.0),
        "wider-below": uniform(-128.0, 127.0, -128.0, 127.0),
        "nearly-symmetric": uniform(-0.3, 0.3, -0.3, 0.30000004),
        "one-value": float32_bits(*[5.5] * count),
        "one-negative-value": float32_bits(*[-0.1] * count),
        "zeros": float32_bits(*[0.0] * count),
        "minus-zeros": float32_bits(*[-0.0] * count),
        "small": uniform(-1e-5, 3e-5),
        "smaller": uniform(-3e-8, 1e-8),
        "subnormal": uniform(-3e-40, 5e-40),
        "subnormal-from-zero": uniform(0.0, 1e-43, 0.0),
        "huge": uniform(-3e38, 3.3e38),
        "thousands": uniform(-1234.5, 40000.0),
        "plus-infinity": uniform(-1.0, 2.0, infinity),
        "minus-infinity": uniform(-1.0, 2.0, -infinity),
        "both-infinities": uniform(-1.0, 2.0, infinity, -infinity),
        "nan": uniform(-1.0, 2.0, nan),
        "nan-and-infinity": uniform(-1.0, 2.0, nan, infinity),
    }


INFINITE_BATCHES = ("plus-infinity", "minus-infinity", "both-infinities", "nan", "nan-and-infinity")
