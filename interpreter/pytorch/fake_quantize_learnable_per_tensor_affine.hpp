#pragma once

#include "interpreter/pytorch/fake_quantize_per_tensor_affine.hpp"

namespace qassay::pytorch {

/// torch._fake_quantize_learnable_per_tensor_affine on CPU, forward, one element: the zero point that training moved is
/// rounded, then limited; the rest is fake_quantize_per_tensor_affine.
struct fake_quantize_learnable_per_tensor_affine {
  inline static const Signature signature{
      .id = "pytorch.fake_quantize_learnable_per_tensor_affine",
      .summary =
          "y = fake_quantize_per_tensor_affine(x, scale, clamp(round_half_even(zero_point), quant_min, quant_max))",
      .inputs = {{"x", {Type::float32}, "any shape"}},
      .parameters = {learned_scale_parameter(Spread::alone), learned_zero_point_parameter(Spread::alone),
                     quant_min_parameter(), quant_max_parameter()},
      .outputs = {{"y", OutputRule::of_input, {}, "on the grid, shaped like x"}},
      .steps = {{"nearest", "the zero point to an integral value, ties to even"},
                {"zero point", "to at least quant_min and at most quant_max, as an integer"},
                {"y", "as pytorch.fake_quantize_per_tensor_affine"}},
      .edges = "The backward pass uses another zero point. NaN in x gives quant_min's value; infinities saturate.",
      .source =
          "aten/src/ATen/native/quantized/FakeQuantPerTensorAffine.cpp, "
          "_fake_quantize_learnable_per_tensor_affine",
      .verified = "torch 2.13.0",
  };

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Real;
    Single<Real> scale;
    Single<Real> zero_point;
    Integer<Real> quant_min;
    Integer<Real> quant_max;

    static Element at(const Values<Real>& values) {
      return {values.binary32(Role::scale), values.binary32(Role::zero_point), values.whole(Role::quant_min),
              values.whole(Role::quant_max)};
    }
    QASSAY_STEP auto operator()(Real x) const {
      auto nearest = round_half_even(zero_point);
      auto raised = at_least_keeping_nan(nearest, integer_to_binary32(quant_min));
      auto limited = at_most_keeping_nan(raised, integer_to_binary32(quant_max));
      // No integer is -0, but GCC 12 takes a conversion there and back for a truncation.
      auto integral = add(limited, constant(0, limited));
      const fake_quantize_per_tensor_affine::Element<Real> rest{to_binary64(scale), truncate_to_int32(integral),
                                                                quant_min, quant_max};
      return std::get<0>(rest(x));
    }
  };

  static void check(const Arguments& arguments) { check_learned(arguments); }
};

}  // namespace qassay::pytorch
