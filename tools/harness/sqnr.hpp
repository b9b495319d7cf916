// Signal and noise, from exact sums.
#pragma once

#include <cstdint>

#include "interpreter/numeric/exact_sum.hpp"

namespace qassay {

/// An element's value, which must be finite.
Dyadic dyadic(Type type, std::uint64_t bits);

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
