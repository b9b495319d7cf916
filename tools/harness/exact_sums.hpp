// Sums of products of tensor elements without any rounding, so that order, threads and SIMD cannot change them.
#pragma once

#include <cstdint>
#include <vector>

#include "interpreter/numeric/exact.hpp"

namespace qassay {

/// significand * 2^exponent.
struct Dyadic {
  std::int64_t significand = 0;
  int exponent = 0;
};

/// A finite element's value.
Dyadic dyadic(Type type, std::uint64_t bits);

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

/// The signal-to-quantization-noise ratio 10·log10(Σr² / Σ(r−b)²).
struct Sqnr {
  enum class Kind : std::uint8_t {
    exact,      ///< no error at all; not a number
    no_signal,  ///< an error where the reference is zero throughout
    decibels,
    nothing,  ///< nothing was compared
  };
  Kind kind = Kind::nothing;
  double decibels = 0;

  friend bool operator==(const Sqnr&, const Sqnr&) = default;
};

/// The ratio of the exact sums, rounded once to binary64.
Sqnr sqnr(const ExactSum& signal, const ExactSum& noise);

}  // namespace qassay
