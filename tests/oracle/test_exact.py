"""The oracle guards itself: its arithmetic against the machine's, where the machine is known to be right."""

from __future__ import annotations

import math
import random
import struct
from fractions import Fraction

import exact
import numpy as np
import pytest
from exact import BFLOAT16, FLOAT16, FLOAT32, FLOAT64

NUMPY = {
    "float16": (np.float16, np.uint16),
    "float32": (np.float32, np.uint32),
    "float64": (np.float64, np.uint64),
}
EDGE_DOUBLES = [
    0.0, -0.0, 1.0, -1.0, 0.1, 1 / 3, 65504.0, 65519.999, 65520.0, 65536.0, -65520.0, 2.0**-14, 2.0**-24, 2.0**-25,
    math.nextafter(2.0**-25, 1), math.nextafter(2.0**-25, 0), 3 * 2.0**-25, 2.0**-149, 2.0**-150, 3 * 2.0**-150,
    math.nextafter(2.0**-150, 1), 2.0**-126, math.nextafter(2.0**-126, 0), 2.0**128, math.nextafter(2.0**128, 0),
    2.0**128 - 2.0**103, math.nextafter(2.0**128 - 2.0**103, 0), 3.4028234663852886e38, 5e-324, 1.7976931348623157e308,
    1.0 + 2.0**-24, 1.0 + 3 * 2.0**-24, 1.0 + 2.0**-11, 1.0 + 3 * 2.0**-11, 2.0**31, 2.0**31 - 128, 2.0**63,
    float("inf"), float("-inf"), float("nan"),
]  # fmt: skip


def float_of(bits64: int) -> float:
    return struct.unpack("<d", struct.pack("<Q", bits64))[0]


