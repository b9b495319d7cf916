// The vocabulary that formulas are written in. Every function is one arithmetic act: one rounding, or none.
//
// Here it is for compiled numbers: float, double, Binary16, Bfloat16 and std::int32_t. exact.hpp has it for rationals
// and traced.hpp for numbers that record what happened, so that one text has three readings.
#pragma once

#include <bit>
#include <cfloat>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "interpreter/numeric/narrow.hpp"
#include "interpreter/numeric/type.hpp"

static_assert(FLT_EVAL_METHOD == 0, "float and double expressions must be rounded to their own type");

#define QASSAY_STEP [[gnu::always_inline]] inline

namespace qassay {

/// What a kind of number uses for integers, for binary32, for binary64, and which format it has.
template <class Real>
struct NumberTraits;

template <>
struct NumberTraits<float> {
  using Integer = std::int32_t;
  using Single = float;
  using Double = double;
  static constexpr Type format = Type::float32;
};
template <>
struct NumberTraits<double> {
  using Integer = std::int32_t;
  using Single = float;
  using Double = double;
  static constexpr Type format = Type::float64;
};
template <Type type>
struct NumberTraits<Narrow<type>> {
  using Integer = std::int32_t;
  using Single = float;
  using Double = double;
  static constexpr Type format = type;
};

template <class Real>
using Integer = typename NumberTraits<Real>::Integer;
template <class Real>
using Single = typename NumberTraits<Real>::Single;
template <class Real>
using Double = typename NumberTraits<Real>::Double;

template <class T>
concept NativeFloat = std::same_as<T, float> || std::same_as<T, double>;

/// How a*b + c is computed: as one fused step with one rounding, or as a rounded product and a rounded sum.
/// Compilers choose by instruction set, so formulas name it.
enum class Contraction : std::uint8_t { fma, none };

/// A constant of the formula, in the format of `like`.
template <NativeFloat F>
QASSAY_STEP F constant(int n, F /*like*/) {
  return static_cast<F>(n);
}
/// The same for one that is no integer and that the format holds.
template <NativeFloat F>
QASSAY_STEP F constant(double value, F /*like*/) {
  return static_cast<F>(value);
}

// ---- arithmetic: the exact result rounded once to the operands' format, ties to even ----

template <NativeFloat F>
QASSAY_STEP F divide(F a, F b) {
  return a / b;
}
template <NativeFloat F>
QASSAY_STEP F multiply(F a, F b) {
  return a * b;
}
template <NativeFloat F>
QASSAY_STEP F add(F a, F b) {
  return a + b;
}
template <NativeFloat F>
QASSAY_STEP F subtract(F a, F b) {
  return a - b;
}
template <NativeFloat F>
QASSAY_STEP F fused_multiply_add(F a, F b, F c) {
  if constexpr (std::same_as<F, float>) return __builtin_fmaf(a, b, c);
  else return __builtin_fma(a, b, c);
}

template <Type f>
QASSAY_STEP Narrow<f> divide(Narrow<f> a, Narrow<f> b) {
  return Narrow<f>(a.value / b.value);
}
template <Type f>
QASSAY_STEP Narrow<f> multiply(Narrow<f> a, Narrow<f> b) {
  return Narrow<f>(a.value * b.value);
}
template <Type f>
QASSAY_STEP Narrow<f> add(Narrow<f> a, Narrow<f> b) {
  return Narrow<f>(a.value + b.value);
}
template <Type f>
QASSAY_STEP Narrow<f> subtract(Narrow<f> a, Narrow<f> b) {
  return Narrow<f>(a.value - b.value);
}

/// The quotient 1/a, rounded once.
template <NativeFloat F>
QASSAY_STEP F reciprocal(F a) {
  return F(1) / a;
}

/// The number itself, where a formula takes it in place of a result.
template <NativeFloat F>
QASSAY_STEP F take(F a) {
  return a;
}

/// Exact.
template <NativeFloat F>
QASSAY_STEP F negate(F a) {
  return -a;
}
template <NativeFloat F>
QASSAY_STEP F absolute(F a) {
  if constexpr (std::same_as<F, float>) return __builtin_fabsf(a);
  else return __builtin_fabs(a);
}

// ---- rounding to an integral value of the same format ----

template <NativeFloat F>
QASSAY_STEP F round_half_even(F a) {
  if constexpr (std::same_as<F, float>) return __builtin_rintf(a);
  else return __builtin_rint(a);
}
template <Type f>
QASSAY_STEP Narrow<f> round_half_even(Narrow<f> a) {
  return Narrow<f>(__builtin_rintf(a.value));
}

// ---- bounds; the name says what becomes of NaN ----

/// max(a, bound) in the order of x86's instruction: NaN becomes the bound. C's fmax with a number as bound is the same.
template <NativeFloat F>
QASSAY_STEP F at_least_or_bound_if_nan(F a, F bound) {
  return a > bound ? a : bound;
}
/// min(a, bound) in the order of x86's instruction: NaN becomes the bound.
template <NativeFloat F>
QASSAY_STEP F at_most_or_bound_if_nan(F a, F bound) {
  return a < bound ? a : bound;
}
/// max(a, bound); NaN stays NaN.
template <NativeFloat F>
QASSAY_STEP F at_least_keeping_nan(F a, F bound) {
  return a < bound ? bound : a;
}
/// min(a, bound); NaN stays NaN.
template <NativeFloat F>
QASSAY_STEP F at_most_keeping_nan(F a, F bound) {
  return bound < a ? bound : a;
}

// ---- conversions between formats ----

template <NativeFloat F>
QASSAY_STEP float to_binary32(F a) {
  return static_cast<float>(a);
}
template <Type f>
QASSAY_STEP float to_binary32(Narrow<f> a) {
  return a.value;
}
template <NativeFloat F>
QASSAY_STEP double to_binary64(F a) {
  return a;
}
template <Type f>
QASSAY_STEP double to_binary64(Narrow<f> a) {
  return a.value;
}

/// The value in the format of `like`, rounded once if that is narrower.
template <NativeFloat F, NativeFloat G>
QASSAY_STEP G in_format_of(G /*like*/, F a) {
  return static_cast<G>(a);
}
template <Type f>
QASSAY_STEP Narrow<f> in_format_of(Narrow<f> /*like*/, double a) {
  // To odd first, so that the second rounding sees on which side of a tie the value lies.
  const float near = static_cast<float>(a);
  const auto bits = std::bit_cast<std::uint32_t>(near);
  if (static_cast<double>(near) == a || a != a || (bits & 1U) != 0) return Narrow<f>(near);
  const bool is_below = __builtin_fabs(static_cast<double>(near)) < __builtin_fabs(a);
  return Narrow<f>(std::bit_cast<float>(is_below ? bits + 1 : bits - 1));
}

/// The number in its own format with so many significant bits, ties to even; below 2^lowest_exponent in the steps that
/// there are just above it. For finite numbers far from the ends of the format.
QASSAY_STEP float round_to_significant(float a, int precision, int lowest_exponent) {
  const auto scale = [](int exponent) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(exponent + 127) << 23U);
  };
  const float binade = std::bit_cast<float>(std::bit_cast<std::uint32_t>(a) & 0x7f800000U);
  const float least = scale(lowest_exponent);
  const float step = (binade < least ? least : binade) * scale(1 - precision);
  return __builtin_rintf(a / step) * step;
}

