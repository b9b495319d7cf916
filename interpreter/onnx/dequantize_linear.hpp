#pragma once

#include "interpreter/elementwise.hpp"
#include "interpreter/onnx/parameters.hpp"

namespace qassay::onnx {

/// ONNX DequantizeLinear from an integer type, one element.
///
/// The output's type is the type of the multiplication (from opset 23 on in so many words; before, it is the scale's
/// type).
struct DequantizeLinear {
  inline static const Signature signature{
      .id = "onnx.DequantizeLinear",
      .summary = "y = (x - x_zero_point) * x_scale",
      .authority = Authority::specification,
      .inputs = {{"x", kDequantizableTypes, "codes, any shape"}},
      .parameters = dequantize_linear_parameters(),
      .outputs = {{"y", OutputRule::of_dtype, {}, "shaped like x"}},
      .steps = {{"difference", "exact integer difference"},
                {"converted", "to the type of the output, rounded once where it does not fit"},
                {"product", "one multiplication in the type of the output"}},
      .edges = "Unspecified: scales that are not finite and positive.",
      .source = "ONNX operator DequantizeLinear, versions 10, 13, 19, 21, 23, 25",
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
      auto difference = subtract_exact(x, x_zero_point);
      auto converted = in_format_of(x_scale, difference);
      return multiply(converted, x_scale);
    }
    bool is_specified(Input /*x*/) const { return is_finite_and_positive(x_scale); }
  };

  static void check(const Arguments& arguments) { check_opset(arguments); }

  static auto select(const Arguments& arguments, auto run) {
    switch (arguments.type(Role::dtype)) {
      case Type::float16: return run.template operator()<Element, Binary16>();
      case Type::bfloat16: return run.template operator()<Element, Bfloat16>();
      default: return run.template operator()<Element, float>();
    }
  }
};

}  // namespace qassay::onnx
