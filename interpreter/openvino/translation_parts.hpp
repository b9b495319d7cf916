// What OpenVINO's PyTorch front end makes of a per-channel fake quantize: the bounds of a FakeQuantize.
#pragma once

#include <fmt/format.h>

#include "interpreter/elementwise.hpp"
#include "interpreter/openvino/narrowing_parts.hpp"
#include "interpreter/openvino/parameters.hpp"

namespace qassay::openvino {

inline std::vector<Parameter> translation_parameters(std::string_view about_zero_point) {
  return {
      {.name = "scale",
       .role = Role::scale,
       .kind = ParameterKind::real,
       .spread = Spread::along_axis,
       .about = "one for each channel; may be negative"},
      {.name = "zero_point",
       .role = Role::zero_point,
       .kind = ParameterKind::real,
       .spread = Spread::along_axis,
       .about = about_zero_point},
      {.name = "axis",
       .role = Role::axis,
       .kind = ParameterKind::whole,
       .about = "the channels' axis in the tensor of `rank` dimensions"},
      {.name = "quant_min",
       .role = Role::quant_min,
       .kind = ParameterKind::whole,
       .lowest = INT32_MIN,
       .highest = INT32_MAX,
       .about = "the lowest code"},
      {.name = "quant_max",
       .role = Role::quant_max,
       .kind = ParameterKind::whole,
       .lowest = INT32_MIN,
       .highest = INT32_MAX,
       .about = "the highest code"},
      {.name = "rank",
       .role = Role::rank,
       .kind = ParameterKind::whole,
       .lowest = 1,
       .highest = 64,
       .about = "dimensions of the tensor that is quantized"},
  };
}

inline const std::vector<Output> kTranslatedOutputs{
    {"input_low", OutputRule::fixed, Type::float32, "the smaller bound; the channels along axis, 1 elsewhere"},
    {"input_high", OutputRule::fixed, Type::float32, "the larger bound, shaped like input_low"},
    {"output_low", OutputRule::fixed, Type::float32, "the same as input_low"},
    {"output_high", OutputRule::fixed, Type::float32, "the same as input_high"},
    {"levels", OutputRule::fixed, Type::int64, "quant_max - quant_min + 1"}};

/// Bounds from a scale and a zero point that lies in the range.
template <class Real>
struct TranslatedBounds {
  using Number = Real;
  using Input = Real;
  Real scale;
  Real zero_point;
  Real quant_min;
  Real quant_max;
  Integer<Real> levels;

  /// Constants lose their subnormal values when the model is saved; a zero keeps its sign.
  static Real constant_of(Real bound) {
    return is_equal(bound, constant(0, bound)) ? bound : or_zero(bound, Subnormals::flushed);
  }

  QASSAY_STEP std::tuple<Real, Real, Real, Real, Integer<Real>> operator()() const {
    auto at_min = multiply(scale, subtract(quant_min, zero_point));
    auto at_max = multiply(scale, subtract(quant_max, zero_point));
    auto low = constant_of(at_most_keeping_nan(at_min, at_max));
    auto high = constant_of(at_least_keeping_nan(at_min, at_max));
    return {low, high, low, high, levels};
  }
};

/// Refuses zero points that have no nearest integer, as the operator itself does.
inline void check_learned_zero_points(const Arguments& arguments) {
  const Tensor& zero_points = *arguments[Role::zero_point].tensor;
  for (std::size_t i = 0; i < zero_points.size(); ++i) {
    if (!is_nan(zero_points.real(i))) continue;
    throw RequestError(
        ErrorKind::out_of_domain,
        fmt::format("{}: zero_point: is nan, and there is no integer nearest to that", arguments.signature->id));
  }
}

/// What all translations have: no inputs, and outputs of shapes of their own.
struct Translation {
  static constexpr std::size_t input_count = 0;

  /// Extents of 1 but for the channels' axis; levels are one number.
  static Shape output_shape(const Arguments& arguments, std::size_t output) {
    if (output + 1 == kTranslatedOutputs.size()) return {};
    const std::int64_t rank = arguments.whole(Role::rank);
    const std::int64_t axis = arguments.whole(Role::axis);
    Shape shape(static_cast<std::size_t>(rank), 1);
    shape[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = element_count(arguments.shape);
    return shape;
  }
};

/// Refuses an axis outside the rank and a range with more levels than an int32 counts.
inline void check_translation(const Arguments& arguments) {
  const std::string_view id = arguments.signature->id;
  const std::int64_t rank = arguments.whole(Role::rank);
  const std::int64_t axis = arguments.whole(Role::axis);
  if (axis < -rank || axis >= rank) {
    throw RequestError(ErrorKind::axis_out_of_range,
                       fmt::format("{}: axis: {} is out of range for rank {}", id, axis, rank));
  }
  if (arguments.shape.size() > 1) {
    throw RequestError(ErrorKind::wrong_shape, fmt::format("{}: scale has the shape {}, expected one for each channel",
                                                           id, to_text(arguments.shape)));
  }
  const std::int64_t levels = arguments.whole(Role::quant_max) - arguments.whole(Role::quant_min) + 1;
  if (levels <= INT32_MAX) return;
  throw RequestError(ErrorKind::out_of_domain,
                     fmt::format("{}: quant_max - quant_min + 1 is {}; expected at most {}", id, levels, INT32_MAX));
}

}  // namespace qassay::openvino
