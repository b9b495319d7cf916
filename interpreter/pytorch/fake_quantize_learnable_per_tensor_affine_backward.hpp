#pragma once

#include "interpreter/pytorch/parts.hpp"

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
      .inputs = {{"x", {Type::float32}, "as in the forward pass"}, {"dy", {Type::float32}, "the gradient of y"}},
      .parameters = {learned_scale_parameter(Spread::alone), learned_zero_point_parameter(Spread::alone),
                     quant_min_parameter(), quant_max_parameter(), grad_factor_parameter(), contraction_parameter()},
      .outputs = {{"dx", OutputRule::fixed, Type::float32, "the gradient of x"},
                  {"dscale_terms", OutputRule::fixed, Type::float32, "each element's part of dscale"},
                  {"dzero_point_terms", OutputRule::fixed, Type::float32, "each element's part of dzero_point"},
                  {"dscale", OutputRule::fixed, Type::float32, "one value: the sum of dscale_terms", "dscale_terms"},
                  {"dzero_point", OutputRule::fixed, Type::float32, "one value: the sum of dzero_point_terms",
                   "dzero_point_terms"}},
      .steps = {{"shift",
                 "zero point + 0.5 in binary32, limited, truncated: an integer, but not the one of the forward pass"},
                {"inverse", "1 / scale, one binary32 division"},
                {"sum", "x * inverse + shift, fused under fma, else two roundings"},
                {"code", "to an integral value, ties to even, then to int64; out of range gives INT64_MIN"},
                {"in range",
                 "dx = dy; error = (code - shift) * scale - x, the last two fused under fma; dscale = dy * "
                 "error * inverse * grad_factor; dzero_point = 0"},
                {"out of range",
                 "dx = dy * 0; dscale = dy * (bound - shift) * grad_factor; dzero_point = -dy * scale * "
                 "grad_factor"}},
      .edges =
          "NaN and what is out of int64 count as below the range. The zero point -3 counts as -2, 2.5 as 3. For an "
          "empty x "
          "dscale is scale and dzero_point is zero_point.",
      .source =
          "aten/src/ATen/native/quantized/cpu/kernels/QuantizedOpKernels.cpp, "
          "_fake_quantize_grad_learnable_tensor_kernel_cpu; FakeQuantPerTensorAffine.cpp",
      .verified = "torch 2.13.0",
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
    struct Element {
      using Number = Real;
      using Input = Real;
      Single<Real> scale;
      Single<Real> zero_point;
      Single<Real> grad_factor;
      Integer<Real> quant_min;
      Integer<Real> quant_max;
      Contraction contraction;

      static Element at(const Values<Real>& values) {
        return {values.binary32(Role::scale),       values.binary32(Role::zero_point),
                values.binary32(Role::grad_factor), values.whole(Role::quant_min),
                values.whole(Role::quant_max),      values.template choice<Contraction>(Role::contraction)};
      }
      QASSAY_STEP std::tuple<Real, Real, Real> operator()(Real x, Real dy) const {
        auto low = integer_to_binary32(quant_min);
        auto high = integer_to_binary32(quant_max);
        auto moved = add(zero_point, constant(0.5, zero_point));
        auto raised = at_least_keeping_nan(moved, low);
        auto integral = truncate_to_int64(at_most_keeping_nan(raised, high));
        auto shift = to_binary32(integral);
        auto inverse = reciprocal(scale);
        auto sum =
            contraction == Contraction::fma ? fused_multiply_add(x, inverse, shift) : add(shift, multiply(x, inverse));
        auto integer = truncate_to_int64(round_half_even(sum));
        auto lowest = integer_to_binary64(quant_min);
        auto highest = integer_to_binary64(quant_max);
        auto code = at_most_keeping_nan(at_least_keeping_nan(integer, lowest), highest);
        auto difference = to_binary32(subtract(code, integral));
        // Only sums can be seen, and they begin at +0.
        const auto summed = [](Real term) { return add(constant(0, term), term); };
        if (!is_between(integer, lowest, highest)) {
          auto towards_scale = multiply(multiply(dy, difference), grad_factor);
          auto towards_zero_point = multiply(multiply(negate(dy), scale), grad_factor);
          return {multiply(dy, constant(0, dy)), summed(towards_scale), summed(towards_zero_point)};
        }
        auto error = contraction == Contraction::fma ? fused_multiply_add(difference, scale, negate(x))
                                                     : subtract(multiply(difference, scale), x);
        auto towards_scale = multiply(multiply(multiply(dy, error), inverse), grad_factor);
        return {multiply(dy, constant(1, dy)), summed(towards_scale), constant(0, dy)};
      }
    };
  };

  static void check(const Arguments& arguments) {
    check_learned(arguments);
    check_holds_zero(arguments);
  }

  static ProgramCalls program(const Arguments& arguments) {
    ProgramCalls calls{
        {elementwise<Terms>(),
         {{"x", "x"}, {"dy", "dy"}},
         {{"scale", FromValue{"scale"}},
          {"zero_point", FromValue{"zero_point"}},
          {"quant_min", FromValue{"quant_min"}},
          {"quant_max", FromValue{"quant_max"}},
          {"grad_factor", FromValue{"grad_factor"}},
          {"contraction", FromValue{"contraction"}}},
         {{"dx", "dx"}, {"dscale_terms", "dscale_terms"}, {"dzero_point_terms", "dzero_point_terms"}}},
        {reduction<Sum<Spread::alone>>(), {{"terms", "dscale_terms"}}, {}, {{"sum", "dscale"}}},
        {reduction<Sum<Spread::alone>>(), {{"terms", "dzero_point_terms"}}, {}, {{"sum", "dzero_point"}}},
    };
    if (element_count(arguments.shape) == 0) calls.push_back(gradients_of_nothing_call());
    return calls;
  }
};

}  // namespace qassay::pytorch
