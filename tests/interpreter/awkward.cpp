#include "interpreter/awkward.hpp"

#include <bit>
#include <cmath>
#include <map>

#include "interpreter/tensor.hpp"

namespace qassay::tests {
namespace {

std::vector<std::uint64_t> make_special_bits(Type floating) {
  const int precision = row(floating).precision;
  const double smallest = std::ldexp(1.0, lowest_exponent(floating) - precision + 1);
  const double smallest_normal = std::ldexp(1.0, lowest_exponent(floating));
  const double largest = std::ldexp(2.0 - std::ldexp(1.0, 1 - precision), highest_exponent(floating));
  std::vector<double> values{0, smallest, smallest_normal, largest, INFINITY, NAN, 255.0 / 7, 1.0 / 3, 0.1};
  for (int n = 1; n <= 9; ++n) values.push_back(n / 2.0);
  for (const int exponent : {-31, -14, -7, 7, 8, 11, 15, 16, 23, 24, 31, 32, 52, 53, 63, 64}) {
    for (const double offset : {-0.5, 0.0, 0.5}) values.push_back(std::ldexp(1.0, exponent) + offset);
  }
  std::vector<std::uint64_t> bits;
  for (const double value : values) {
    bits.push_back(encode(floating, value));
    if (value == value) bits.push_back(encode(floating, -value));
  }
  return bits;
}

}  // namespace

std::vector<std::uint64_t> special_bits(Type floating) {
  return make_special_bits(floating);
}

std::uint64_t awkward_bits(Type floating, Dice& dice) {
  static const auto specials = [] {
    std::map<Type, std::vector<std::uint64_t>> by_type;
    for (const TypeRow& type : type_rows()) {
      if (is_floating(type.type)) by_type.emplace(type.type, make_special_bits(type.type));
    }
    return by_type;
  }();
  const int width = row(floating).bits;
  const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  switch (dice.below(8)) {
    case 0: return dice.one_of(specials.at(floating));
    case 1: return (dice.one_of(specials.at(floating)) + dice.below(7) - 3) & mask;
    case 2: {  // not too far from 1
      const double fraction = 1.0 + static_cast<double>(dice.bits() >> 12U) * 0x1p-52;
      const double value = std::ldexp(fraction, static_cast<int>(dice.between(-12, 12)));
      return encode(floating, dice.chance(2) ? -value : value);
    }
    case 3: {  // subnormal
      const std::uint64_t fraction = dice.bits() & ((std::uint64_t{1} << (row(floating).precision - 1)) - 1);
      return dice.chance(2) ? fraction : fraction | (std::uint64_t{1} << (width - 1));
    }
    default: return dice.bits() & mask;
  }
}

double awkward_real(Type floating, Dice& dice) {
  return decode(floating, awkward_bits(floating, dice));
}

std::int64_t awkward_integer(Type integer, Dice& dice) {
  const std::int64_t low = lowest(integer);
  const std::int64_t high = highest(integer);
  switch (dice.below(4)) {
    case 0: return dice.chance(2) ? low : high;
    case 1: return std::min(high, std::max(low, dice.between(-3, 3)));
    default: return dice.between(low, high);
  }
}

bool same(double a, double b) {
  return (a != a && b != b) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

}  // namespace qassay::tests
