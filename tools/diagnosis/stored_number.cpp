#include "tools/diagnosis/stored_number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "interpreter/arguments.hpp"

namespace qassay {

double value_of(const StoredNumber& number) {
  Tensor holder(number.type, {});
  holder.set_bits(0, number.bits);
  return holder.real(0);
}

StoredNumber stored(const Tensor& tensor, std::size_t index) {
  return {tensor.type(), tensor.bits(tensor.size() == 1 ? 0 : index)};
}

Rational ulp_of(double value, Type format) {
  const int exponent = value == 0 ? lowest_exponent(format) : std::max(std::ilogb(value), lowest_exponent(format));
  return Rational(std::ldexp(1.0, exponent - row(format).precision + 1));
}

std::optional<Rational> difference(const Exact& a, const Exact& b) {
  if (!a.is_finite() || !b.is_finite()) return std::nullopt;
  return Rational(a.value() - b.value());
}

std::string decimal(const StoredNumber& number) {
  constexpr double kMostDigits = 1e15;
  const double value = is_floating(number.type) ? decode(number.type, number.bits) : 0.5;
  const bool is_whole = std::trunc(value) == value && std::abs(value) < kMostDigits;
  return is_whole ? fmt::format("{:.0f}", value) : decimal_text(number.type, number.bits);
}

std::string few_digits(const Rational& value) {
  const auto nearest = value.convert_to<double>();
  for (int digits = 3; digits <= 17; ++digits) {
    std::string text = fmt::format("{:.{}g}", nearest, digits);
    double parsed = 0;
    std::from_chars(text.data(), text.data() + text.size(), parsed);
    const Rational said(parsed);
    const bool is_half_integer = denominator(Rational(said * 2)) == 1;
    if (said == value || !is_half_integer) return text;
  }
  return fmt::format("~{:.17g}", nearest);
}

std::string readable(const Exact& exact) {
  constexpr std::size_t kShort = 20;
  if (!exact.is_finite()) return to_text(exact);
  const Rational& value = exact.value();
  // A dyadic fraction has as many decimals as its denominator has twos.
  const BigInteger denominator_of_value = denominator(value);
  const unsigned twos = lsb(denominator_of_value);
  if (twos < kShort && denominator_of_value == BigInteger(1) << twos) {
    std::string digits = numerator(Rational(abs(value) * Rational(pow(BigInteger(10), twos)))).str();
    if (digits.size() <= twos) digits.insert(0, twos + 1 - digits.size(), '0');
    if (twos > 0) digits.insert(digits.size() - twos, ".");
    if (digits.size() <= kShort) return (value < 0 ? "-" : "") + digits;
  }
  const std::string text = to_text(exact);
  return text.find('/') == std::string::npos ? text : fmt::format("{} ~{:.12g}", text, value.convert_to<double>());
}

std::string bits_text(const StoredNumber& number) {
  return fmt::format("0x{:0{}x}", number.bits, 2 * row(number.type).storage_bytes);
}

}  // namespace qassay
