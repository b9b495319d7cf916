// The parameters of ONNX's operators, shared by the dialects that implement them.
#pragma once

#include <vector>

#include "interpreter/arguments.hpp"
#include "interpreter/signature.hpp"

namespace qassay::onnx {

/// The type in which QuantizeLinear takes its quotient, where the attribute `precision` says so.
enum class Precision : std::uint8_t { none, float32, float16, bfloat16 };

inline const std::vector<std::string_view> kPrecisionWords{"none", "float32", "float16", "bfloat16"};

/// The opset in which a type came to QuantizeLinear and DequantizeLinear.
inline int first_opset_with(Type type) {
  switch (type) {
    case Type::float16:
    case Type::bfloat16: return 19;
    case Type::int16:
    case Type::uint16:
    case Type::int4:
    case Type::uint4: return 21;
    case Type::int2:
    case Type::uint2: return 25;
    default: return 10;
  }
}

inline Parameter axis_parameter() {
  return {.name = "axis",
          .role = Role::axis,
          .kind = ParameterKind::whole,
          .fallback = "1",
          .about = "the axis along which a vector of scales or blocks lie; ignored for one scale"};
}
inline Parameter block_size_parameter() {
  return {.name = "block_size",
          .role = Role::block_size,
          .kind = ParameterKind::whole,
          .fallback = "0",
          .lowest = 0,
          .highest = 1LL << 40,
          .about = "elements along the axis that share a scale; 0: no blocks"};
}
inline Parameter opset_parameter() {
  return {.name = "opset",
          .role = Role::opset,
          .kind = ParameterKind::whole,
          .fallback = "21",
          .lowest = 10,
          .highest = 28,
          .about = "the version of the operator set; from 23 on the scale's type is the type of the quotient"};
}

inline std::vector<Parameter> quantize_linear_parameters() {
  return {
      {.name = "y_scale",
       .role = Role::scale,
       .kind = ParameterKind::real,
       .own_type = OwnType::of_input,
       .about = "a scalar, a vector along axis, or blocks"},
      {.name = "y_zero_point",
       .role = Role::zero_point,
       .kind = ParameterKind::integer,
       .fallback = "0",
       .within = Within::output_type,
       .about = "shaped like y_scale; its type decides the output's where output_dtype is not given"},
      axis_parameter(),
      block_size_parameter(),
      {.name = "output_dtype",
       .role = Role::dtype,
       .kind = ParameterKind::dtype,
       .fallback = "uint8",
       .types = kOnnxCodeTypes,
       .about = "the type of y"},
      {.name = "precision",
       .role = Role::precision,
       .kind = ParameterKind::choice,
       .fallback = "none",
       .words = kPrecisionWords,
       .about = "the type of the quotient, from opset 23 on; none: the type of y_scale"},
      {.name = "saturate",
       .role = Role::saturate,
       .kind = ParameterKind::boolean,
       .fallback = "1",
       .about = "for float8 outputs; integer outputs always saturate"},
      opset_parameter(),
  };
}

inline std::vector<Parameter> dequantize_linear_parameters() {
  return {
      {.name = "x_scale",
       .role = Role::scale,
       .kind = ParameterKind::real,
       .own_type = OwnType::of_output,
       .about = "a scalar, a vector along axis, or blocks"},
      {.name = "x_zero_point",
       .role = Role::zero_point,
       .kind = ParameterKind::integer,
       .fallback = "0",
       .within = Within::input_type,
       .about = "of the type of x, shaped like x_scale"},
      axis_parameter(),
      block_size_parameter(),
      {.name = "output_dtype",
       .role = Role::dtype,
       .kind = ParameterKind::dtype,
       .fallback = "float32",
       .types = {Type::float32, Type::float16, Type::bfloat16},
       .about = "the type of y"},
      opset_parameter(),
  };
}

/// QLinearConv's and QLinearMatMul's, as far as they concern an accumulator.
inline std::vector<Parameter> requantize_parameters() {
  return {
      {.name = "x_scale", .role = Role::input_scale, .kind = ParameterKind::real, .about = "of the activations"},
      {.name = "w_scale",
       .role = Role::weight_scale,
       .kind = ParameterKind::real,
       .about = "of the weights: a scalar, or a vector along axis"},
      {.name = "y_scale", .role = Role::scale, .kind = ParameterKind::real, .about = "of the output"},
      {.name = "y_zero_point",
       .role = Role::zero_point,
       .kind = ParameterKind::integer,
       .fallback = "0",
       .within = Within::output_type,
       .about = "of the output"},
      {.name = "output_dtype",
       .role = Role::dtype,
       .kind = ParameterKind::dtype,
       .fallback = "uint8",
       .types = {Type::uint8, Type::int8},
       .about = "the type of y"},
      axis_parameter(),
  };
}

inline const std::vector<Type> kDequantizableTypes{Type::uint8, Type::int8,  Type::uint16, Type::int16, Type::uint4,
                                                   Type::int4,  Type::uint2, Type::int2,   Type::int32};

/// The type of the quotient from opset 23 on: `precision`, or the scale's own.
inline Type quotient_type(const Arguments& arguments) {
  switch (arguments.choice<Precision>(Role::precision)) {
    case Precision::float32: return Type::float32;
    case Precision::float16: return Type::float16;
    case Precision::bfloat16: return Type::bfloat16;
    case Precision::none: break;
  }
  return arguments.own_type(Role::scale);
}

/// Refuses what an opset does not have. Source: the type constraints of versions 10, 13, 19, 21, 23, 25.
void check_opset(const Arguments& arguments);

}  // namespace qassay::onnx
