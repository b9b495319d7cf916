#pragma once

#include "interpreter/pytorch/learnable_gradient_parts.hpp"

namespace qassay::pytorch {

/// The gradients of torch._fake_quantize_learnable_per_tensor_affine on CPU. They use another zero point than the
/// forward pass (-3 there is -2 here), and add it before rounding.
/// The terms are bit-exact; of their sums see Output::sum_of.
struct fake_quantize_learnable_per_tensor_affine_backward {
  inline static const Signature signature{
      .id = "pytorch.fake_quantize_learnable_per_tensor_affine_backward",
      .summary =
          "in range: dx = dy, dscale = sum(dy * (dequantized - x) / scale); below or above: dx = 0, dscale = "
          "sum(dy * (bound - zero_point)), dzero_point = sum(-dy * scale)",
      .kind = FormulaKind::composite,
      .inputs = gradient_inputs(),
      .parameters = {learned_scale_parameter(Spread::alone), learned_zero_point_parameter(Spread::alone),
                     quant_min_parameter(), quant_max_parameter(), grad_factor_parameter(), contraction_parameter()},
      .outputs = gradient_outputs("one value: the sum of dscale_terms", "one value: the sum of dzero_point_terms"),
      .steps = gradient_steps(
          "zero point + 0.5 in binary32, limited, truncated: an integer, but not the one of the forward pass"),
      .edges =
          "NaN and what is out of int64 count as below the range. The zero point -3 counts as -2, 2.5 as 3. For an "
          "empty x "
          "dscale is scale and dzero_point is zero_point.",
      .source =
          "aten/src/ATen/native/quantized/cpu/kernels/QuantizedOpKernels.cpp, "
          "_fake_quantize_grad_learnable_tensor_kernel_cpu; FakeQuantPerTensorAffine.cpp",
      .verified = "torch 2.13.0",
  };

  /// An integer.
  template <class Real>
  struct Shift {
    Double<Real> integral;

    QASSAY_STEP static Shift of(Single<Real> zero_point, Single<Real> low, Single<Real> high) {
      auto moved = add(zero_point, constant(0.5, zero_point));
      auto raised = at_least_keeping_nan(moved, low);
      return {truncate_to_int64(at_most_keeping_nan(raised, high))};
    }
    QASSAY_STEP auto added() const { return to_binary32(integral); }
    QASSAY_STEP auto taken_from(Double<Real> code) const { return to_binary32(subtract(code, integral)); }
  };

  struct Terms {
    inline static const Signature signature{
        .id = "pytorch.fake_quantize_learnable_per_tensor_affine_backward/terms",
        .summary = "the three gradients of one element",
        .inputs = fake_quantize_learnable_per_tensor_affine_backward::signature.inputs,
        .parameters = fake_quantize_learnable_per_tensor_affine_backward::signature.parameters,
        .outputs = {{"dx", OutputRule::fixed, Type::float32, ""},
                    {"dscale_terms", OutputRule::fixed, Type::float32, ""},
                    {"dzero_point_terms", OutputRule::fixed, Type::float32, ""}},
        .steps = fake_quantize_learnable_per_tensor_affine_backward::signature.steps,
    };
    static constexpr std::size_t input_count = 2;

    template <class Real>
    using Element = GradientTerms<Real, Shift>;
  };

  static void check(const Arguments& arguments) {
    check_learned(arguments);
    check_holds_zero(arguments);
  }

  static ProgramCalls program(const Arguments& arguments) { return gradients_program<Terms, Spread::alone>(arguments); }
};

}  // namespace qassay::pytorch
