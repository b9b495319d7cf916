// The parameters of torch.ops.quantized_decomposed, and what its operators refuse.
#pragma once

#include <fmt/format.h>

#include <vector>

#include "interpreter/arguments.hpp"
#include "interpreter/signature.hpp"

namespace qassay::quantized_decomposed {

inline const std::vector<Type> kRealTypes{Type::float32, Type::float16, Type::bfloat16};
inline const std::vector<Type> kCodeTypes{Type::uint8, Type::int8, Type::int16, Type::uint16, Type::int32};
/// torch subtracts no tensors of uint16.
inline const std::vector<Type> kSubtractableTypes{Type::uint8, Type::int8, Type::int16, Type::int32};

inline Parameter dtype_parameter() {
  return {.name = "dtype",
          .role = Role::dtype,
          .kind = ParameterKind::dtype,
          .types = kCodeTypes,
          .about = "the type of the codes"};
}
/// The operators that choose parameters for tokens know one type.
inline Parameter token_dtype_parameter() {
  return {.name = "dtype",
          .role = Role::dtype,
          .kind = ParameterKind::dtype,
          .fallback = "int8",
          .types = {Type::int8},
          .about = "the type of the codes"};
}
/// `name` is out_dtype or output_dtype.
inline Parameter real_output_parameter(std::string_view name) {
  return {.name = name,
          .role = Role::dtype,
          .kind = ParameterKind::dtype,
          .fallback = "float32",
          .types = {Type::float32, Type::float16, Type::bfloat16, Type::float64},
          .about = "the type of y"};
}
inline Parameter axis_parameter() {
  return {.name = "axis", .role = Role::axis, .kind = ParameterKind::whole, .about = "the channels' axis"};
}
inline Parameter group_size_parameter() {
  return {.name = "group_size",
          .role = Role::group_size,
          .kind = ParameterKind::whole,
          .fallback = "128",
          .lowest = 2,
          .highest = 1LL << 40,
          .about = "elements of a row that share a scale; a group wider than a row is the row"};
}

inline Parameter scale_parameter() {
  return {.name = "scale",
          .role = Role::scale,
          .kind = ParameterKind::real,
          .own_type = OwnType::float64,
          .spread = Spread::alone,
          .about = "one double"};
}
inline Parameter scales_parameter(Spread spread, OwnType own_type = OwnType::float32_or_float64) {
  return {.name = "scales",
          .role = Role::scale,
          .kind = ParameterKind::real,
          .own_type = own_type,
          .spread = spread,
          .about = own_type == OwnType::float32 ? "one for each slice" : "one for each slice; binary64 if given so"};
}
inline Parameter zero_point_parameter() {
  return {.name = "zero_point",
          .role = Role::zero_point,
          .kind = ParameterKind::integer,
          .within = Within::int32,
          .spread = Spread::alone,
          .types = {Type::int64},
          .about = "one integer; the operator does not check it"};
}
inline Parameter zero_points_parameter(Spread spread, std::vector<Type> types = {Type::int64}) {
  return {.name = "zero_points",
          .role = Role::zero_point,
          .kind = ParameterKind::integer,
          .within = Within::int32,
          .spread = spread,
          .types = std::move(types),
          .about = "one for each slice; the operator does not check them"};
}
/// In dequantize ops the type of the zero points decides where the difference wraps.
inline const std::vector<Type> kZeroPointTypes{Type::int64, Type::int8, Type::uint8, Type::int16, Type::int32};

inline Parameter quant_min_parameter(std::string_view fallback = {}) {
  return {.name = "quant_min",
          .role = Role::quant_min,
          .kind = ParameterKind::whole,
          .fallback = fallback,
          .lowest = INT32_MIN,
          .highest = INT32_MAX,
          .about = fallback.empty() ? "the lowest code" : "the lowest code; without effect on y"};
}
inline Parameter quant_max_parameter(std::string_view fallback = {}) {
  return {.name = "quant_max",
          .role = Role::quant_max,
          .kind = ParameterKind::whole,
          .fallback = fallback,
          .lowest = INT32_MIN,
          .highest = INT32_MAX,
          .about = fallback.empty() ? "the highest code" : "the highest code; without effect on y"};
}
inline Parameter eps_parameter() {
  return {.name = "eps",
          .role = Role::eps,
          .kind = ParameterKind::real,
          .own_type = OwnType::float64,
          .spread = Spread::alone,
          .about = "the smallest scale; the operator rounds it to binary32"};
}

/// Refuses a range of codes that leaves their type.
inline void check_range_fits(const Arguments& arguments, Type codes) {
  const std::int64_t low = arguments.whole(Role::quant_min);
  const std::int64_t high = arguments.whole(Role::quant_max);
  if (code_range(codes).contains(low) && code_range(codes).contains(high)) return;
  throw RequestError(ErrorKind::out_of_domain, fmt::format("{}: [quant_min, quant_max] is [{}, {}], outside {}",
                                                           arguments.signature->id, low, high, name(codes)));
}
/// Groups lie in the rows of a matrix.
inline void check_is_matrix(const Arguments& arguments) {
  if (arguments.shape.size() == 2) return;
  throw RequestError(ErrorKind::wrong_shape, fmt::format("{}: the input has the shape {}, expected two dimensions",
                                                         arguments.signature->id, to_text(arguments.shape)));
}
/// torch has no minimum of no elements.
inline void check_has_elements(const Arguments& arguments) {
  if (element_count(arguments.shape) > 0) return;
  throw RequestError(ErrorKind::out_of_domain, fmt::format("{}: x has the shape {}, and no minimum",
                                                           arguments.signature->id, to_text(arguments.shape)));
}
inline void check_tokens_have_elements(const Arguments& arguments) {
  if (arguments.shape.empty() || arguments.shape.back() > 0) return;
  check_has_elements(arguments);
}
/// Refuses ranges without 0 and of one code.
inline void check_range_holds_zero(const Arguments& arguments) {
  const std::int64_t low = arguments.whole(Role::quant_min);
  const std::int64_t high = arguments.whole(Role::quant_max);
  if (low <= 0 && 0 <= high && low < high) return;
  throw RequestError(ErrorKind::out_of_domain,
                     fmt::format("{}: [quant_min, quant_max] is [{}, {}]; it must hold 0 and another code",
                                 arguments.signature->id, low, high));
}
/// NaN is no bound.
inline void check_eps_is_number(const Arguments& arguments) {
  const double eps = arguments.real(Role::eps, {});
  if (eps == eps) return;
  throw RequestError(ErrorKind::out_of_domain, fmt::format("{}: eps: is nan", arguments.signature->id));
}

}  // namespace qassay::quantized_decomposed
