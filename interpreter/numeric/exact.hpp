// Exact rationals with infinities and NaN: the reading of a formula in which nothing is rounded but what it asks for.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <string>

#include "interpreter/numeric/steps.hpp"
#include "interpreter/numeric/type.hpp"

namespace qassay {

using Rational = boost::multiprecision::cpp_rational;
using BigInteger = boost::multiprecision::cpp_int;

/// An exact real number, an infinity, or NaN. Zero has no sign; a division by it gives an infinity of the dividend's
/// sign.
class Exact {
 public:
  enum class Kind : std::uint8_t { finite, positive_infinity, negative_infinity, nan };

  Exact() = default;
  Exact(Rational value) : value_(std::move(value)) {}  // NOLINT: numbers convert
  Exact(int value) : value_(value) {}                  // NOLINT: numbers convert
  explicit Exact(std::int64_t value) : value_(value) {}
  explicit Exact(double value);
  explicit Exact(float value) : Exact(static_cast<double>(value)) {}
  static Exact of_kind(Kind kind);

  Kind kind() const { return kind_; }
  bool is_finite() const { return kind_ == Kind::finite; }
  /// The value; meaningful where is_finite().
  const Rational& value() const { return value_; }

  /// -1, 0 or 1; 0 for NaN.
  int sign() const;
  friend bool operator==(const Exact&, const Exact&) = default;

 private:
  Kind kind_ = Kind::finite;
  Rational value_ = 0;
};

template <>
struct NumberTraits<Exact> {
  using Integer = Exact;
  using Single = Exact;
  using Double = Exact;
};

/// The floating value of `format` nearest to `exact`, ties to even, overflow to infinity; as a double, which holds
/// every value of every format. A zero keeps no sign.
double round_to(Type format, const Exact& exact);

/// The integer nearest to a rational, ties to even; the largest integer not above it.
BigInteger nearest_integer(const Rational& value);
BigInteger floor_integer(const Rational& value);

/// Readable and exact: "3/8", "-5", "inf". Long fractions are given as about 20 digits with "~" in front.
std::string to_text(const Exact& exact);

/// Order with NaN below everything.
bool is_less(const Exact& a, const Exact& b);

Exact divide(const Exact& a, const Exact& b);
Exact multiply(const Exact& a, const Exact& b);
Exact add(const Exact& a, const Exact& b);
Exact subtract(const Exact& a, const Exact& b);
Exact fused_multiply_add(const Exact& a, const Exact& b, const Exact& c);
Exact round_half_even(const Exact& a);
Exact at_least_or_bound_if_nan(const Exact& a, const Exact& bound);
Exact at_most_or_bound_if_nan(const Exact& a, const Exact& bound);
Exact at_least_keeping_nan(const Exact& a, const Exact& bound);
Exact at_most_keeping_nan(const Exact& a, const Exact& bound);
/// Limited to the range; NaN gives the lowest code.
Exact saturate(const Exact& integral, CodeRange range);
bool is_between(const Exact& a, const Exact& low, const Exact& high);

// The ideal integer has no width: what does not fit a machine integer stays what it is, and is limited by a later step.
// NaN becomes what the machine gives, the lowest integer.
inline Exact to_binary32(const Exact& a) {
  return a;
}
inline Exact to_binary64(const Exact& a) {
  return a;
}
Exact truncate_to_int32(const Exact& a);
Exact truncate_to_int64(const Exact& a);
inline Exact to_integer(const Exact& a) {
  return a;
}
inline Exact add_exact(const Exact& a, const Exact& b) {
  return add(a, b);
}
inline Exact subtract_exact(const Exact& a, const Exact& b) {
  return subtract(a, b);
}
inline Exact add_wrapping(const Exact& a, const Exact& b) {
  return add(a, b);
}
inline Exact subtract_wrapping(const Exact& a, const Exact& b) {
  return subtract(a, b);
}
inline Exact wrap(const Exact& a, CodeRange /*range*/) {
  return a;
}
inline Exact in_format_of(const Exact& /*like*/, const Exact& a) {
  return a;
}
inline Exact take(const Exact& a) {
  return a;
}
inline Exact flush_subnormal(const Exact& a) {
  return a;
}
/// The rounding that the formula asks for.
Exact round_to_significant(const Exact& a, int precision, int lowest_exponent);
inline Exact from_integer(const Exact& n, const Exact& /*like*/) {
  return n;
}
inline Exact integer_to_binary32(const Exact& n) {
  return n;
}
inline Exact integer_to_binary64(const Exact& n) {
  return n;
}
inline Exact reciprocal(const Exact& a) {
  return divide(Exact(1), a);
}
inline Exact constant(int n, const Exact& /*like*/) {
  return Exact(n);
}
inline Exact constant(double value, const Exact& /*like*/) {
  return Exact(value);
}
inline Exact negate(const Exact& a) {
  return subtract(Exact(0), a);
}
inline Exact absolute(const Exact& a) {
  return a.sign() < 0 ? negate(a) : a;
}
inline Exact low_bits_to_int32(const Exact& integral) {
  return integral;
}
inline bool is_below(const Exact& a, const Exact& b) {
  return !(a.kind() == Exact::Kind::nan) && !(b.kind() == Exact::Kind::nan) && is_less(a, b);
}
inline bool is_negative(const Exact& a) {
  return a.sign() < 0;
}
inline bool is_infinite(const Exact& a) {
  return a.kind() == Exact::Kind::positive_infinity || a.kind() == Exact::Kind::negative_infinity;
}
inline bool is_equal(const Exact& a, const Exact& b) {
  return !(a.kind() == Exact::Kind::nan) && a == b;
}
inline bool is_nan(const Exact& a) {
  return a.kind() == Exact::Kind::nan;
}
inline bool is_finite_and_positive(const Exact& a) {
  return a.is_finite() && a.sign() > 0;
}

}  // namespace qassay
