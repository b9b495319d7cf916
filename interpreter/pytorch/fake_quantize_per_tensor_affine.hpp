#pragma once

#include "interpreter/elementwise.hpp"
#include "interpreter/pytorch/parameters.hpp"

namespace qassay::pytorch {

/// torch.fake_quantize_per_tensor_affine on CPU, one element, with the mask that its gradient uses.
struct fake_quantize_per_tensor_affine {
  inline static const Signature signature{
      .id = "pytorch.fake_quantize_per_tensor_affine",
      .summary =
          "y = (clamp(zero_point + round_half_even(x * (1 / scale)), quant_min, quant_max) - zero_point) * scale",
      .inputs = {{"x", {Type::float32, Type::float16, Type::bfloat16, Type::float64}, "any shape"}},
      .parameters = {scale_parameter(), zero_point_parameter(Within::quant_range), quant_min_parameter(),
                     quant_max_parameter()},
      .outputs = {{"y", OutputRule::of_input, {}, "on the grid, shaped like x"},
                  {"mask", OutputRule::fixed, Type::boolean, "true where the gradient passes"}},
      .steps = {{"scale", "rounded to binary32"},
                {"inverse", "1 / scale, one binary32 division"},
                {"product", "x * inverse, one multiplication in binary32, or binary64 for a binary64 x"},
                {"rounded", "to an integral value, ties to even"},
                {"shifted", "zero point added, one rounding"},
                {"raised", "to at least quant_min; NaN becomes that"},
                {"code", "to at most quant_max"},
                {"difference", "code - zero point, to binary32"},
                {"y", "one binary32 multiplication, then the type of x"}},
      .edges = "NaN gives quant_min's value with mask false; infinities saturate.",
      .source = "aten/src/ATen/native/quantized/cpu/kernels/QuantizedOpKernels.cpp, _fake_quantize_tensor_helper",
      .verified = "torch 2.13.0",
  };

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Real;
    Double<Real> scale;
    Integer<Real> zero_point;
    Integer<Real> quant_min;
    Integer<Real> quant_max;

    static Element at(const Values<Real>& values) {
      return {values.binary64(Role::scale), values.integer(Role::zero_point), values.whole(Role::quant_min),
              values.whole(Role::quant_max)};
    }
    QASSAY_STEP std::tuple<Single<Real>, bool> operator()(Real x) const {
      auto single_scale = to_binary32(scale);
      auto inverse = reciprocal(single_scale);
      auto product = multiply(x, in_format_of(x, inverse));
      auto rounded = round_half_even(product);
      auto shifted = add(from_integer(zero_point, x), rounded);
      bool mask = is_between(shifted, from_integer(quant_min, x), from_integer(quant_max, x));
      auto raised = at_least_or_bound_if_nan(to_binary64(shifted), integer_to_binary64(quant_min));
      auto code = at_most_or_bound_if_nan(raised, integer_to_binary64(quant_max));
      auto difference = to_binary32(subtract(code, integer_to_binary64(zero_point)));
      auto y = multiply(difference, single_scale);
      return {y, mask};
    }
  };

  static auto select(const Arguments& arguments, auto run) {
    return arguments.input_type == Type::float64 ? run.template operator()<Element, double>()
                                                 : run.template operator()<Element, float>();
  }
};

}  // namespace qassay::pytorch
