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
    apart,      ///< they are codes, and scale and shift stay behind the node: channels along the third axis or later
    one_code,   ///< all channels have a single output: it becomes a constant, in uint8
    one_value,  ///< rewritten bounds have run together in every channel: a constant
  };
  Kind kind = Kind::none;
  int lowest = 0;  ///< of the codes
  int highest = 0;
  bool is_shifted = false;
};

/// From this axis on channels keep the transformations from putting bounds together again.
inline constexpr std::size_t kFirstAxisApart = 2;
/// Scales are kept within these.
inline constexpr float kSmallestScale = 1e-32F;
inline constexpr float kLargestScale = 1e32F;

/// One channel's scale, and its codes with the shift taken off.
template <class Real>
struct Dequantization {
  Real lowest;
  Real highest;
  Real shift;
  Real scale;
};
template <class Real>
Dequantization<Real> dequantization_of(const Bounds<Real>& bounds, const Rewriting& rewriting) {
  const auto smallest = constant(static_cast<double>(kSmallestScale), bounds.output_low);
  const auto largest = constant(static_cast<double>(kLargestScale), bounds.output_low);
  auto lowest = constant(rewriting.lowest, bounds.output_low);
  auto highest = constant(rewriting.highest, bounds.output_low);
  auto shift = constant(0, bounds.output_low);
  auto span = subtract(bounds.output_high, bounds.output_low);
  auto scale = divide(span, subtract(highest, lowest));
  if (rewriting.is_shifted) {
    auto weighted = subtract(multiply(lowest, bounds.output_high), multiply(highest, bounds.output_low));
    shift = divide(weighted, span);
    lowest = subtract(lowest, shift);
    highest = subtract(highest, shift);
  }
  if (is_below(absolute(scale), smallest)) scale = smallest;
  else if (is_below(largest, absolute(scale))) scale = is_negative(scale) ? negate(largest) : largest;
  return {lowest, highest, shift, scale};
}

/// One channel's bounds.
template <class Real>
Bounds<Real> rewritten(Bounds<Real> bounds, const Rewriting& rewriting) {
  if (rewriting.kind == Rewriting::Kind::none || is_equal(bounds.output_low, bounds.output_high)) return bounds;
  if (rewriting.kind == Rewriting::Kind::apart) {
    bounds.output_low = constant(rewriting.lowest, bounds.output_low);
    bounds.output_high = constant(rewriting.highest, bounds.output_high);
    return bounds;
  }
  const auto codes = dequantization_of(bounds, rewriting);
  bounds.output_low = multiply(codes.lowest, codes.scale);
  bounds.output_high = multiply(codes.highest, codes.scale);
  return bounds;
}

/// What is left to do behind a node.
template <class Real>
struct Behind {
  bool is_scaled = false;
  bool is_shifted = false;
  Real shift;
  Real scale;

  static Behind of(const Bounds<Real>& bounds, const Rewriting& rewriting) {
    const auto zero = constant(0, bounds.output_low);
    const bool is_scaled = rewriting.kind == Rewriting::Kind::apart && !is_equal(bounds.output_low, bounds.output_high);
    if (!is_scaled) return {false, false, zero, zero};
    const auto codes = dequantization_of(bounds, rewriting);
    return {true, rewriting.is_shifted, codes.shift, codes.scale};
  }
  QASSAY_STEP Real operator()(Real y) const {
    if (is_shifted) y = subtract(y, shift);
    return is_scaled ? multiply(y, scale) : y;
  }
};

/// What is decided over all channels of a grid with so many levels. `is_apart`: some lie along the third axis or later.
Rewriting rewriting_of(std::span<const Bounds<float>> channels, std::int64_t levels, bool is_apart);

/// Refuses output bounds of two shapes where they would be rewritten: what comes of them depends on more than values.
void check_fake_quantize(const Arguments& arguments);

}  // namespace qassay::openvino_cpu
