// A number as it is stored, and exact numbers for people to read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "interpreter/numeric/exact.hpp"
#include "interpreter/tensor.hpp"

namespace qassay {

/// A number as it is stored.
struct StoredNumber {
  Type type = Type::float32;
  std::uint64_t bits = 0;

  friend bool operator==(const StoredNumber&, const StoredNumber&) = default;
};

double value_of(const StoredNumber& number);
/// An element, or the only one.
StoredNumber stored(const Tensor& tensor, std::size_t index);

/// The distance from a value to the next of its format.
Rational ulp_of(double value, Type format);
/// The difference of two numbers; nothing where one is not finite.
std::optional<Rational> difference(const Exact& a, const Exact& b);

/// A few significant digits of an exact number, never so few that it looks like a tie or an integer that it is not.
std::string few_digits(const Rational& value);
/// A short decimal where there is an exact one, else the fraction, with an approximation behind it.
std::string readable(const Exact& exact);
/// The shortest decimal that identifies the number in its type; whole numbers below 10^15 with all digits.
std::string decimal(const StoredNumber& number);
/// "0x" and the bits, as wide as the storage.
std::string bits_text(const StoredNumber& number);

}  // namespace qassay
