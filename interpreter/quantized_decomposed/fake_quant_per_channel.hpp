#pragma once

#include "interpreter/elementwise.hpp"
#include "interpreter/quantized_decomposed/parameters.hpp"

namespace qassay::quantized_decomposed {

/// quantized_decomposed.fake_quant_per_channel, one element, with the mask that its gradient uses. Unlike ATen's, NaN
/// stays NaN and everything is binary32.
struct fake_quant_per_channel {
  inline static const Signature signature{
      .id = "quantized_decomposed.fake_quant_per_channel",
      .summary =
          "y = (clamp(round_half_even(x * (1 / scale)) + zero_point, quant_min, quant_max) - zero_point) * scale",
      .inputs = {{"x", {Type::float32}, "any shape"}},
      .parameters = {scales_parameter(Spread::along_axis, OwnType::float32), zero_points_parameter(Spread::along_axis),
                     axis_parameter(), quant_min_parameter(), quant_max_parameter()},
      .outputs = {{"y", OutputRule::fixed, Type::float32, "on the grid, shaped like x"},
                  {"mask", OutputRule::fixed, Type::boolean, "true where the gradient passes"}},
      .steps = {{"inverse", "1 / scale, one binary32 division"},
                {"product", "x * inverse, one binary32 multiplication"},
                {"rounded", "to an integral value, ties to even"},
                {"shifted", "zero point added, one rounding"},
                {"raised", "to at least quant_min; NaN stays"},
                {"code", "to at most quant_max; NaN stays"},
                {"difference", "code - zero point, one binary32 subtraction"},
                {"y", "difference * scale, one binary32 multiplication"}},
      .edges = "NaN stays NaN, with mask false; infinities saturate.",
      .source = "torch/ao/quantization/fx/_decomposed.py, FakeQuantPerChannel",
      .verified = "torch 2.13.0",
  };

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Real;
    Real scale;
    Integer<Real> zero_point;
    Integer<Real> quant_min;
    Integer<Real> quant_max;

    static Element at(const Values<Real>& values) {
      return {values.real(Role::scale), values.integer(Role::zero_point), values.whole(Role::quant_min),
              values.whole(Role::quant_max)};
    }
    QASSAY_STEP std::tuple<Real, bool> operator()(Real x) const {
      auto offset = integer_to_binary32(zero_point);
      auto low = integer_to_binary32(quant_min);
      auto high = integer_to_binary32(quant_max);
      auto inverse = reciprocal(scale);
      auto product = multiply(x, inverse);
      auto rounded = round_half_even(product);
      auto shifted = add(rounded, offset);
      auto raised = at_least_keeping_nan(shifted, low);
      auto code = at_most_keeping_nan(raised, high);
      auto difference = subtract(code, offset);
      auto y = multiply(difference, scale);
      return {y, is_between(shifted, low, high)};
    }
  };
};

}  // namespace qassay::quantized_decomposed