def random_doubles(count: int, seed: int) -> list[float]:
    """Random bit patterns, and doubles spread over the exponents of the smaller formats, near ties of those formats."""
    source = random.Random(seed)
    doubles = [float_of(source.getrandbits(64)) for _ in range(count // 4)]
    for _ in range(count):
        scale = source.randint(-152, 130) if source.random() < 0.5 else source.randint(-26, 17)
        significand = source.choice([source.random() + 1, 1 + source.getrandbits(11) / 2**11, 1 + source.getrandbits(24) / 2**24])
        number = math.ldexp(source.choice([-1, 1]) * significand, scale)
        doubles += [number, math.nextafter(number, math.inf)]
    return doubles


def bits_of(number: float, name: str) -> int:
    float_type, integer_type = NUMPY[name]
    with np.errstate(all="ignore"):
        return int(np.float64(number).astype(float_type).view(integer_type))


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_round_to_agrees_with_conversion_from_double(name):
    form = exact.FORMATS[name]
    for number in EDGE_DOUBLES + random_doubles(3000, seed=1):
        if number == number:
            assert exact.encode(form, exact.round_to(form, exact.from_float(number))) == bits_of(number, name), number.hex()


def test_round_to_bfloat16_by_its_two_neighbours():
    """bfloat16 is the upper half of float32, so its neighbours below and above are known without any rounding."""
    source = random.Random(2)
    samples = [source.getrandbits(32) for _ in range(4000)]
    samples += [(source.getrandbits(16) << 16) + offset for _ in range(500) for offset in (0, 0x7FFF, 0x8000, 0x8001)]
    samples += [0x7F7F7FFF, 0x7F7F8000, 0x7F7FFFFF, 0x00007FFF, 0x00008000, 0x00008001]
    for bits in samples:
        value = exact.decode(FLOAT32, bits)
        if not value.is_finite:
            continue
        below = bits & 0xFFFF0000
        rest = bits & 0xFFFF
        up = rest > 0x8000 or (rest == 0x8000 and (bits >> 16) & 1)
        expected = (below >> 16) + (1 if up else 0)  # a carry into the exponent is the next value, at the top infinity
        assert exact.encode(BFLOAT16, exact.round_to(BFLOAT16, value)) == expected, hex(bits)


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_encode_and_decode_are_inverse_on_all_small_values(name):
    form = exact.FORMATS[name]
    previous = None
    for bits in range(1 << 16):
        value = exact.decode(form, bits)
        if value.is_nan:
            assert exact.decode(form, exact.encode(form, value)).is_nan
            continue
        assert exact.encode(form, value) == bits
        if name == "float16":
            assert exact.from_float(float(np.uint16(bits).view(np.float16))) == value
        if 0 < bits < 1 << 15:
            assert exact.less(previous, value)
        previous = value


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_decode_agrees_with_the_machine(name):
    form = exact.FORMATS[name]
    float_type, integer_type = NUMPY[name]
    source = random.Random(3)
    edges = [0, 1, (1 << (form.precision - 1)) - 1, 1 << (form.precision - 1), (1 << (form.bits - 1)) - 1]
    edges += [encoded for bits in edges for encoded in (bits | 1 << (form.bits - 1),)]
    for bits in edges + [source.getrandbits(form.bits) for _ in range(5000)]:
        value = exact.decode(form, bits)
        assert value == exact.from_float(float(integer_type(bits).view(float_type)))
        assert value.is_nan or exact.encode(form, value) == bits


def test_encode_refuses_what_the_format_does_not_hold():
    for value in (exact.exact(Fraction(1, 3)), exact.exact(1 << 128), exact.exact(exact.power_of_two(-150))):
        with pytest.raises(ValueError, match="does not hold"):
            exact.encode(FLOAT32, value)


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_arithmetic_agrees_with_the_machine(name):
    form = exact.FORMATS[name]
    float_type, integer_type = NUMPY[name]
    source = random.Random(4)
    special = [0, 1, 1 << (form.bits - 1), exact.encode(form, exact.INFINITY), exact.encode(form, exact.MINUS_INFINITY)]
    special += [
        exact.encode(form, exact.exact(form.largest)),
        exact.encode(form, exact.exact(1)),
        3,
        1 << (form.precision - 1),
    ]
    near_one = exact.encode(form, exact.exact(1)) & ~((1 << (form.precision - 1)) - 1)
    pairs = [(a, b) for a in special for b in special]
    pairs += [(source.getrandbits(form.bits), source.getrandbits(form.bits)) for _ in range(3000)]
    for _ in range(2000):
        pairs.append((near_one + source.getrandbits(form.precision + 3), near_one + source.getrandbits(form.precision + 3)))
    operations = {
        exact.add: np.add, exact.subtract: np.subtract, exact.multiply: np.multiply, exact.divide: np.divide,
    }  # fmt: skip
    with np.errstate(all="ignore"):
        for bits_a, bits_b in pairs:
            a, b = exact.decode(form, bits_a), exact.decode(form, bits_b)
            machine_a, machine_b = (integer_type(bits).view(float_type) for bits in (bits_a, bits_b))
            for ours, theirs in operations.items():
                result, machine = ours(form, a, b), theirs(machine_a, machine_b)
                if np.isnan(machine):
                    assert result.is_nan
                else:
                    assert exact.encode(form, result) == int(machine.view(integer_type)), (
                        ours,
                        hex(bits_a),
                        hex(bits_b),
                    )
            assert exact.less(a, b) == bool(machine_a < machine_b)
            assert exact.less_equal(a, b) == bool(machine_a <= machine_b)


def test_fma_rounds_once():
    """Where a float16 product plus a float16 number is exact in float64, one conversion rounds it once."""
    source = random.Random(5)
    finite = [bits for bits in range(1 << 16) if np.isfinite(np.uint16(bits).view(np.float16))]
    for _ in range(6000):
        bits = [source.choice(finite) for _ in range(3)]
        a, b, c = (float(np.uint16(code).view(np.float16)) for code in bits)
        wide = a * b + c
        if Fraction(a) * Fraction(b) + Fraction(c) != Fraction(wide):
            continue
        result = exact.fma(FLOAT16, *(exact.decode(FLOAT16, code) for code in bits))
        assert exact.encode(FLOAT16, result) == bits_of(wide, "float16")


def test_fma_differs_from_two_roundings():
    tenth = exact.round_to(FLOAT32, exact.exact(Fraction(1, 10)))
    ten, minus_one = exact.exact(10), exact.exact(-1)
    assert exact.add(FLOAT32, exact.multiply(FLOAT32, tenth, ten), minus_one) == exact.ZERO
    assert exact.fma(FLOAT32, tenth, ten, minus_one) == exact.exact(tenth.rational * 10 - 1)


def test_sum_rounds_once():
    source = random.Random(8)
    for _ in range(500):
        numbers = [math.ldexp(source.random() - 0.5, source.randint(-80, 80)) for _ in range(source.randint(1, 40))]
        numbers += [-number for number in numbers[: len(numbers) // 2]]
        total = exact.sum_once(FLOAT64, [exact.from_float(number) for number in numbers])
        assert total == exact.from_float(math.fsum(numbers) + 0.0)
    big, zero = exact.exact(FLOAT32.largest), exact.MINUS_ZERO
    assert exact.sum_once(FLOAT32, [zero, zero]) == exact.ZERO == exact.sum_once(FLOAT32, [])
    assert exact.sum_once(FLOAT32, [big, big, exact.negate(big)]) == big
    assert exact.sum_once(FLOAT32, [big, big]) == exact.INFINITY
    assert exact.sum_once(FLOAT32, [exact.MINUS_INFINITY, big]) == exact.MINUS_INFINITY
    assert exact.sum_once(FLOAT32, [exact.MINUS_INFINITY, big, exact.INFINITY]).is_nan
    assert exact.sum_once(FLOAT32, [exact.INFINITY, exact.NAN]).is_nan


def test_fma_special_values():
    assert exact.fma(FLOAT32, exact.INFINITY, exact.ZERO, exact.ZERO).is_nan
    assert exact.fma(FLOAT32, exact.INFINITY, exact.exact(1), exact.MINUS_INFINITY).is_nan
    assert exact.fma(FLOAT32, exact.exact(1), exact.MINUS_ZERO, exact.MINUS_ZERO) == exact.MINUS_ZERO
    assert exact.fma(FLOAT32, exact.exact(1), exact.exact(-1), exact.exact(1)) == exact.ZERO
    big = exact.exact(FLOAT32.largest)
    assert exact.fma(FLOAT32, big, exact.exact(2), exact.negate(big)) == big  # no overflow between the two operations


def test_nearest_integer():
    for twice in range(-41, 42):
        assert exact.nearest_integer(Fraction(twice, 2)) == round(Fraction(twice, 2))
        away = int(math.copysign(math.floor(abs(twice) / 2 + 0.5), twice))
        assert exact.nearest_integer(Fraction(twice, 2), ties="away") == away
    source = random.Random(6)
    for _ in range(2000):
        number = Fraction(source.randint(-(10**9), 10**9), source.randint(1, 10**4))
        assert exact.nearest_integer(number) == round(number)
    assert exact.round_half_even(exact.exact(Fraction(-1, 2))) == exact.MINUS_ZERO


def test_x86_conversions():
    lowest = -(1 << 31)
    for value, nearest, truncated in [
        (exact.exact(Fraction(5, 2)), 2, 2),
        (exact.exact(Fraction(-7, 2)), -4, -3),
        (exact.exact(Fraction(-1, 2)), 0, 0),
        (exact.exact(2147483520), 2147483520, 2147483520),
        (exact.exact(1 << 31), lowest, lowest),
        (exact.exact(lowest), lowest, lowest),
        (exact.exact((1 << 31) - Fraction(1, 2)), lowest, (1 << 31) - 1),
        (exact.exact(lowest - Fraction(1, 2)), lowest, lowest),
        (exact.exact(-(1 << 40)), lowest, lowest),
        (exact.INFINITY, lowest, lowest),
        (exact.NAN, lowest, lowest),
    ]:
        assert exact.x86_convert_nearest(value, 32) == nearest
        assert exact.x86_convert_truncate(value, 32) == truncated


def test_clamps_and_integers():
    one, two = exact.exact(1), exact.exact(2)
    assert exact.x86_max(exact.NAN, one) == one and exact.x86_min(exact.NAN, two) == two
    assert exact.x86_max(exact.ZERO, exact.MINUS_ZERO) == exact.MINUS_ZERO  # equal operands: the second one
    assert exact.c_fmax(exact.NAN, one) == one and exact.c_fmin(one, exact.NAN) == one
    assert exact.c_fmin(exact.c_fmax(exact.INFINITY, one), two) == two
    assert [exact.wrap(n, 8) for n in (127, 128, -129, 256)] == [127, -128, 127, 0]
    assert [exact.low_bits(n, 8, signed=False) for n in (-1, 256, 255)] == [255, 0, 255]
    assert [exact.saturate(n, -8, 7) for n in (-9, -8, 7, 8)] == [-8, -8, 7, 7]
    assert exact.saturate_value(exact.MINUS_INFINITY, 0, 255) == 0
    for v in (one, two, exact.INFINITY, exact.NAN):
        assert exact.maximum(v, exact.NAN).is_nan and exact.minimum(exact.NAN, v).is_nan
    assert exact.clamp(exact.MINUS_INFINITY, one, two) == one and exact.clamp(exact.NAN, one, two).is_nan
    assert exact.least_and_greatest([two, one, exact.INFINITY]) == (one, exact.INFINITY)
    assert all(end.is_nan for end in exact.least_and_greatest([two, exact.NAN, one]))
    assert FLOAT64.bits == 64 and FLOAT32.bits == 32 and FLOAT16.bits == 16 and BFLOAT16.bits == 16
