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
