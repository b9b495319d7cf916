// The parameters of PyTorch's quantization operators.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "interpreter/arguments.hpp"
#include "interpreter/parameter_layout.hpp"
#include "interpreter/signature.hpp"

namespace qassay::pytorch {

inline const std::vector<Type> kCodeTypes{Type::uint8, Type::int8, Type::int32};

inline Parameter dtype_parameter() {
  return {.name = "dtype",
          .role = Role::dtype,
          .kind = ParameterKind::dtype,
          .types = kCodeTypes,
          .about = "the type of q; quint8, qint8 and qint32 are the same"};
}
inline Parameter axis_parameter() {
  return {.name = "axis", .role = Role::axis, .kind = ParameterKind::whole, .about = "the channels' axis"};
}
inline Parameter scale_parameter() {
  return {.name = "scale",
          .role = Role::scale,
          .kind = ParameterKind::real,
          .own_type = OwnType::float64,
          .about = "one double; the operator rounds it to binary32"};
}
inline Parameter zero_point_parameter(Within within) {
  return {.name = "zero_point",
          .role = Role::zero_point,
          .kind = ParameterKind::integer,
          .within = within,
          .about = "one integer"};
}
inline Parameter scales_parameter() {
  return {.name = "scales",
          .role = Role::scale,
          .kind = ParameterKind::real,
          .own_type = OwnType::float64,
          .spread = Spread::along_axis,
          .about = "one for each slice along axis; kept as doubles"};
}
/// Of a quantized tensor whose scales and zero points are both binary32.
inline Parameter float_scales_parameter() {
  return {.name = "scales",
          .role = Role::scale,
          .kind = ParameterKind::real,
          .spread = Spread::along_axis,
          .about = "one binary32 for each slice along axis"};
}
inline Parameter float_zero_points_parameter() {
  return {.name = "zero_points",
          .role = Role::zero_point,
          .kind = ParameterKind::real,
          .spread = Spread::along_axis,
          .about = "one binary32 for each slice along axis, not rounded"};
}
/// Of the learnable operators: what training moves.
inline Parameter learned_scale_parameter(Spread spread) {
  return {.name = "scale",
          .role = Role::scale,
          .kind = ParameterKind::real,
          .spread = spread,
          .about = spread == Spread::alone ? "one binary32" : "one binary32 for each slice along axis"};
}
inline Parameter learned_zero_point_parameter(Spread spread) {
  return {.name = "zero_point",
          .role = Role::zero_point,
          .kind = ParameterKind::real,
          .spread = spread,
          .about = spread == Spread::alone ? "one binary32, rounded before use"
                                           : "one binary32 for each slice along axis, rounded before use"};
}
inline Parameter grad_factor_parameter() {
  return {.name = "grad_factor",
          .role = Role::grad_factor,
          .kind = ParameterKind::real,
          .fallback = "1",
          .spread = Spread::alone,
          .about = "multiplies the gradients of scale and zero point"};
}
inline Parameter contraction_parameter() {
  return {.name = "contraction",
          .role = Role::contraction,
          .kind = ParameterKind::choice,
          .fallback = "fma",
          .words = {"fma", "none"},
          .about = "fma as AVX2 and AVX-512 builds, none as the default build"};
}
inline Parameter zero_points_parameter(Within within) {
  return {.name = "zero_points",
          .role = Role::zero_point,
          .kind = ParameterKind::integer,
          .within = within,
          .spread = Spread::along_axis,
          .about = "one for each slice along axis"};
}
inline Parameter quant_min_parameter(std::string_view called = "quant_min", std::string_view fallback = {}) {
  return {.name = called,
          .role = Role::quant_min,
          .kind = ParameterKind::whole,
          .fallback = fallback,
          .lowest = INT32_MIN,
          .highest = INT32_MAX,
          .about = "the lowest code"};
}
inline Parameter quant_max_parameter(std::string_view called = "quant_max", std::string_view fallback = {}) {
  return {.name = called,
          .role = Role::quant_max,
          .kind = ParameterKind::whole,
          .fallback = fallback,
          .lowest = INT32_MIN,
          .highest = INT32_MAX,
          .about = "the highest code"};
}

/// Refuses per-channel parameters for no channels at all, as the operator's range check of integer zero points does.
inline void check_has_channels(const Arguments& arguments) {
  if (arguments[Role::scale].tensor->size() > 0 && element_count(parameter_layout(arguments).shape) > 0) return;
  throw RequestError(ErrorKind::out_of_domain,
                     fmt::format("{}: the axis has no channels; expected at least one", arguments.signature->id));
}

/// Gradients and observers want a range of codes with 0 in it.
inline void check_holds_zero(const Arguments& arguments) {
  if (arguments.whole(Role::quant_min) <= 0 && arguments.whole(Role::quant_max) >= 0) return;
  throw RequestError(ErrorKind::out_of_domain,
                     fmt::format("{}: [quant_min, quant_max] is [{}, {}]; it must hold 0", arguments.signature->id,
                                 arguments.whole(Role::quant_min), arguments.whole(Role::quant_max)));
}

/// The learnable operators limit the zero point in binary32, whose nearest to an end of the range may lie beyond it.
/// Only the forward pass per channel takes it for an int32.
inline void check_learned(const Arguments& arguments, bool is_int32 = false) {
  const std::string_view id = arguments.signature->id;
  const auto low = static_cast<double>(arguments.whole(Role::quant_min));
  const auto high = static_cast<double>(arguments.whole(Role::quant_max));
  const Tensor& zero_points = *arguments[Role::zero_point].tensor;
  for (std::size_t i = 0; i < zero_points.size(); ++i) {
    const double given = zero_points.real(i);
    if (std::isnan(given)) {
      throw RequestError(ErrorKind::out_of_domain,
                         fmt::format("{}: zero_point: is nan, and there is no integer nearest to that", id));
    }
    double limited = std::max(std::nearbyint(given), static_cast<double>(static_cast<float>(low)));
    limited = std::min(limited, static_cast<double>(static_cast<float>(high)));
    if (is_int32 && limited > INT32_MAX) limited = INT32_MIN;
    if (low <= limited && limited <= high) continue;
    throw RequestError(ErrorKind::zero_point_out_of_range,
                       fmt::format("{}: zero_point: {} becomes {}, which is outside [{}, {}]", id, given, limited,
                                   arguments.whole(Role::quant_min), arguments.whole(Role::quant_max)));
  }
}

}  // namespace qassay::pytorch
