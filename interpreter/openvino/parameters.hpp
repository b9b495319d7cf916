// The parameters of OpenVINO's operations, shared by its reference kernels and its CPU plugin.
#pragma once

#include <vector>

#include "interpreter/arguments.hpp"
#include "interpreter/signature.hpp"

namespace qassay::openvino {

inline const std::vector<Type> kRealTypes{Type::float32, Type::float16, Type::bfloat16};

inline constexpr std::int64_t kFewestLevels = 1;
inline constexpr std::int64_t kMostLevels = 65536;

inline Parameter bound_parameter(std::string_view called, Role role, std::string_view about) {
  return {.name = called,
          .role = role,
          .kind = ParameterKind::real,
          .own_type = OwnType::of_input,
          .spread = Spread::broadcast,
          .about = about};
}

/// FakeQuantize-1's.
inline std::vector<Parameter> fake_quantize_parameters() {
  return {
      bound_parameter("input_low", Role::input_low,
                      "where the grid begins; a scalar, or a tensor that broadcasts to x"),
      bound_parameter("input_high", Role::input_high, "where it ends; may be below input_low"),
      bound_parameter("output_low", Role::output_low, "what the first point of the grid becomes"),
      bound_parameter("output_high", Role::output_high, "what the last one becomes"),
      {.name = "levels",
       .role = Role::levels,
       .kind = ParameterKind::whole,
       .lowest = kFewestLevels,
       .highest = kMostLevels,
       .about = "points of the grid"},
  };
}

/// The 8-bit format whose values FakeConvert lets through.
enum class Destination : std::uint8_t { float8_e4m3fn, float8_e5m2 };

/// FakeConvert-13's.
inline std::vector<Parameter> fake_convert_parameters() {
  return {
      {.name = "scale",
       .role = Role::factor,
       .kind = ParameterKind::real,
       .own_type = OwnType::of_input,
       .spread = Spread::broadcast,
       .about = "x is multiplied by it; a scalar, or a tensor that broadcasts to x"},
      {.name = "shift",
       .role = Role::shift,
       .kind = ParameterKind::real,
       .fallback = "0",
       .own_type = OwnType::of_input,
       .spread = Spread::broadcast,
       .about = "is taken from the product, and added again at the end"},
      {.name = "destination_type",
       .role = Role::destination,
       .kind = ParameterKind::choice,
       .fallback = "float8_e4m3fn",
       .words = {"float8_e4m3fn", "float8_e5m2"},
       .aliases = {{"f8e4m3", "float8_e4m3fn"}, {"f8e5m2", "float8_e5m2"}},
       .about = "the format whose values are let through; OpenVINO's own names f8e4m3 and f8e5m2 are accepted"},
  };
}

}  // namespace qassay::openvino
