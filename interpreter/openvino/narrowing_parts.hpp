// How OpenVINO's kernels make narrower floats: conversions of their own, beside the usual roundings.
#pragma once

#include "interpreter/elementwise.hpp"

namespace qassay::openvino {

/// What becomes of a binary32 result before it is stored.
enum class Ending : std::uint8_t {
  as_it_is,
  flushed,  ///< a subnormal number becomes a zero of its sign: the instruction that rounds to bfloat16 does that
  cut,      ///< to bfloat16: the lower half of the bits is cut off, unless the last bit kept is 1; then it is rounded
};

QASSAY_STEP float cut_to_bfloat16(float a) {
  const auto bits = std::bit_cast<std::uint32_t>(a);
  return std::bit_cast<float>((bits + ((bits & 0x10000U) >> 1U)) & 0xffff0000U);
}
inline Exact cut_to_bfloat16(const Exact& a) {
  return a;
}
inline Traced cut_to_bfloat16(const Traced& a) {
  const float cut = cut_to_bfloat16(static_cast<float>(a.value()));
  return rounded_by_rule("cut to bfloat16, rounded where the last bit is 1", a, static_cast<double>(cut));
}

template <class Real>
QASSAY_STEP Real ended(Real y, Ending ending) {
  if (ending == Ending::flushed) return flush_subnormal(y);
  return ending == Ending::cut ? cut_to_bfloat16(y) : y;
}

/// Rounded to float16, ties to even, and on as binary32.
QASSAY_STEP float through_float16(float a) {
  return round_to_float16(a);
}
inline Exact through_float16(const Exact& a) {
  return a;
}
inline Traced through_float16(const Traced& a) {
  return to_binary32(convert(a, Type::float16));
}

/// A number as a tensor of another type holds it, on as binary32.
template <class Real>
QASSAY_STEP Real through(Real a, Type type) {
  if (type == Type::float16) return through_float16(a);
  return type == Type::bfloat16 ? cut_to_bfloat16(a) : a;
}

/// Constants of a model may be rid of subnormal values: what is smaller than the smallest normal number becomes +0.
enum class Subnormals : std::uint8_t { kept, flushed };

inline bool is_subnormal(float a) {
  return a != 0 && __builtin_fabsf(a) < std::numeric_limits<float>::min();
}
inline float or_zero(float a, Subnormals subnormals) {
  return subnormals == Subnormals::flushed && __builtin_fabsf(a) < std::numeric_limits<float>::min() ? 0.0F : a;
}
inline Exact or_zero(const Exact& a, Subnormals /*subnormals*/) {
  return a;
}
inline Traced or_zero(const Traced& a, Subnormals subnormals) {
  if (subnormals == Subnormals::kept || is_nan(a)) return a;
  const float kept = or_zero(static_cast<float>(a.value()), subnormals);
  if (kept != 0) return a;
  const Traced zero(a.format(), 0);
  return a.value() == 0 ? zero : rounded_by_rule("a subnormal constant becomes 0", a, 0);
}

/// Rounded to float16 by the reference kernel, and on as binary32. Where rounding carries a number below 2^-15 over a
/// power of two the result is twice as large.
QASSAY_STEP float through_doubling_float16(float a) {
  const auto bits = std::bit_cast<std::uint32_t>(a);
  const std::uint32_t exponent = (bits >> 23U) & 0xffU;
  const bool carries = exponent >= 101 && exponent <= 111 && (bits & 0x7fffffU) >= 0x7ff000U;
  const float doubled = std::bit_cast<float>((bits & 0xff800000U) + (2U << 23U));
  return carries ? doubled : round_to_float16(a);
}
inline Exact through_doubling_float16(const Exact& a) {
  return a;
}
inline Traced through_doubling_float16(const Traced& a) {
  const float half = through_doubling_float16(static_cast<float>(a.value()));
  return rounded_by_rule("round to float16, doubled at a carry below 2^-15", a, static_cast<double>(half));
}

/// To the nearest float8_e5m2, ties to even; what lies beyond the largest becomes that, NaN stays.
template <class Real>
QASSAY_STEP Real to_float8_e5m2(Real half) {
  const auto largest = constant(57344, half);
  auto limited = at_most_keeping_nan(at_least_keeping_nan(half, negate(largest)), largest);
  return round_to_significant(limited, 3, -14);
}

/// To the nearest float8_e4m3fn, ties to even; for finite numbers not beyond the largest.
template <class Real>
QASSAY_STEP Real to_float8_e4m3fn(Real half) {
  return round_to_significant(half, 4, -6);
}

/// As the reference kernel does on the bits of a float16: below 2^-6 rounded to 4 bits first and then cut.
template <class Real>
QASSAY_STEP Real cut_to_float8_e4m3fn(Real half) {
  const auto largest = constant(448, half);
  const auto quantum = constant(0x1p-9, half);
  const auto magnitude = absolute(half);
  if (is_nan(half) || !is_below(magnitude, largest)) return take(is_negative(half) ? negate(largest) : largest);
  if (is_below(magnitude, quantum)) return take(constant(0, half));
  auto rounded = round_to_significant(half, 4, -14);
  if (!is_below(magnitude, constant(0x1p-6, half))) return rounded;
  auto cut = truncate_to_int32(divide(rounded, quantum));
  return multiply(from_integer(cut, half), quantum);
}

}  // namespace qassay::openvino
