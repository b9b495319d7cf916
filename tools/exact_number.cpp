#include "tools/exact_number.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

#include "interpreter/arguments.hpp"
#include "interpreter/numeric/exact.hpp"

namespace qassay {
namespace {

std::string_view without_sign(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return text;
}

bool are_digits(std::string_view text, std::string_view digits) {
  return !text.empty() && text.find_first_not_of(digits) == std::string_view::npos;
}

constexpr std::string_view kDecimal = "0123456789";
constexpr std::string_view kHexadecimal = "0123456789abcdefABCDEF";

/// The value of a hex float or an integer, which must be written exactly.
Rational value_of(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  std::string_view magnitude = without_sign(text);
  const bool is_hex = magnitude.starts_with("0x");
  if (is_hex) magnitude.remove_prefix(2);
  const std::size_t mark = is_hex ? magnitude.find('p') : std::string_view::npos;
  int exponent = 0;
  if (mark != std::string_view::npos) {
    std::string_view digits = magnitude.substr(mark + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    magnitude = magnitude.substr(0, mark);
  }
  BigInteger significand = 0;
  bool seen_point = false;
  for (const char& c : magnitude) {
    if (c == '.') {
      seen_point = true;
      continue;
    }
    unsigned digit = 0;
    std::from_chars(&c, &c + 1, digit, 16);
    significand = significand * (is_hex ? 16 : 10) + digit;
    if (seen_point) exponent -= 4;
  }
  const BigInteger power = pow(BigInteger(2), static_cast<unsigned>(std::abs(exponent)));
  const Rational value = exponent >= 0 ? Rational(significand * power) : Rational(significand, power);
  return is_negative ? -value : value;
}

bool is_number(std::string_view text) {
  return text != "-0" && !text.starts_with("bits:") && text != "nan" && !text.ends_with("inf");
}

}  // namespace

bool is_written_exactly(std::string_view text) {
  if (text == "nan" || text == "inf" || text == "-inf") return true;
  if (text.starts_with("bits:0x")) return are_digits(text.substr(7), kHexadecimal);
  const std::string_view magnitude = without_sign(text);
  if (!magnitude.starts_with("0x")) return are_digits(magnitude, kDecimal);
  std::string_view significand = magnitude.substr(2);
  if (const std::size_t mark = significand.find('p'); mark != std::string_view::npos) {
    std::string_view exponent = significand.substr(mark + 1);
    if (exponent.starts_with('+') || exponent.starts_with('-')) exponent.remove_prefix(1);
    if (!are_digits(exponent, kDecimal) || exponent.size() > 5) return false;
    significand = significand.substr(0, mark);
  }
  const std::size_t point = significand.find('.');
  if (point == std::string_view::npos) return are_digits(significand, kHexadecimal);
  const std::string_view whole = significand.substr(0, point);
  const std::string_view fraction = significand.substr(point + 1);
  return are_digits(whole, kHexadecimal) && are_digits(fraction, kHexadecimal);
}

bool is_value_of(std::string_view text, Type type) {
  if (!is_floating(type) || !is_number(text)) return true;
  const Exact nearest(decode(type, parse_number(text, type)));
  return nearest.is_finite() && nearest.value() == value_of(text);
}

std::uint64_t parse_exact(std::string_view text, Type type) {
  if (!is_written_exactly(text)) {
    throw RequestError(ErrorKind::bad_value,
                       fmt::format("'{}' is not written exactly; write a hex float such as \"0x1.8p-3\", "
                                   "\"bits:0x…\", \"nan\", \"inf\", \"-inf\", \"-0\" or an integer",
                                   text));
  }
  const std::uint64_t bits = parse_number(text, type);
  if (!is_value_of(text, type)) {
    throw RequestError(ErrorKind::bad_value, fmt::format("'{}' is no {} value; the nearest is {}", text, name(type),
                                                         number_text(type, bits)));
  }
  return bits;
}

}  // namespace qassay
