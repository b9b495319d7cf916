#pragma once

#include "interpreter/elementwise.hpp"
#include "interpreter/onnx/parameters.hpp"

namespace qassay::onnxruntime {

/// ONNX Runtime's DequantizeLinear on CPU, one element: always multiplied in binary32, then converted to the output's
/// type.
struct DequantizeLinear {
  inline static const Signature signature{
      .id = "onnxruntime.DequantizeLinear",
      .summary = "y = convert(binary32(x - x_zero_point) * x_scale)",
      .inputs = {{"x", onnx::kDequantizableTypes, "codes, any shape"}},
      .parameters = onnx::dequantize_linear_parameters(),
      .outputs = {{"y", OutputRule::of_dtype, {}, "shaped like x"}},
      .steps = {{"difference", "in int32, modulo 2^32"},
                {"converted", "to binary32, rounded once above 2^24"},
                {"product", "one binary32 multiplication"},
                {"y", "converted to the output's type, rounded once more if that is float16"}},
      .edges = "Scales are used as they are.",
      .source = "onnxruntime/core/providers/cpu/quantization/quantize_linear.cc, DequantizeLinear",
      .verified = "onnxruntime 1.32.0",
  };

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Integer<Real>;
    Real x_scale;
    Integer<Real> x_zero_point;

    static Element at(const Values<Real>& values) {
      return {values.real(Role::scale), values.integer(Role::zero_point)};
    }
    QASSAY_STEP auto operator()(Input x) const {
      auto difference = subtract_wrapping(x, x_zero_point);
      auto converted = integer_to_binary32(difference);
      return multiply(converted, x_scale);
    }
  };

  static void check(const Arguments& arguments) {
    onnx::check_opset(arguments);
    if (arguments.own_type(Role::scale) == Type::bfloat16 || arguments.type(Role::dtype) == Type::bfloat16) {
      throw RequestError(
          ErrorKind::wrong_type,
          "onnxruntime.DequantizeLinear: the CPU provider has no bfloat16 kernel; use float32 or float16");
    }
  }
};

}  // namespace qassay::onnxruntime
