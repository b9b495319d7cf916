#pragma once

#include "interpreter/pytorch/fake_quantize_per_channel_affine.hpp"

namespace qassay::pytorch {

/// torch._fake_quantize_learnable_per_channel_affine on CPU, forward, one element: the zero points that training moved
/// are rounded, then limited; the rest is fake_quantize_per_channel_affine with integer zero points.
struct fake_quantize_learnable_per_channel_affine {
  inline static const Signature signature{
      .id = "pytorch.fake_quantize_learnable_per_channel_affine",
      .summary =
          "y = fake_quantize_per_channel_affine(x, scale, clamp(round_half_even(zero_point), quant_min, quant_max))",
      .inputs = {{"x", {Type::float32}, "any shape"}},
      .parameters = {learned_scale_parameter(Spread::along_axis), learned_zero_point_parameter(Spread::along_axis),
                     axis_parameter(), quant_min_parameter(), quant_max_parameter()},
      .outputs = {{"y", OutputRule::of_input, {}, "on the grid, shaped like x"}},
      .steps = {{"nearest", "the zero point to an integral value, ties to even"},
                {"zero point", "to at least quant_min and at most quant_max, as an integer"},
                {"y", "as pytorch.fake_quantize_per_channel_affine"}},
      .edges = "NaN, +inf and sums of 2^63 and more give quant_min's value, not quant_max's.",
      .source =
          "aten/src/ATen/native/quantized/FakeQuantPerChannelAffine.cpp, "
          "_fake_quantize_learnable_per_channel_affine",
      .verified = "torch 2.13.0",
  };

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Real;
    fake_quantize_per_channel_affine::Grid<Real> grid;
    Single<Real> zero_point;

    static Element at(const Values<Real>& values) {
      return {{values.binary32(Role::scale), values.whole(Role::quant_min), values.whole(Role::quant_max)},
              values.binary32(Role::zero_point)};
    }
    QASSAY_STEP auto operator()(Real x) const {
      auto nearest = round_half_even(zero_point);
      auto raised = at_least_keeping_nan(nearest, integer_to_binary32(grid.quant_min));
      auto limited = at_most_keeping_nan(raised, integer_to_binary32(grid.quant_max));
      // No integer is -0, but GCC 12 takes a conversion there and back for a truncation.
      auto integral = add(limited, constant(0, limited));
      const fake_quantize_per_channel_affine::IntegerZeroPoint<Real> rest{grid, truncate_to_int32(integral)};
      return std::get<0>(rest(x));
    }
  };

  static void check(const Arguments& arguments) {
    check_learned(arguments, true);
    check_has_channels(arguments);
  }
};

}  // namespace qassay::pytorch