/// A number below the smallest normal one as a zero of its sign.
QASSAY_STEP float flush_subnormal(float a) {
  return __builtin_fabsf(a) < std::numeric_limits<float>::min() ? __builtin_copysignf(0.0F, a) : a;
}

/// The integer in the format of `like`, rounded once if it does not fit.
template <NativeFloat F>
QASSAY_STEP F from_integer(std::int32_t n, F /*like*/) {
  return static_cast<F>(n);
}
/// Through binary32, which holds every code of up to 16 bits exactly.
template <Type f>
QASSAY_STEP Narrow<f> from_integer(std::int32_t n, Narrow<f> /*like*/) {
  return Narrow<f>(static_cast<float>(n));
}
/// The integer in binary32, rounded once if it does not fit.
QASSAY_STEP float integer_to_binary32(std::int32_t n) {
  return static_cast<float>(n);
}
/// The integer in binary64, exactly.
QASSAY_STEP double integer_to_binary64(std::int32_t n) {
  return n;
}

/// Truncated to int32 as x86 does: NaN and what is out of range become INT_MIN ("integer indefinite").
template <NativeFloat F>
QASSAY_STEP std::int32_t truncate_to_int32(F a) {
  // The binary32 nearest to -2^31 - 1 is -2^31 itself.
  const bool fits = (std::same_as<F, float> ? a >= F(-2147483648.0) : a > F(-2147483649.0)) && a < F(2147483648.0);
  return fits ? static_cast<std::int32_t>(a) : std::numeric_limits<std::int32_t>::min();
}
template <Type f>
QASSAY_STEP std::int32_t truncate_to_int32(Narrow<f> a) {
  return truncate_to_int32(a.value);
}

