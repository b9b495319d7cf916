#pragma once

#include "interpreter/pytorch/learnable_gradient_parts.hpp"

namespace qassay::pytorch {

/// The gradients of torch._fake_quantize_learnable_per_channel_affine on CPU. The zero point is rounded and limited as
/// in the forward pass, but added before rounding. The terms are bit-exact; of their sums see Output::sum_of.
struct fake_quantize_learnable_per_channel_affine_backward {
  inline static const Signature signature{
      .id = "pytorch.fake_quantize_learnable_per_channel_affine_backward",
      .summary =
          "in range: dx = dy, dscale = sum(dy * (dequantized - x) / scale); below or above: dx = 0, dscale = "
          "sum(dy * (bound - zero_point)), dzero_point = sum(-dy * scale)",
      .kind = FormulaKind::composite,
      .inputs = gradient_inputs(),
      .parameters = {learned_scale_parameter(Spread::along_axis), learned_zero_point_parameter(Spread::along_axis),
                     axis_parameter(), quant_min_parameter(), quant_max_parameter(), grad_factor_parameter(),
                     contraction_parameter()},
      .outputs = gradient_outputs("one for each slice along axis: the sum of dscale_terms",
                                  "one for each slice along axis: the sum of dzero_point_terms"),
      .steps = gradient_steps("the zero point to an integral value, ties to even, then limited"),
      .edges =
          "NaN and what is out of int64 count as below the range. For an empty x dscale is scale and "
          "dzero_point is zero_point.",
      .source =
          "aten/src/ATen/native/quantized/cpu/kernels/QuantizedOpKernels.cpp, "
          "_fake_quantize_grad_learnable_channel_kernel_cpu; FakeQuantPerChannelAffine.cpp",
      .verified = "torch 2.13.0",
  };

  /// Integral, but a binary32 number.
  template <class Real>
  struct Shift {
    Single<Real> integral;

    QASSAY_STEP static Shift of(Single<Real> zero_point, Single<Real> low, Single<Real> high) {
      auto nearest = round_half_even(zero_point);
      auto raised = at_least_keeping_nan(nearest, low);
      return {at_most_keeping_nan(raised, high)};
    }
    QASSAY_STEP auto added() const { return integral; }
    QASSAY_STEP auto taken_from(Double<Real> code) const { return subtract(to_binary32(code), integral); }
  };

  struct Terms {
    inline static const Signature signature{
        .id = "pytorch.fake_quantize_learnable_per_channel_affine_backward/terms",
        .summary = "the three gradients of one element",
        .inputs = fake_quantize_learnable_per_channel_affine_backward::signature.inputs,
        .parameters = fake_quantize_learnable_per_channel_affine_backward::signature.parameters,
        .outputs = {{"dx", OutputRule::fixed, Type::float32, ""},
                    {"dscale_terms", OutputRule::fixed, Type::float32, ""},
                    {"dzero_point_terms", OutputRule::fixed, Type::float32, ""}},
        .steps = fake_quantize_learnable_per_channel_affine_backward::signature.steps,
    };
    static constexpr std::size_t input_count = 2;

    template <class Real>
    using Element = GradientTerms<Real, Shift>;
  };

  static void check(const Arguments& arguments) {
    check_learned(arguments);
    check_holds_zero(arguments);
    check_has_channels(arguments);
    if (arguments.shape.size() > 1) return;
    throw RequestError(ErrorKind::wrong_shape,
                       fmt::format("{}: x: has the shape {}; the sums of its channels need a further axis",
                                   signature.id, to_text(arguments.shape)));
  }

  static ProgramCalls program(const Arguments& arguments) {
    return gradients_program<Terms, Spread::along_axis>(arguments);
  }
};

}  // namespace qassay::pytorch
