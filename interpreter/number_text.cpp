// Numbers as text, both ways, exactly.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "interpreter/arguments.hpp"
#include "interpreter/float_environment.hpp"
#include "interpreter/numeric/exact.hpp"

namespace qassay {
namespace {

[[noreturn]] void refuse(std::string_view text, Type type, std::string_view why) {
  throw RequestError(
      ErrorKind::bad_value,
      fmt::format("'{}' is no {}: {}. Write a decimal, a C hex float such as 0x1.8p-3, bits:0x…, nan, inf, -inf or -0",
                  text, name(type), why));
}

/// Splits "1.5e-3" or "0x1.8p-3" (no sign) into an exact value.
Rational unsigned_value(std::string_view digits, std::string_view text, Type type) {
  const bool is_hex = digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
  if (is_hex) digits.remove_prefix(2);
  const unsigned base = is_hex ? 16 : 10;
  const std::size_t mark = digits.find_first_of(is_hex ? "pP" : "eE");
  std::string_view significand = digits.substr(0, mark);
  int exponent = 0;
  if (mark != std::string_view::npos) {
    std::string_view exponent_text = digits.substr(mark + 1);
    if (exponent_text.starts_with('+') && !exponent_text.starts_with("+-")) exponent_text.remove_prefix(1);
    const auto [end, error] =
        std::from_chars(exponent_text.data(), exponent_text.data() + exponent_text.size(), exponent);
    if (error != std::errc{} || end != exponent_text.data() + exponent_text.size() || exponent_text.empty())
      refuse(text, type, "its exponent is no integer");
    if (std::abs(exponent) > 20000) refuse(text, type, "its exponent is beyond ±20000");
  }
  BigInteger value = 0;
  int places = 0;
  bool seen_point = false;
  std::size_t digit_count = 0;
  for (const char c : significand) {
    if (c == '.' && !seen_point) {
      seen_point = true;
      continue;
    }
    unsigned digit = base;
    if (c >= '0' && c <= '9') digit = static_cast<unsigned>(c - '0');
    else if (c >= 'a' && c <= 'f') digit = static_cast<unsigned>(c - 'a') + 10;
    else if (c >= 'A' && c <= 'F') digit = static_cast<unsigned>(c - 'A') + 10;
    if (digit >= base) refuse(text, type, fmt::format("'{}' is no digit", c));
    value = value * base + digit;
    ++digit_count;
    if (seen_point) ++places;
  }
  if (digit_count == 0) refuse(text, type, "it has no digits");
  if (digit_count > 2000) refuse(text, type, "it has more than 2000 digits");
  const auto power = [](unsigned b, int e) {
    const BigInteger magnitude = pow(BigInteger(b), static_cast<unsigned>(std::abs(e)));
    return e >= 0 ? Rational(magnitude) : Rational(BigInteger(1), magnitude);
  };
  return is_hex ? Rational(value) * power(2, exponent - 4 * places) : Rational(value) * power(10, exponent - places);
}

std::uint64_t parse_bits(std::string_view digits, std::string_view text, Type type) {
  if (digits.starts_with("0x")) digits.remove_prefix(2);
  std::uint64_t bits = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
  if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size())
    refuse(text, type, "bits are hexadecimal digits");
  const int width = 8 * row(type).storage_bytes;
  if (width < 64 && (bits >> static_cast<unsigned>(width)) != 0)
    refuse(text, type, fmt::format("it has more than {} bits", width));
  if (type == Type::boolean && bits > 1) refuse(text, type, "it is neither true nor false");
  if (is_integer(type)) {
    Tensor holder(type, {});
    holder.set_bits(0, bits);
    if (!code_range(type).contains(holder.integer(0)))
      refuse(text, type, fmt::format("{} is not in [{}, {}]", holder.integer(0), lowest(type), highest(type)));
  }
  return bits;
}

}  // namespace

std::uint64_t parse_number(std::string_view text, Type type) {
  const DefaultFloatEnvironment environment;
  if (text.starts_with("bits:")) return parse_bits(text.substr(5), text, type);
  if (type == Type::boolean) {
    if (text == "true" || text == "1") return 1;
    if (text == "false" || text == "0") return 0;
    refuse(text, type, "it is neither true nor false");
  }
  std::string_view magnitude = text;
  const bool is_negative = magnitude.starts_with('-');
  if (is_negative || magnitude.starts_with('+')) magnitude.remove_prefix(1);
  if (is_floating(type)) {
    if (magnitude == "nan") return encode(type, NAN);
    const double sign = is_negative ? -1.0 : 1.0;
    if (magnitude == "inf" || magnitude == "infinity") return encode(type, sign * INFINITY);
    return encode(type, sign * round_to(type, unsigned_value(magnitude, text, type)));
  }
  Rational value = unsigned_value(magnitude, text, type);
  if (denominator(value) != 1) refuse(text, type, "it is not whole");
  if (is_negative) value = -value;
  if (value < lowest(type) || value > highest(type))
    refuse(text, type, fmt::format("it is not in [{}, {}]", lowest(type), highest(type)));
  Tensor holder(type, {});
  holder.set_integer(0, static_cast<std::int64_t>(numerator(value)));
  return holder.bits(0);
}

std::string number_text(Type type, std::uint64_t bits) {
  const DefaultFloatEnvironment environment;
  if (!is_floating(type)) {
    Tensor holder(type, {});
    holder.set_bits(0, bits);
    return type == Type::boolean ? (bits != 0 ? "true" : "false") : std::to_string(holder.integer(0));
  }
  const double value = decode(type, bits);
  if (std::isnan(value))
    return bits == encode(type, NAN) ? "nan" : fmt::format("bits:{:#0{}x}", bits, 2 + 2 * row(type).storage_bytes);
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value == 0) return std::signbit(value) ? "-0" : "0";
  int exponent = 0;
  double fraction = std::frexp(std::abs(value), &exponent);  // in [0.5, 1)
  auto significand = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  std::string hex = fmt::format("{:013x}", significand & 0xfffffffffffffU);
  hex.erase(hex.find_last_not_of('0') + 1);
  return fmt::format("{}0x1{}{}p{:+}", value < 0 ? "-" : "", hex.empty() ? "" : ".", hex, exponent - 1);
}

std::string decimal_text(Type type, std::uint64_t bits) {
  const DefaultFloatEnvironment environment;
  if (!is_floating(type)) return number_text(type, bits);
  const double value = decode(type, bits);
  if (std::isnan(value)) return "nan";
  if (type == Type::float64) return fmt::format("{}", value);
  if (type == Type::float32) return fmt::format("{}", static_cast<float>(value));
  if (value == std::trunc(value) && std::abs(value) < 1e7) return fmt::format("{}", value);
  // The shortest decimal that rounds to the same 16-bit value.
  for (int digits = 1; digits < 9; ++digits) {
    const std::string shorter = fmt::format("{:.{}g}", value, digits);
    double parsed = 0;
    std::from_chars(shorter.data(), shorter.data() + shorter.size(), parsed);
    if (encode(type, parsed) == bits) return fmt::format("{}", parsed);
  }
  return fmt::format("{}", value);
}

}  // namespace qassay
