#include "interpreter/numeric/exact.hpp"

#include <cmath>

namespace qassay {
namespace {

Rational power_of_two(int exponent) {
  return exponent >= 0 ? Rational(BigInteger(1) << exponent) : Rational(1, BigInteger(1) << -exponent);
}

/// The e with 2^e <= value < 2^(e+1), for a positive value.
int exponent_of(const Rational& value) {
  const auto top = static_cast<int>(msb(numerator(value))) - static_cast<int>(msb(denominator(value)));
  return value < power_of_two(top) ? top - 1 : top;
}

Exact infinity_of_sign(int sign) {
  if (sign == 0) return Exact::of_kind(Exact::Kind::nan);
  return Exact::of_kind(sign > 0 ? Exact::Kind::positive_infinity : Exact::Kind::negative_infinity);
}

}  // namespace

Exact::Exact(double value) {
  if (std::isnan(value)) kind_ = Kind::nan;
  else if (std::isinf(value)) kind_ = value > 0 ? Kind::positive_infinity : Kind::negative_infinity;
  else value_ = Rational(value);
}

Exact Exact::of_kind(Kind kind) {
  Exact result;
  result.kind_ = kind;
  return result;
}

int Exact::sign() const {
  switch (kind_) {
    case Kind::positive_infinity: return 1;
    case Kind::negative_infinity: return -1;
    case Kind::nan: return 0;
    case Kind::finite: break;
  }
  return value_.sign();
}

BigInteger floor_integer(const Rational& value) {
  BigInteger quotient;
  BigInteger remainder;
  divide_qr(BigInteger(numerator(value)), BigInteger(denominator(value)), quotient, remainder);
  return remainder.sign() < 0 ? BigInteger(quotient - 1) : quotient;
}

BigInteger nearest_integer(const Rational& value) {
  const BigInteger below = floor_integer(value);
  const Rational distance = value - below;
  const Rational half(1, 2);
  if (distance < half) return below;
  if (distance > half) return below + 1;
  return bit_test(BigInteger(abs(below)), 0) ? BigInteger(below + 1) : below;
}

double round_to(Type format, const Exact& exact) {
  if (!exact.is_finite()) {
    return is_nan(exact) ? std::numeric_limits<double>::quiet_NaN()
                         : exact.sign() * std::numeric_limits<double>::infinity();
  }
  if (exact.sign() == 0) return 0.0;
  const Rational magnitude = abs(exact.value());
  const int quantum = std::max(exponent_of(magnitude), lowest_exponent(format)) - row(format).precision + 1;
  const BigInteger significand = nearest_integer(magnitude / power_of_two(quantum));
  const Rational rounded = Rational(significand) * power_of_two(quantum);
  if (rounded >= power_of_two(highest_exponent(format) + 1))
    return exact.sign() * std::numeric_limits<double>::infinity();
  return exact.sign() * std::ldexp(static_cast<double>(significand), quantum);
}

Exact round_to_significant(const Exact& a, int precision, int lowest_exponent) {
  if (!a.is_finite() || a.sign() == 0) return a;
  const int quantum = std::max(exponent_of(abs(a.value())), lowest_exponent) - precision + 1;
  return Exact(Rational(nearest_integer(a.value() / power_of_two(quantum))) * power_of_two(quantum));
}

std::string to_text(const Exact& exact) {
  switch (exact.kind()) {
    case Exact::Kind::nan: return "nan";
    case Exact::Kind::positive_infinity: return "inf";
    case Exact::Kind::negative_infinity: return "-inf";
    case Exact::Kind::finite: break;
  }
  const std::string fraction = exact.value().str();
  if (fraction.size() <= 24) return fraction;
  int decimal_exponent = 0;
  Rational scaled = abs(exact.value());
  while (scaled >= 10) {
    scaled /= 10;
    ++decimal_exponent;
  }
  while (scaled < 1) {
    scaled *= 10;
    --decimal_exponent;
  }
  const std::string digits = floor_integer(Rational(scaled * Rational(BigInteger(pow(BigInteger(10), 19))))).str();
  std::string text = exact.sign() < 0 ? "~-" : "~";
  if (decimal_exponent >= 0 && decimal_exponent < 15) {
    const auto point = static_cast<std::size_t>(decimal_exponent) + 1;
    return text + digits.substr(0, point) + "." + digits.substr(point);
  }
  if (decimal_exponent < 0 && decimal_exponent > -6) {
    return text + "0." + std::string(static_cast<std::size_t>(-decimal_exponent) - 1, '0') + digits;
  }
  return text + digits.substr(0, 1) + "." + digits.substr(1) + "e" + std::to_string(decimal_exponent);
}

bool is_less(const Exact& a, const Exact& b) {
  const auto rank = [](const Exact& e) {
    switch (e.kind()) {
      case Exact::Kind::nan: return 0;
      case Exact::Kind::negative_infinity: return 1;
      case Exact::Kind::finite: return 2;
      case Exact::Kind::positive_infinity: return 3;
    }
    return 0;
  };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  return a.is_finite() && a.value() < b.value();
}

Exact divide(const Exact& a, const Exact& b) {
  if (is_nan(a) || is_nan(b)) return Exact::of_kind(Exact::Kind::nan);
  if (!a.is_finite())
    return b.is_finite() ? infinity_of_sign(b.sign() < 0 ? -a.sign() : a.sign()) : Exact::of_kind(Exact::Kind::nan);
  if (!b.is_finite()) return Exact(0);
  if (b.sign() == 0) return infinity_of_sign(a.sign());
  return Rational(a.value() / b.value());
}

Exact multiply(const Exact& a, const Exact& b) {
  if (is_nan(a) || is_nan(b)) return Exact::of_kind(Exact::Kind::nan);
  if (!a.is_finite() || !b.is_finite()) return infinity_of_sign(a.sign() * b.sign());
  return Rational(a.value() * b.value());
}

Exact add(const Exact& a, const Exact& b) {
  if (is_nan(a) || is_nan(b)) return Exact::of_kind(Exact::Kind::nan);
  if (a.is_finite() && b.is_finite()) return Rational(a.value() + b.value());
  if (!a.is_finite() && !b.is_finite()) return a.sign() == b.sign() ? a : Exact::of_kind(Exact::Kind::nan);
  return a.is_finite() ? b : a;
}

Exact subtract(const Exact& a, const Exact& b) {
  return add(a, multiply(b, Exact(-1)));
}

Exact fused_multiply_add(const Exact& a, const Exact& b, const Exact& c) {
  return add(multiply(a, b), c);
}

Exact round_half_even(const Exact& a) {
  return a.is_finite() ? Exact(Rational(nearest_integer(a.value()))) : a;
}

// As the compiled bounds, where every comparison with NaN is false.
Exact at_least_or_bound_if_nan(const Exact& a, const Exact& bound) {
  return is_nan(a) || is_nan(bound) || is_less(a, bound) ? bound : a;
}
Exact at_most_or_bound_if_nan(const Exact& a, const Exact& bound) {
  return is_nan(a) || is_nan(bound) || is_less(bound, a) ? bound : a;
}
Exact at_least_keeping_nan(const Exact& a, const Exact& bound) {
  return !is_nan(a) && !is_nan(bound) && is_less(a, bound) ? bound : a;
}
Exact at_most_keeping_nan(const Exact& a, const Exact& bound) {
  return !is_nan(a) && !is_nan(bound) && is_less(bound, a) ? bound : a;
}

Exact saturate(const Exact& integral, CodeRange range) {
  return at_most_or_bound_if_nan(at_least_or_bound_if_nan(integral, Exact(range.lowest)), Exact(range.highest));
}

bool is_between(const Exact& a, const Exact& low, const Exact& high) {
  return !is_nan(a) && !is_less(a, low) && !is_less(high, a);
}

Exact truncate_to_int32(const Exact& a) {
  return is_nan(a) ? Exact(std::int64_t{std::numeric_limits<std::int32_t>::min()}) : a;
}
Exact truncate_to_int64(const Exact& a) {
  return is_nan(a) ? Exact(std::numeric_limits<std::int64_t>::min()) : a;
}

}  // namespace qassay
