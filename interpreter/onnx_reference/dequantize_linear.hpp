#pragma once

#include "interpreter/elementwise.hpp"
#include "interpreter/onnx/parameters.hpp"

namespace qassay::onnx_reference {

/// DequantizeLinear of onnx.reference.ReferenceEvaluator, one element. NumPy computes in binary32, or in binary64 where
/// the zero point is int32.
struct DequantizeLinear {
  inline static const Signature signature{
      .id = "onnx_reference.DequantizeLinear",
      .summary = "y = convert((binary32(x) - x_zero_point) * x_scale)",
      .inputs = {{"x", onnx::kDequantizableTypes, "codes, any shape"}},
      .parameters = onnx::dequantize_linear_parameters(),
      .outputs = {{"y", OutputRule::of_dtype, {}, "shaped like x"}},
      .steps = {{"converted", "x to binary32, rounded once above 2^24"},
                {"difference", "in binary32, for int32 in binary64"},
                {"product", "one multiplication in the same type"},
                {"y", "converted to the output's type, to bfloat16 by way of binary32"}},
      .edges = "Scales are used as they are.",
      .source = "onnx/reference/ops/op_dequantize_linear.py",
      .verified = "onnx 1.23.2",
  };

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Integer<Real>;
    Real x_scale;
    Integer<Real> x_zero_point;
    Type output;

    static Element at(const Values<Real>& values) {
      return {values.real(Role::scale), values.integer(Role::zero_point), values.dtype()};
    }
    QASSAY_STEP auto operator()(Input x) const {
      auto converted = in_format_of(x_scale, integer_to_binary32(x));
      auto difference = subtract(converted, from_integer(x_zero_point, x_scale));
      auto product = multiply(difference, x_scale);
      return output == Type::bfloat16 ? in_format_of(product, to_binary32(product)) : product;
    }
  };

  static auto select(const Arguments& arguments, auto run) {
    return arguments.input_type == Type::int32 ? run.template operator()<Element, double>()
                                               : run.template operator()<Element, float>();
  }
};

}  // namespace qassay::onnx_reference
