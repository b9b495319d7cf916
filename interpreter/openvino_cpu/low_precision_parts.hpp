// What low-precision transformations do to a FakeQuantize that stands alone: its output bounds are taken apart into a
// scale and a shift of codes, and put together again.
#pragma once

#include <array>
#include <span>

#include "interpreter/openvino/bounds_parts.hpp"
#include "interpreter/openvino_cpu/parameters.hpp"

namespace qassay::openvino_cpu {

using openvino::Bounds;

/// How the output bounds of all channels are rewritten.
struct Rewriting {
  enum class Kind : std::uint8_t {
    none,       ///< they stay
    bounds,     ///< by way of scale and shift
    one_code,   ///< all channels have a single output: it becomes a constant, in uint8
    one_value,  ///< rewritten bounds have run together in every channel: a constant
  };
  Kind kind = Kind::none;
  int lowest = 0;  ///< of the codes
  int highest = 0;
  bool is_shifted = false;
};

/// Scales are kept within these.
inline constexpr float kSmallestScale = 1e-32F;
inline constexpr float kLargestScale = 1e32F;

/// One channel's bounds.
template <class Real>
Bounds<Real> rewritten(Bounds<Real> bounds, const Rewriting& rewriting) {
  if (rewriting.kind == Rewriting::Kind::none || is_equal(bounds.output_low, bounds.output_high)) return bounds;
  const auto smallest = constant(static_cast<double>(kSmallestScale), bounds.output_low);
  const auto largest = constant(static_cast<double>(kLargestScale), bounds.output_low);
  auto lowest = constant(rewriting.lowest, bounds.output_low);
  auto highest = constant(rewriting.highest, bounds.output_low);
  auto span = subtract(bounds.output_high, bounds.output_low);
  auto scale = divide(span, subtract(highest, lowest));
  if (rewriting.is_shifted) {
    auto weighted = subtract(multiply(lowest, bounds.output_high), multiply(highest, bounds.output_low));
    auto shift = divide(weighted, span);
    lowest = subtract(lowest, shift);
    highest = subtract(highest, shift);
  }
  if (is_below(absolute(scale), smallest)) scale = smallest;
  else if (is_below(largest, absolute(scale))) scale = is_negative(scale) ? negate(largest) : largest;
  bounds.output_low = multiply(lowest, scale);
  bounds.output_high = multiply(highest, scale);
  return bounds;
}

/// What is decided over all channels of a grid with so many levels.
Rewriting rewriting_of(std::span<const Bounds<float>> channels, std::int64_t levels);

/// Refuses what the plugin does not compile, and output bounds whose rewriting depends on more than their values.
void check_fake_quantize(const Arguments& arguments);

}  // namespace qassay::openvino_cpu
