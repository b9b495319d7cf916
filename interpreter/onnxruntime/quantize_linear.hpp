#pragma once

#include "interpreter/elementwise.hpp"
#include "interpreter/onnx/parameters.hpp"

namespace qassay::onnxruntime {

/// ONNX Runtime's QuantizeLinear on CPU (MLAS, x86-64), to an integer type, one element.
///
/// It limits the quotient before rounding, so that nothing can overflow; where no NaN is met the result is the
/// specification's. Up to opset 21 the quotient of float16 inputs is kept in binary32.
struct QuantizeLinear {
  inline static const Signature signature{
      .id = "onnxruntime.QuantizeLinear",
      .summary =
          "y = round_half_even(clamp(x / y_scale, lowest - y_zero_point, highest - y_zero_point)) + y_zero_point",
      .inputs = {{"x", {Type::float32, Type::float16}, "any shape"}},
      .parameters = onnx::quantize_linear_parameters(),
      .outputs = {{"y", OutputRule::of_dtype, {}, "codes, shaped like x"}},
      .steps = {{"quotient", "one division: binary32 up to opset 21, then the type of y_scale or precision"},
                {"raised", "to at least lowest - y_zero_point; NaN becomes that"},
                {"limited", "to at most highest - y_zero_point"},
                {"rounded", "to an integer, ties to even"},
                {"code", "integer sum; it cannot leave the range"}},
      .edges =
          "NaN gives the lowest code, infinities saturate. Scales: 0 and negative are used as they are; NaN gives the "
          "lowest code.",
      .source = "onnxruntime/core/mlas/lib/quantize.cpp, MlasQuantizeLinear",
      .verified = "onnxruntime 1.32.0",
  };

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Real;
    Real y_scale;
    Integer<Real> y_zero_point;
    Single<Real> lowest;
    Single<Real> highest;

    static Element at(const Values<Real>& values) {
      const CodeRange range = values.codes(Role::dtype);
      const std::int64_t zero_point = values.raw_integer(Role::zero_point);
      return {values.real(Role::scale), values.integer(Role::zero_point), values.single(range.lowest - zero_point),
              values.single(range.highest - zero_point)};
    }
    QASSAY_STEP auto operator()(Real x) const {
      auto quotient = to_binary32(divide(x, y_scale));
      auto raised = at_least_or_bound_if_nan(quotient, lowest);
      auto limited = at_most_or_bound_if_nan(raised, highest);
      auto rounded = round_half_even(limited);
      return add_exact(to_integer(rounded), y_zero_point);
    }
  };

  /// What the CPU provider has kernels for.
  static void check(const Arguments& arguments) {
    onnx::check_opset(arguments);
    for (const Type type : {arguments.own_type(Role::scale), onnx::quotient_type(arguments)}) {
      if (type != Type::bfloat16) continue;
      throw RequestError(ErrorKind::wrong_type,
                         "onnxruntime.QuantizeLinear: the CPU provider has no bfloat16 kernel; use float32 or float16");
    }
  }

  static auto select(const Arguments& arguments, auto run) {
    const bool in_binary16 = arguments.whole(Role::opset) >= 23 && onnx::quotient_type(arguments) == Type::float16;
    return in_binary16 ? run.template operator()<Element, Binary16>() : run.template operator()<Element, float>();
  }
};

}  // namespace qassay::onnxruntime
