#pragma once

#include "interpreter/elementwise.hpp"
#include "interpreter/onnx/parameters.hpp"

namespace qassay::onnx {

/// ONNX QuantizeLinear to an integer type, one element.
///
/// The quotient is taken in the type of y_scale, or in `precision`: binary32, float16 or bfloat16. Before opset 23 x
/// and y_scale have one type. The order matters: rounding comes before the zero point, so a tie goes to the even
/// quotient, not to the even code.
struct QuantizeLinear {
  inline static const Signature signature{
      .id = "onnx.QuantizeLinear",
      .summary = "y = saturate(round_half_even(x / y_scale) + y_zero_point)",
      .authority = Authority::specification,
      .inputs = {{"x", {Type::float32, Type::float16, Type::bfloat16}, "any shape"}},
      .parameters = quantize_linear_parameters(),
      .outputs = {{"y", OutputRule::of_dtype, {}, "codes, shaped like x"}},
      .steps = {{"quotient", "one division in the type of y_scale, not a product with the reciprocal"},
                {"rounded", "to an integer, ties to even, before the zero point is added"},
                {"shifted", "exact integer sum"},
                {"code", "saturated to the output type"}},
      .edges = "Unspecified: NaN quotients, scales that are not finite and positive. Infinities saturate.",
      .source = "ONNX operator QuantizeLinear, versions 10, 13, 19, 21, 23, 25",
  };

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Real;
    Real y_scale;
    Integer<Real> y_zero_point;
    CodeRange range;

    static Element at(const Values<Real>& values) {
      return {values.real(Role::scale), values.integer(Role::zero_point), values.codes(Role::dtype)};
    }
    QASSAY_STEP auto operator()(Real x) const {
      auto quotient = divide(x, y_scale);
      auto rounded = round_half_even(quotient);
      auto shifted = add_exact(rounded, y_zero_point);
      return saturate(shifted, range);
    }
    bool is_specified(Real x) const { return is_finite_and_positive(y_scale) && !is_nan(x); }
  };

  static void check(const Arguments& arguments) { check_opset(arguments); }

  static auto select(const Arguments& arguments, auto run) {
    switch (quotient_type(arguments)) {
      case Type::float16: return run.template operator()<Element, Binary16>();
      case Type::bfloat16: return run.template operator()<Element, Bfloat16>();
      default: return run.template operator()<Element, float>();
    }
  }
};

}  // namespace qassay::onnx
