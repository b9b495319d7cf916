// The steps of a formula, found by bisection.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/diagnosis/scalar_function.hpp"

namespace qassay {

/// Consecutive inputs with one output: from `first` to right before the next segment.
struct Segment {
  std::int64_t first;   ///< by order
  std::int64_t output;  ///< by order, as ScalarFunction gives it

  friend bool operator==(const Segment&, const Segment&) = default;
};

/// All segments of a function in the order of its inputs, NaN left out; the first begins with the lowest value.
///
/// Each binade (of an integer type: each interval between powers of two) is bisected by itself, so the function must be
/// monotone there and only there. Formulas that wrap or convert out of range jump far outside the binades in which they
/// step: where |x / scale| passes 2^31, while steps end at the width of the code type. `verify_segments` proves it for
/// given parameters by trying every input. Throws RequestError(out_of_domain) if there are more than `most` segments,
/// as for 32-bit codes.
std::vector<Segment> segments_of(const ScalarFunction& function, std::size_t most = 1U << 20U);

}  // namespace qassay
