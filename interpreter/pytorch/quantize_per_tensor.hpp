#pragma once

#include "interpreter/elementwise.hpp"
#include "interpreter/pytorch/parameters.hpp"
#include "interpreter/pytorch/quantize_per_channel.hpp"

namespace qassay::pytorch {

/// What FBGEMM's batch kernel is limited to before it converts to int32: the largest binary32 value below 2^31.
inline constexpr int kHighestBatchValue = 2147483520;

/// torch.quantize_per_tensor on CPU with AVX2, one element. 8-bit types go through FBGEMM's batch kernel, int32 through
/// the scalar one.
struct quantize_per_tensor {
  inline static const Signature signature{
      .id = "pytorch.quantize_per_tensor",
      .summary = "q = clip(int32(round_half_even(x * (1 / scale))) + zero_point)",
      .inputs = {{"x", {Type::float32}, "any shape"}},
      .parameters = {scale_parameter(), zero_point_parameter(Within::output_type), dtype_parameter()},
      .outputs = {{"q", OutputRule::of_dtype, {}, "codes, shaped like x"}},
      .steps = {{"scale", "rounded to binary32"},
                {"inverse", "1 / scale, one binary32 division"},
                {"product", "x * inverse, one binary32 multiplication"},
                {"capped", "to at most 2147483520; NaN becomes that"},
                {"rounded", "to an integral value, ties to even"},
                {"integer", "to int32; below -2^31 gives INT_MIN"},
                {"shifted", "zero point added modulo 2^32"},
                {"code", "limited to the type"}},
      .edges =
          "The sum can wrap: +inf and NaN give 0 for quint8 with zero points from 128 on, -inf gives 127 for qint8 "
          "with negative ones.",
      .source = "FBGEMM src/QuantUtilsAvx2.cc, QuantizeAvx2, since 2026-04; torch 2.12.1 and 2.14.1",
      .verified = {},
  };

  template <class Real>
  struct BatchElement {
    using Number = Real;
    using Input = Real;
    Double<Real> scale;
    Integer<Real> zero_point;
    CodeRange range;

    static BatchElement at(const Values<Real>& values) {
      return {values.binary64(Role::scale), values.integer(Role::zero_point), values.codes(Role::dtype)};
    }
    QASSAY_STEP auto operator()(Real x) const {
      auto inverse = reciprocal(to_binary32(scale));
      auto product = multiply(x, inverse);
      auto capped = at_most_or_bound_if_nan(product, constant(kHighestBatchValue, product));
      auto integer = truncate_to_int32(round_half_even(capped));
      auto shifted = add_wrapping(integer, zero_point);
      return saturate(shifted, range);
    }
  };

  static auto select(const Arguments& arguments, auto run) {
    if (arguments.type(Role::dtype) == Type::int32)
      return run.template operator()<quantize_per_channel::Element, float>();
    return run.template operator()<BatchElement, float>();
  }
};

/// torch.quantize_per_tensor as torch 2.13 computes it: the zero point goes inside the rounding, fused.
struct quantize_per_tensor_2_13 {
  inline static const Signature signature{
      .id = "pytorch.quantize_per_tensor@2.13",
      .summary = "q = clip(int32(round_half_even(fma(x, 1 / scale, zero_point))))",
      .inputs = quantize_per_tensor::signature.inputs,
      .parameters = quantize_per_tensor::signature.parameters,
      .outputs = quantize_per_tensor::signature.outputs,
      .steps = {{"scale", "rounded to binary32"},
                {"inverse", "1 / scale, one binary32 division"},
                {"shifted", "x * inverse + zero_point, fused, one rounding"},
                {"capped", "to at most 2147483520; NaN becomes that"},
                {"rounded", "to an integral value, ties to even"},
                {"integer", "to int32; below -2^31 gives INT_MIN"},
                {"code", "limited to the type"}},
      .edges = "NaN gives the highest code; infinities saturate.",
      .source = "FBGEMM src/QuantUtilsAvx2.cc, QuantizeAvx2 with LEGACY; torch 2.13.0",
      .verified = "torch 2.13.0",
  };

  template <class Real>
  struct BatchElement {
    using Number = Real;
    using Input = Real;
    Double<Real> scale;
    Integer<Real> zero_point;
    CodeRange range;

    static BatchElement at(const Values<Real>& values) {
      return {values.binary64(Role::scale), values.integer(Role::zero_point), values.codes(Role::dtype)};
    }
    QASSAY_STEP auto operator()(Real x) const {
      auto inverse = reciprocal(to_binary32(scale));
      auto shifted = fused_multiply_add(x, inverse, integer_to_binary32(zero_point));
      auto capped = at_most_or_bound_if_nan(shifted, constant(kHighestBatchValue, shifted));
      auto integer = truncate_to_int32(round_half_even(capped));
      return saturate(integer, range);
    }
  };

  static auto select(const Arguments& arguments, auto run) {
    if (arguments.type(Role::dtype) == Type::int32)
      return run.template operator()<quantize_per_channel_2_13::Element, float>();
    return run.template operator()<BatchElement, float>();
  }
};

}  // namespace qassay::pytorch
