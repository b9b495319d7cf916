#include "tools/diagnosis/simplicity.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "tools/cases.hpp"
#include "tools/generators.hpp"

namespace qassay {
namespace {

constexpr std::size_t kSteps = 600;

std::int64_t integer_of(Type type, std::uint64_t bits) {
  Tensor one(type, {});
  one.set_bits(0, bits);
  return one.integer(0);
}

std::uint64_t bits_of(Type type, std::int64_t value) {
  Tensor one(type, {});
  one.set_integer(0, value);
  return one.bits(0);
}

/// The significand as an odd integer's width: 0 for zero, 1 for powers of two.
int significant_bits(double value) {
  if (value == 0) return 0;
  int exponent = 0;
  const auto significand = static_cast<std::uint64_t>(std::ldexp(std::frexp(std::abs(value), &exponent), 53));
  return 53 - std::countr_zero(significand);
}

/// The value with `kept` significant bits, rounded towards zero, and the next one.
std::array<double, 2> cut_short(double value, int kept) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  const double cut = std::trunc(std::ldexp(fraction, kept));
  return {std::ldexp(cut, exponent - kept), std::ldexp(cut + std::copysign(1, value), exponent - kept)};
}

void add_real(Type type, double value, std::vector<std::uint64_t>& values) {
  if (std::isfinite(value)) values.push_back(encode(type, value));
}

std::vector<std::uint64_t> reals_near(Type type, double value) {
  std::vector<std::uint64_t> near{encode(type, 0)};
  if (std::isnan(value)) return near;
  if (std::isinf(value)) value = std::copysign(1, value);
  const int exponent = value == 0 ? 0 : std::ilogb(value);
  const double normalised = value == 0 ? 1 : std::ldexp(value, -exponent);
  constexpr int kMostOfFew = 63;
  for (int odd = 1; odd <= kMostOfFew; odd += 2)
    add_real(type, std::copysign(std::ldexp(odd, -std::ilogb(odd)), value), near);
  for (int kept = 1; kept < row(type).precision; kept += kept < 24 ? 1 : 6) {
    for (const double cut : cut_short(normalised, kept)) {
      add_real(type, cut, near);
      if (kept <= 4) add_real(type, std::ldexp(cut, exponent), near);
    }
  }
  for (const int moved : {0, exponent / 2, exponent * 3 / 4, exponent * 7 / 8, exponent * 15 / 16,
                          exponent > 0 ? exponent - 1 : exponent + 1}) {
    add_real(type, std::ldexp(normalised, moved), near);
    add_real(type, std::copysign(std::ldexp(1, moved), value), near);
  }
  return near;
}

std::vector<std::uint64_t> integers_near(Type type, std::int64_t value) {
  std::vector<std::uint64_t> near;
  for (const std::int64_t other :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{2}, std::int64_t{-2}, std::int64_t{3},
        std::int64_t{-3}, std::int64_t{7}, std::int64_t{-8}, std::int64_t{15}, std::int64_t{100}, std::int64_t{127},
        std::int64_t{-128}, std::int64_t{255}, value / 2, value * 3 / 4, value - (value > 0 ? 1 : -1)}) {
    if (code_range(type).contains(other)) near.push_back(bits_of(type, other));
  }
  return near;
}

/// ±m * 2^e of few bits.
void add_dyadics(Type type, std::vector<std::uint64_t>& values) {
  for (int odd = 1; odd <= 31; odd += 2) {
    for (int exponent = -10; exponent <= 10; ++exponent) {
      for (const int sign : {1, -1}) add_real(type, std::ldexp(sign * odd, exponent), values);
    }
  }
}

void add_small_integers(Type type, std::vector<std::uint64_t>& values) {
  for (std::int64_t value = -300; value <= 300; ++value) {
    if (code_range(type).contains(value)) values.push_back(bits_of(type, value));
  }
}

}  // namespace

Simplicity simplicity(Type type, std::uint64_t bits) {
  if (!is_floating(type)) {
    const std::int64_t value = type == Type::boolean ? static_cast<std::int64_t>(bits) : integer_of(type, bits);
    return {0, 0, std::abs(value), value < 0, bits};
  }
  const double value = decode(type, bits);
  const bool is_negative = std::signbit(value);
  if (!std::isfinite(value)) return {std::isnan(value) ? 2 : 1, 0, 0, is_negative, bits};
  return {0, significant_bits(value), value == 0 ? 0 : std::abs(std::ilogb(value)), is_negative, bits};
}

void sort_by_simplicity(Type type, std::vector<std::uint64_t>& values) {
  std::ranges::sort(values, {}, [type](std::uint64_t bits) { return simplicity(type, bits); });
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

std::vector<std::uint64_t> simpler_numbers(Type type, std::uint64_t bits) {
  std::vector<std::uint64_t> simpler =
      is_floating(type) ? reals_near(type, decode(type, bits)) : integers_near(type, integer_of(type, bits));
  const Simplicity own = simplicity(type, bits);
  std::erase_if(simpler, [&](std::uint64_t other) { return simplicity(type, other) >= own; });
  sort_by_simplicity(type, simpler);
  return simpler;
}

std::vector<std::uint64_t> elements_to_try(const Formula& formula, const Settings& settings, Type type,
                                           std::uint64_t current) {
  std::vector<std::uint64_t> values{current};
  if (row(type).bits <= 8) {
    for (std::int64_t order = lowest_order(type); order <= highest_order(type); ++order)
      values.push_back(bits_at(type, order));
  } else {
    try {
      const Tensor steps = boundary_inputs(formula, settings, type, kSteps, 1);
      for (std::size_t i = 0; i < steps.size(); ++i) values.push_back(steps.bits(i));
    } catch (const RequestError&) {  // a formula that has no steps
    }
    for (const SpecialValue& special : special_values(type)) values.push_back(special.bits);
    if (is_floating(type)) add_dyadics(type, values);
    else add_small_integers(type, values);
  }
  if (is_floating(type) && std::isfinite(decode(type, current))) {
    for (int kept = 1; kept < row(type).precision; ++kept) {
      for (const double cut : cut_short(decode(type, current), kept)) add_real(type, cut, values);
    }
  }
  sort_by_simplicity(type, values);
  return values;
}

}  // namespace qassay
