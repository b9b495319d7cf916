// The parameters of torchao's quant_primitives, and what they refuse.
#pragma once

#include <fmt/format.h>

#include <vector>

#include "interpreter/arguments.hpp"
#include "interpreter/signature.hpp"

namespace qassay::torchao {

/// torchao knows the ends of no other integers that torch can hold.
inline const std::vector<Type> kCodeTypes{Type::int8, Type::uint8, Type::int16, Type::int32};

inline Parameter block_size_parameter() {
  return {.name = "block_size",
          .role = Role::block_shape,
          .kind = ParameterKind::shape,
          .fallback = "tensor",
          .about = "the extents of a block that shares a scale; tensor: those of the whole tensor"};
}
inline Parameter scale_parameter() {
  return {.name = "scale",
          .role = Role::scale,
          .kind = ParameterKind::real,
          .about = "one for each block, as many in every dimension as there are blocks"};
}
inline Parameter zero_point_parameter() {
  return {.name = "zero_point",
          .role = Role::zero_point,
          .kind = ParameterKind::integer,
          .within = Within::int32,
          .types = {Type::int64},
          .about = "shaped like scale; torchao does not check it"};
}
/// In the domain of x, not of the codes.
inline Parameter float_zero_point_parameter() {
  return {.name = "zero_point",
          .role = Role::zero_point,
          .kind = ParameterKind::real,
          .about = "the real number that the middle code stands for; shaped like scale"};
}
/// `name` is output_dtype or target_dtype.
inline Parameter codes_parameter(std::string_view name) {
  return {.name = name,
          .role = Role::dtype,
          .kind = ParameterKind::dtype,
          .types = kCodeTypes,
          .about = "the type of the codes"};
}
inline Parameter real_output_parameter() {
  return {.name = "output_dtype",
          .role = Role::dtype,
          .kind = ParameterKind::dtype,
          .fallback = "float32",
          .types = {Type::float32, Type::float16, Type::bfloat16},
          .about = "the type of y"};
}
inline Parameter quant_min_parameter(std::string_view about = "the lowest code") {
  return {.name = "quant_min",
          .role = Role::quant_min,
          .kind = ParameterKind::whole,
          .fallback = "lowest",
          .lowest = INT32_MIN,
          .highest = INT32_MAX,
          .about = about};
}
inline Parameter quant_max_parameter(std::string_view about = "the highest code") {
  return {.name = "quant_max",
          .role = Role::quant_max,
          .kind = ParameterKind::whole,
          .fallback = "highest",
          .lowest = INT32_MIN,
          .highest = INT32_MAX,
          .about = about};
}
inline Parameter eps_parameter() {
  return {.name = "eps",
          .role = Role::eps,
          .kind = ParameterKind::real,
          .fallback = "0x1p-126",
          .spread = Spread::alone,
          .about = "the smallest scale"};
}

/// What mapping_type says.
enum class Mapping : std::uint8_t { symmetric, symmetric_no_clipping_error, asymmetric };
inline Parameter mapping_type_parameter() {
  return {.name = "mapping_type",
          .role = Role::symmetry,
          .kind = ParameterKind::choice,
          .words = {"SYMMETRIC", "SYMMETRIC_NO_CLIPPING_ERR", "ASYMMETRIC"},
          .about = "how the range is spread over the codes"};
}

/// Refuses a range of codes that leaves their type.
inline void check_range_fits(const Arguments& arguments, Type codes) {
  const std::int64_t low = arguments.whole(Role::quant_min);
  const std::int64_t high = arguments.whole(Role::quant_max);
  if (code_range(codes).contains(low) && code_range(codes).contains(high)) return;
  throw RequestError(ErrorKind::out_of_domain, fmt::format("{}: [quant_min, quant_max] is [{}, {}], outside {}",
                                                           arguments.signature->id, low, high, name(codes)));
}

/// Refuses what torchao cannot reduce: no elements, and blocks of one element each, for which it takes the range of the
/// whole tensor. NaN is no bound for a scale.
inline void check_choice(const Arguments& arguments) {
  const std::string_view id = arguments.signature->id;
  check_range_fits(arguments, arguments.type(Role::dtype));
  const Shape& block = *arguments[Role::block_shape].shape;
  const std::int64_t count = element_count(arguments.shape);
  if (count == 0) {
    throw RequestError(ErrorKind::out_of_domain,
                       fmt::format("{}: x has the shape {}, and no minimum", id, to_text(arguments.shape)));
  }
  if (count > 1 && element_count(block) == 1) {
    throw RequestError(ErrorKind::out_of_domain,
                       fmt::format("{}: block_size: {} makes a block of every element", id, to_text(block)));
  }
  const double eps = arguments.real(Role::eps, {});
  if (eps != eps) throw RequestError(ErrorKind::out_of_domain, fmt::format("{}: eps: is nan", id));
}

}  // namespace qassay::torchao
