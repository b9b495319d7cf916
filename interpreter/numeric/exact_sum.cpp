#include "interpreter/numeric/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace qassay {
namespace {

// Products of two binary64 subnormals have the exponent 2 * -1074; those of the largest numbers end below 2 * 971, one
// shift and one carry higher.
constexpr int kLowestExponent = -2 * 1074;
constexpr std::size_t kExponents = 2 * 1074 + 2 * 971 + 2 + 64;

}  // namespace

Dyadic dyadic(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto biased = static_cast<int>((bits >> 52U) & 0x7ffU);
  const auto fraction = static_cast<std::int64_t>(bits & 0xfffffffffffffU);
  const std::int64_t significand = biased == 0 ? fraction : fraction | (std::int64_t{1} << 52U);
  return {(bits >> 63U) != 0 ? -significand : significand, std::max(biased, 1) - 1075};
}

void ExactSum::add(Dyadic a, Dyadic b, int shift) {
  accumulate(a, b, shift, false);
}

void ExactSum::subtract(Dyadic a, Dyadic b, int shift) {
  accumulate(a, b, shift, true);
}

void ExactSum::accumulate(Dyadic a, Dyadic b, int shift, bool negate) {
  if (a.significand == 0 || b.significand == 0) return;
  if (by_exponent_.empty()) by_exponent_.resize(kExponents);
  const auto magnitude = [](std::int64_t n) {
    return n < 0 ? ~static_cast<std::uint64_t>(n) + 1 : static_cast<std::uint64_t>(n);
  };
  const UInt128 product = static_cast<UInt128>(magnitude(a.significand)) * magnitude(b.significand);
  const bool is_negative = ((a.significand < 0) != (b.significand < 0)) != negate;
  const auto at = static_cast<std::size_t>(a.exponent + b.exponent + shift - kLowestExponent);
  // 64 bits at a time: no sum of fewer than 2^63 products can overflow.
  const auto low = static_cast<Int128>(static_cast<std::uint64_t>(product));
  const auto high = static_cast<Int128>(static_cast<std::uint64_t>(product >> 64U));
  by_exponent_[at] += is_negative ? -low : low;
  by_exponent_[at + 64] += is_negative ? -high : high;
}

bool ExactSum::is_zero() const {
  return value() == 0;
}

Rational ExactSum::value() const {
  BigInteger sum = 0;
  for (std::size_t i = by_exponent_.size(); i-- > 0;) {
    sum <<= 1U;
    if (by_exponent_[i] != 0) sum += BigInteger(by_exponent_[i]);
  }
  return Rational(sum, pow(BigInteger(2), static_cast<unsigned>(-kLowestExponent)));
}

float exact_sum(std::span<const float> terms) {
  ExactSum sum;
  // Not finite terms alone decide, in whatever order.
  float beyond = 0;
  for (const float term : terms) {
    if (std::isfinite(term)) sum.add(dyadic(static_cast<double>(term)), {1, 0});
    else beyond += term;
  }
  if (beyond != 0) return beyond == beyond ? beyond : std::numeric_limits<float>::quiet_NaN();
  return static_cast<float>(round_to(Type::float32, Exact(sum.value())));
}

Exact exact_sum(std::span<const Exact> terms) {
  Exact sum;
  for (const Exact& term : terms) sum = add(sum, term);
  return sum;
}

}  // namespace qassay
