#pragma once

#include "interpreter/elementwise.hpp"
#include "interpreter/onnx/parameters.hpp"

namespace qassay::openvino {

/// ONNX DequantizeLinear as OpenVINO's ONNX front end decomposes it, on the reference kernels, one element.
struct DequantizeLinear {
  inline static const Signature signature{
      .id = "openvino.DequantizeLinear",
      .summary = "y = (binary32(x) - binary32(x_zero_point)) * x_scale",
      .inputs = {{"x", onnx::kDequantizableTypes, "codes, any shape"}},
      .parameters = onnx::dequantize_linear_parameters(),
      .outputs = {{"y", OutputRule::of_dtype, {}, "shaped like x"}},
      .steps = {{"converted", "x and x_zero_point to binary32, rounded once above 2^24"},
                {"difference", "one binary32 subtraction"},
                {"y", "one binary32 multiplication, then the output's type"}},
      .edges = "Scales are used as they are.",
      .source = "openvino/src/frontends/onnx/frontend/src/op/dequantize_linear.cpp",
      .verified = "openvino 2026.4.1",
  };

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Integer<Real>;
    Real x_scale;
    Real x_zero_point;

    static Element at(const Values<Real>& values) {
      return {values.real(Role::scale), integer_to_binary32(values.integer(Role::zero_point))};
    }
    QASSAY_STEP auto operator()(Input x) const {
      auto difference = subtract(integer_to_binary32(x), x_zero_point);
      return multiply(difference, x_scale);
    }
  };

  static void check(const Arguments& arguments) { onnx::check_opset(arguments); }
};

}  // namespace qassay::openvino
