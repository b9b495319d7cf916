#pragma once

#include "interpreter/elementwise.hpp"
#include "interpreter/onnx/parameters.hpp"

namespace qassay::onnxruntime {

/// What ONNX Runtime's QLinearConv and QLinearMatMul do to an int32 accumulator (bias added), one element.
struct requantize {
  inline static const Signature signature{
      .id = "onnxruntime.requantize",
      .summary = "y = round_half_even(clamp(acc * ((x_scale * w_scale) / y_scale))) + y_zero_point",
      .inputs = {{"acc", {Type::int32}, "accumulators, any shape"}},
      .parameters = onnx::requantize_parameters(),
      .outputs = {{"y", OutputRule::of_dtype, {}, "codes, shaped like acc"}},
      .steps = {{"product", "x_scale * w_scale, one binary32 multiplication"},
                {"multiplier", "product / y_scale, one binary32 division"},
                {"converted", "acc to binary32, rounded once above 2^24"},
                {"scaled", "one binary32 multiplication"},
                {"raised", "to at least lowest - y_zero_point; NaN becomes that"},
                {"limited", "to at most highest - y_zero_point"},
                {"rounded", "to an integer, ties to even"},
                {"code", "integer sum; it cannot leave the range"}},
      .edges = "A NaN multiplier gives the lowest code.",
      .source = "onnxruntime/core/mlas/lib/quantize.cpp, MlasRequantizeOutput",
      .verified = "onnxruntime 1.32.0",
  };

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Integer<Real>;
    Real x_scale;
    Real w_scale;
    Real y_scale;
    Integer<Real> y_zero_point;
    Real lowest;
    Real highest;

    static Element at(const Values<Real>& values) {
      const CodeRange range = values.codes(Role::dtype);
      const std::int64_t zero_point = values.raw_integer(Role::zero_point);
      return {values.real(Role::input_scale),
              values.real(Role::weight_scale),
              values.real(Role::scale),
              values.integer(Role::zero_point),
              values.single(range.lowest - zero_point),
              values.single(range.highest - zero_point)};
    }
    QASSAY_STEP auto operator()(Input acc) const {
      auto product = multiply(x_scale, w_scale);
      auto multiplier = divide(product, y_scale);
      auto scaled = multiply(integer_to_binary32(acc), multiplier);
      auto raised = at_least_or_bound_if_nan(scaled, lowest);
      auto limited = at_most_or_bound_if_nan(raised, highest);
      auto rounded = round_half_even(limited);
      return add_exact(to_integer(rounded), y_zero_point);
    }
  };
};

}  // namespace qassay::onnxruntime
