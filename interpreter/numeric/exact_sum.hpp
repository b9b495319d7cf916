// Sums without any rounding, so that order, threads and SIMD cannot change them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "interpreter/numeric/exact.hpp"

namespace qassay {

/// significand * 2^exponent.
struct Dyadic {
  std::int64_t significand = 0;
  int exponent = 0;
};

/// A finite number.
Dyadic dyadic(double value);

/// A sum of products, held as one 128-bit sum for every exponent: a product takes one multiplication and two additions.
class ExactSum {
 public:
  /// Adds a * b * 2^shift.
  void add(Dyadic a, Dyadic b, int shift = 0);
  void subtract(Dyadic a, Dyadic b, int shift = 0);

  bool is_zero() const;
  Rational value() const;

 private:
  __extension__ using Int128 = __int128;
  __extension__ using UInt128 = unsigned __int128;
  void accumulate(Dyadic a, Dyadic b, int shift, bool negate);

  std::vector<Int128> by_exponent_;
};

/// The exact sum of the terms, rounded once to binary32, ties to even. NaN with a NaN among them or infinities of both
/// signs; with infinities of one sign, that.
float exact_sum(std::span<const float> terms);
Exact exact_sum(std::span<const Exact> terms);

}  // namespace qassay
