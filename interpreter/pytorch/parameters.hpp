// The parameters of PyTorch's quantization operators.
#pragma once

#include <fmt/format.h>

#include <vector>

#include "interpreter/arguments.hpp"
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
inline Parameter zero_points_parameter(Within within) {
  return {.name = "zero_points",
          .role = Role::zero_point,
          .kind = ParameterKind::integer,
          .within = within,
          .spread = Spread::along_axis,
          .about = "one for each slice along axis"};
}
inline Parameter quant_min_parameter() {
  return {.name = "quant_min",
          .role = Role::quant_min,
          .kind = ParameterKind::whole,
          .lowest = INT32_MIN,
          .highest = INT32_MAX,
          .about = "the lowest code"};
}
inline Parameter quant_max_parameter() {
  return {.name = "quant_max",
          .role = Role::quant_max,
          .kind = ParameterKind::whole,
          .lowest = INT32_MIN,
          .highest = INT32_MAX,
          .about = "the highest code"};
}

/// Refuses per-channel parameters for no channels at all, as the operator's range check of integer zero points does.
inline void check_has_channels(const Arguments& arguments) {
  if (arguments[Role::scale].tensor->size() > 0) return;
  throw RequestError(ErrorKind::out_of_domain,
                     fmt::format("{}: the axis has no channels; expected at least one", arguments.signature->id));
}

}  // namespace qassay::pytorch
