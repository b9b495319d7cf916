#pragma once

#include "interpreter/elementwise.hpp"
#include "interpreter/onnx/parameters.hpp"
#include "interpreter/openvino/narrowing_parts.hpp"

namespace qassay::openvino {

/// ONNX DequantizeLinear as OpenVINO's ONNX front end decomposes it, on the reference kernels, one element.
struct DequantizeLinear {
  inline static const Signature signature{
      .id = "openvino.DequantizeLinear",
      .summary = "y = (convert(x) - convert(x_zero_point)) * convert(x_scale), everything in the type of y",
      .inputs = {{"x", onnx::kDequantizableTypes, "codes, any shape"}},
      .parameters = onnx::dequantize_linear_parameters(),
      .outputs = {{"y", OutputRule::of_dtype, {}, "shaped like x"}},
      .steps = {{"converted",
                 "x, x_zero_point and x_scale to the type of y; to bfloat16 by cutting, unless the last bit kept is 1"},
                {"difference", "in the type of y"},
                {"y", "product in the type of y"}},
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
    Type type;

    static Element at(const Values<Real>& values) {
      const Type type = values.dtype();
      return {through(values.real(Role::scale), type),
              through(integer_to_binary32(values.integer(Role::zero_point)), type), type};
    }
    QASSAY_STEP auto operator()(Input x) const {
      auto converted = through(integer_to_binary32(x), type);
      auto difference = through(subtract(converted, x_zero_point), type);
      return through(multiply(difference, x_scale), type);
    }
  };
};

}  // namespace qassay::openvino
