"""IEEE 754 arithmetic by definition, in exact rationals.

A number is a `Value`: a rational, an infinity or NaN; zero has a sign. Every operation computes the exact result first
and rounds it once, to a format that is a row of a table. Nothing here uses the machine's own floating-point arithmetic.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple


class Format(NamedTuple):
    """A binary interchange format: significant digits, exponents of the least and the greatest normal number."""

    name: str
    precision: int
    emin: int
    emax: int

    @property
    def exponent_bits(self) -> int:
        return self.emax.bit_length() + 1

    @property
    def bits(self) -> int:
        return self.precision + self.exponent_bits

    @property
    def largest(self) -> Fraction:
        return (2 - power_of_two(1 - self.precision)) * power_of_two(self.emax)

    @property
    def least_subnormal(self) -> Fraction:
        return power_of_two(self.emin - self.precision + 1)


@dataclass(frozen=True, slots=True)
class Value:
    """A finite rational, an infinity, or NaN. `negative` is the sign, also of a zero and of an infinity."""

    kind: str  # "finite", "infinite" or "nan"
    negative: bool = False
    rational: Fraction = Fraction(0)

    @property
    def is_nan(self) -> bool:
        return self.kind == "nan"

    @property
    def is_finite(self) -> bool:
        return self.kind == "finite"

    @property
    def is_infinite(self) -> bool:
        return self.kind == "infinite"

    @property
    def is_zero(self) -> bool:
        return self.kind == "finite" and not self.rational


NAN = Value("nan")
INFINITY = Value("infinite", False)
MINUS_INFINITY = Value("infinite", True)
ZERO = Value("finite", False)
MINUS_ZERO = Value("finite", True)
ONE = Value("finite", False, Fraction(1))


@functools.cache
def power_of_two(exponent: int) -> Fraction:
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


FLOAT16 = Format("float16", 11, -14, 15)
BFLOAT16 = Format("bfloat16", 8, -126, 127)
FLOAT32 = Format("float32", 24, -126, 127)
FLOAT64 = Format("float64", 53, -1022, 1023)
FORMATS = {row.name: row for row in (FLOAT16, BFLOAT16, FLOAT32, FLOAT64)}


def infinity(negative: bool) -> Value:
    return MINUS_INFINITY if negative else INFINITY


def exact(number: Fraction | int, negative_zero: bool = False) -> Value:
    """A rational or an integer as a Value. A zero is positive unless said otherwise."""
    number = Fraction(number)
    return Value("finite", number < 0 or (number == 0 and negative_zero), number)


def as_value(number: Value | int) -> Value:
    return number if isinstance(number, Value) else exact(number)


def from_float(number: float) -> Value:
    """A Python float, exactly."""
    if number != number:
        return NAN
    if number in (float("inf"), float("-inf")):
        return infinity(number < 0)
    return exact(Fraction(number), negative_zero=str(number).startswith("-"))


# ------------ rounding


def nearest_quotient(dividend: int, divisor: int, ties: str = "even") -> int:
    """The integer nearest to dividend/divisor, divisor > 0; of two equally near ones the even one, with "away" the one
    farther from zero."""
    floor, rest = divmod(dividend, divisor)
    if 2 * rest != divisor:
        return floor if 2 * rest < divisor else floor + 1
    if ties == "even":
        return floor if floor % 2 == 0 else floor + 1
    return floor if dividend < 0 else floor + 1


def nearest_integer(number: Fraction, ties: str = "even") -> int:
    return nearest_quotient(number.numerator, number.denominator, ties)


def scaled(numerator: int, denominator: int, exponent: int) -> tuple[int, int]:
    """numerator/denominator * 2**exponent, again as two integers."""
    return (numerator << exponent, denominator) if exponent >= 0 else (numerator, denominator << -exponent)


def floor_log2(numerator: int, denominator: int) -> int:
    """The integer e with 2**e <= numerator/denominator < 2**(e+1), for a positive number."""
    estimate = numerator.bit_length() - denominator.bit_length()  # e or e+1
    dividend, divisor = scaled(numerator, denominator, -estimate)
    return estimate if dividend >= divisor else estimate - 1


def round_to(form: Format, value: Value, ties: str = "even") -> Value:
    """The nearest value of the format; infinite if, with an unbounded exponent, it would be 2**(emax+1) or more."""
    if value.kind != "finite" or not value.rational:
        return value
    numerator, denominator = abs(value.rational.numerator), value.rational.denominator
    exponent = max(floor_log2(numerator, denominator), form.emin)
    last_place = exponent - form.precision + 1
    significand = nearest_quotient(*scaled(numerator, denominator, -last_place), ties)
    if significand.bit_length() + last_place > form.emax + 1:
        return infinity(value.negative)
    magnitude = Fraction(*scaled(significand, 1, last_place))
    return Value("finite", value.negative, -magnitude if value.negative else magnitude)


# ------------ bits


def decode(form: Format, bits: int) -> Value:
    fraction_bits = form.precision - 1
    negative = bool(bits >> (form.bits - 1))
    biased = (bits >> fraction_bits) & ((1 << form.exponent_bits) - 1)
    fraction = bits & ((1 << fraction_bits) - 1)
    if biased == (1 << form.exponent_bits) - 1:
        return NAN if fraction else infinity(negative)
    significand = fraction if biased == 0 else fraction + (1 << fraction_bits)
    exponent = form.emin if biased == 0 else biased - form.emax
    magnitude = Fraction(*scaled(significand, 1, exponent - fraction_bits))
    return Value("finite", negative, -magnitude if negative else magnitude)


def encode(form: Format, value: Value) -> int:
    """The bits of a value that the format holds exactly. NaN becomes the positive quiet NaN without payload."""
    fraction_bits = form.precision - 1
    sign = int(value.negative) << (form.bits - 1)
    top = (1 << form.exponent_bits) - 1
    if value.is_nan:
        return (top << fraction_bits) | (1 << (fraction_bits - 1))
    if value.is_infinite:
        return sign | (top << fraction_bits)
    if value.is_zero:
        return sign
    magnitude = abs(value.rational)
    exponent = max(floor_log2(magnitude.numerator, magnitude.denominator), form.emin)
    significand = magnitude / power_of_two(exponent - fraction_bits)
    if significand.denominator != 1 or magnitude > form.largest:
        raise ValueError(f"{form.name} does not hold {value.rational}")
    if significand < 1 << fraction_bits:
        return sign | significand.numerator
    return sign | ((exponent + form.emax) << fraction_bits) | (significand.numerator - (1 << fraction_bits))


# ------------ exact operations on extended numbers, before rounding


def negate(a: Value) -> Value:
    return NAN if a.is_nan else Value(a.kind, not a.negative, -a.rational)


def exact_product(a: Value, b: Value) -> Value:
    negative = a.negative != b.negative
    if a.is_nan or b.is_nan:
        return NAN
    if a.is_infinite or b.is_infinite:
        return NAN if a.is_zero or b.is_zero else infinity(negative)
    return Value("finite", negative, a.rational * b.rational)


def exact_quotient(a: Value, b: Value) -> Value:
    negative = a.negative != b.negative
    if a.is_nan or b.is_nan or (a.is_infinite and b.is_infinite) or (a.is_zero and b.is_zero):
        return NAN
    if a.is_infinite or b.is_zero:
        return infinity(negative)
    if b.is_infinite:
        return Value("finite", negative)
    return Value("finite", negative, a.rational / b.rational)


def exact_sum(a: Value, b: Value) -> Value:
    if a.is_nan or b.is_nan or (a.is_infinite and b.is_infinite and a.negative != b.negative):
        return NAN
    if a.is_infinite or b.is_infinite:
        return a if a.is_infinite else b
    return exact(a.rational + b.rational, negative_zero=a.is_zero and b.is_zero and a.negative and b.negative)


# ------------ one operation, one rounding


def multiply(form: Format, a: Value, b: Value) -> Value:
    return round_to(form, exact_product(a, b))


def divide(form: Format, a: Value, b: Value) -> Value:
    return round_to(form, exact_quotient(a, b))


def add(form: Format, a: Value, b: Value) -> Value:
    return round_to(form, exact_sum(a, b))


def subtract(form: Format, a: Value, b: Value) -> Value:
    return round_to(form, exact_sum(a, negate(b)))


def fma(form: Format, a: Value, b: Value, c: Value) -> Value:
    return round_to(form, exact_sum(exact_product(a, b), c))


def round_half_even(value: Value) -> Value:
    """rint: to an integer, ties to even. Infinities and NaN stay; a zero keeps the sign of the argument."""
    if not value.is_finite:
        return value
    return Value("finite", value.negative, Fraction(nearest_integer(value.rational)))


# ------------ order and the two clamps


def less(a: Value, b: Value) -> bool:
    """IEEE a < b: never true of NaN; the two zeros are equal."""
    if a.is_nan or b.is_nan:
        return False
    if a.is_infinite or b.is_infinite:
        rank_a = 0 if a.is_finite else -1 if a.negative else 1
        rank_b = 0 if b.is_finite else -1 if b.negative else 1
        return rank_a < rank_b
    return a.rational.numerator * b.rational.denominator < b.rational.numerator * a.rational.denominator


def less_equal(a: Value, b: Value) -> bool:
    return not (a.is_nan or b.is_nan) and not less(b, a)


def x86_max(v: Value, bound: Value) -> Value:
    """MAXPS: v > bound ? v : bound. A NaN v becomes the bound."""
    return v if less(bound, v) else bound


def x86_min(v: Value, bound: Value) -> Value:
    """MINPS: v < bound ? v : bound. A NaN v becomes the bound."""
    return v if less(v, bound) else bound


def c_fmax(a: Value, b: Value) -> Value:
    """C fmax: a NaN operand is ignored."""
    if a.is_nan:
        return b
    return b if less(a, b) else a


def c_fmin(a: Value, b: Value) -> Value:
    """C fmin: a NaN operand is ignored."""
    if a.is_nan:
        return b
    return b if less(b, a) else a


def maximum(a: Value, b: Value) -> Value:
    """torch.maximum: NaN if either operand is."""
    if a.is_nan or b.is_nan:
        return NAN
    return b if less(a, b) else a


def minimum(a: Value, b: Value) -> Value:
    """torch.minimum: NaN if either operand is."""
    if a.is_nan or b.is_nan:
        return NAN
    return b if less(b, a) else a


def clamp(v: Value, lowest: Value, highest: Value) -> Value:
    """torch.clamp: NaN stays NaN."""
    return minimum(maximum(v, lowest), highest)


def least_and_greatest(values: list[Value]) -> tuple[Value, Value]:
    """torch.aminmax: both are NaN if any of the values is."""
    return functools.reduce(minimum, values), functools.reduce(maximum, values)


def sum_once(form: Format, terms: list[Value]) -> Value:
    """The exact sum, rounded once. A zero sum is +0, whatever the signs of its terms."""
    if any(term.is_nan for term in terms):
        return NAN
    infinities = {term.negative for term in terms if term.is_infinite}
    if infinities:
        return NAN if len(infinities) == 2 else infinity(infinities.pop())
    return round_to(form, exact(sum(term.rational for term in terms)))


# ------------ integers

INTEGER_RANGES = {
    "int2": (-2, 1),
    "uint2": (0, 3),
    "int4": (-8, 7),
    "uint4": (0, 15),
    "int8": (-128, 127),
    "uint8": (0, 255),
    "int16": (-32768, 32767),
    "uint16": (0, 65535),
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
}
INTEGER_RANGES |= {"quint8": (0, 255), "qint8": (-128, 127), "qint32": (-(2**31), 2**31 - 1)}


def saturate(number: int, lowest: int, highest: int) -> int:
    return lowest if number < lowest else highest if number > highest else number


def saturate_value(value: Value, lowest: int, highest: int) -> int:
    """An integer-valued Value into a range; infinities saturate."""
    if value.is_infinite:
        return lowest if value.negative else highest
    if value.rational.denominator != 1:
        raise ValueError(f"{value.rational} is not an integer")
    return saturate(value.rational.numerator, lowest, highest)


def wrap(number: int, bits: int) -> int:
    """Two's complement: the signed number of that width with the same low bits."""
    low = number & ((1 << bits) - 1)
    return low - (1 << bits) if low >> (bits - 1) else low


def low_bits(number: int, bits: int, signed: bool) -> int:
    return wrap(number, bits) if signed else number & ((1 << bits) - 1)


def _x86_convert(integer: int, bits: int) -> int:
    lowest = -(1 << (bits - 1))
    return integer if lowest <= integer < -lowest else lowest


def x86_convert_nearest(value: Value, bits: int) -> int:
    """CVTSS2SI: nearest even; NaN, infinities and what does not fit give the most negative integer."""
    if not value.is_finite:
        return -(1 << (bits - 1))
    return _x86_convert(nearest_integer(value.rational), bits)


def x86_convert_truncate(value: Value, bits: int) -> int:
    """CVTTSS2SI: toward zero; NaN, infinities and what does not fit give the most negative integer."""
    if not value.is_finite:
        return -(1 << (bits - 1))
    magnitude = abs(value.rational)
    integer = magnitude.numerator // magnitude.denominator
    return _x86_convert(-integer if value.negative else integer, bits)