/// Truncated to int64 as x86 does (NaN and what is out of range become INT64_MIN), as an integral binary64 value:
/// exact, because a floating value of 2^53 and more is integral already.
template <NativeFloat F>
QASSAY_STEP double truncate_to_int64(F a) {
  const bool fits = a >= F(-9223372036854775808.0) && a < F(9223372036854775808.0);
  // An integer has one zero: adding +0 makes -0 that.
  return fits ? __builtin_trunc(static_cast<double>(a)) + 0.0 : -9223372036854775808.0;
}

/// The low 32 bits of an integral value in the range of int64.
QASSAY_STEP std::int32_t low_bits_to_int32(double integral) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::int64_t>(integral)));
}

/// The integer from an integral value that is known to fit.
template <NativeFloat F>
QASSAY_STEP std::int32_t to_integer(F integral) {
  return static_cast<std::int32_t>(integral);
}

// ---- integer steps ----

/// The exact integer sum of an integral value and an integer, for `saturate`. The sum is held in binary64: exact below
/// 2^53, and beyond that far outside every code range on the right side.
template <NativeFloat F>
QASSAY_STEP double add_exact(F integral, std::int32_t n) {
  return static_cast<double>(integral) + static_cast<double>(n);
}
template <Type f>
QASSAY_STEP double add_exact(Narrow<f> integral, std::int32_t n) {
  return add_exact(integral.value, n);
}
/// The integer sum, for operands whose sum is known to fit.
QASSAY_STEP std::int32_t add_exact(std::int32_t a, std::int32_t b) {
  return a + b;
}
/// The exact integer difference, in a format that holds it.
QASSAY_STEP double subtract_exact(std::int32_t a, std::int32_t b) {
  return static_cast<double>(a) - static_cast<double>(b);
}
/// The sum modulo 2^32.
QASSAY_STEP std::int32_t add_wrapping(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}
/// The difference modulo 2^32.
QASSAY_STEP std::int32_t subtract_wrapping(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
}

/// An integral value limited to the range; NaN gives the lowest code.
template <NativeFloat F>
QASSAY_STEP std::int32_t saturate(F integral, CodeRange range) {
  const F low = static_cast<F>(range.lowest);
  const F high = static_cast<F>(range.highest);
  return static_cast<std::int32_t>(at_most_or_bound_if_nan(at_least_or_bound_if_nan(integral, low), high));
}
QASSAY_STEP std::int32_t saturate(std::int32_t n, CodeRange range) {
  const auto low = static_cast<std::int32_t>(range.lowest);
  const auto high = static_cast<std::int32_t>(range.highest);
  const std::int32_t raised = n < low ? low : n;
  return raised > high ? high : raised;
}
/// The low bits of an integer, read as a code of the range's type (a power of two wide).
QASSAY_STEP std::int32_t wrap(std::int32_t n, CodeRange range) {
  const auto mask = static_cast<std::uint32_t>(range.highest - range.lowest);
  const auto low = static_cast<std::uint32_t>(range.lowest);
  return static_cast<std::int32_t>(((static_cast<std::uint32_t>(n) - low) & mask) + low);
}

// ---- questions ----

template <NativeFloat F>
QASSAY_STEP bool is_between(F a, F low, F high) {
  return low <= a && a <= high;
}
/// a < b; false where one is NaN.
template <NativeFloat F>
QASSAY_STEP bool is_below(F a, F b) {
  return a < b;
}
template <NativeFloat F>
QASSAY_STEP bool is_equal(F a, F b) {
  return a == b;
}
template <NativeFloat F>
QASSAY_STEP bool is_nan(F a) {
  return a != a;
}
template <Type f>
QASSAY_STEP bool is_nan(Narrow<f> a) {
  return a.value != a.value;
}
/// Whether the sign bit is set, of zeros and NaN too.
QASSAY_STEP bool is_negative(float a) {
  return (std::bit_cast<std::uint32_t>(a) >> 31U) != 0;
}
template <NativeFloat F>
QASSAY_STEP bool is_infinite(F a) {
  return absolute(a) == std::numeric_limits<F>::infinity();
}
template <NativeFloat F>
QASSAY_STEP bool is_finite_and_positive(F a) {
  return a > F(0) && a <= std::numeric_limits<F>::max();
}
template <Type f>
QASSAY_STEP bool is_finite_and_positive(Narrow<f> a) {
  return is_finite_and_positive(a.value);
}

}  // namespace qassay
