#pragma once

#include "interpreter/elementwise.hpp"
#include "interpreter/onnx/parameters.hpp"

namespace qassay::onnx_reference {

/// The quotient's type by NumPy's promotion: of x and y_scale, or `precision`.
inline Type promoted_quotient_type(const Arguments& arguments) {
  if (arguments.choice<onnx::Precision>(Role::precision) != onnx::Precision::none)
    return onnx::quotient_type(arguments);
  const Type x = arguments.input_type;
  const Type scale = arguments.own_type(Role::scale);
  if (x == Type::int32) return Type::float64;
  return x == scale ? x : Type::float32;
}

/// QuantizeLinear of onnx.reference.ReferenceEvaluator, to an integer type, one element.
///
/// The rounded quotient goes through int32 before it is limited: what is beyond becomes INT_MIN, and the sum with the
/// zero point wraps.
struct QuantizeLinear {
  inline static const Signature signature{
      .id = "onnx_reference.QuantizeLinear",
      .summary = "y = clip(int32(round_half_even(x / y_scale)) + y_zero_point, lowest, highest)",
      .inputs = {{"x", {Type::float32, Type::float16, Type::bfloat16, Type::int32}, "any shape"}},
      .parameters = onnx::quantize_linear_parameters(),
      .outputs = {{"y", OutputRule::of_dtype, {}, "codes, shaped like x"}},
      .steps = {{"quotient", "one division in NumPy's promoted type, or in precision"},
                {"rounded", "to an integral value, ties to even"},
                {"integer", "to int32; NaN and what is out of range become INT_MIN"},
                {"shifted", "sum modulo 2^32"},
                {"code", "limited to the output type"}},
      .edges =
          "NaN, infinities and quotients of 2^31 and more become INT_MIN, so the lowest code, or the highest where a "
          "negative zero point wraps.",
      .source = "onnx/reference/ops/op_quantize_linear.py",
      .verified = "onnx 1.23.2",
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
      auto integer = truncate_to_int32(rounded);
      auto shifted = add_wrapping(integer, y_zero_point);
      return saturate(shifted, range);
    }
  };

  static auto select(const Arguments& arguments, auto run) {
    switch (promoted_quotient_type(arguments)) {
      case Type::float16: return run.template operator()<Element, Binary16>();
      case Type::bfloat16: return run.template operator()<Element, Bfloat16>();
      case Type::float64: return run.template operator()<Element, double>();
      default: return run.template operator()<Element, float>();
    }
  }
};

}  // namespace qassay::onnx_reference
