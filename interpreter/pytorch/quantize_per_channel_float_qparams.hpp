#pragma once

#include "interpreter/elementwise.hpp"
#include "interpreter/pytorch/parameters.hpp"

namespace qassay::pytorch {

/// torch.quantize_per_channel with floating zero points (per_channel_affine_float_qparams) on CPU, one element.
struct quantize_per_channel_float_qparams {
  inline static const Signature signature{
      .id = "pytorch.quantize_per_channel_float_qparams",
      .summary = "q = clip(int32(int64(round_half_even(x * (1 / scale) + zero_point))))",
      .inputs = {{"x", {Type::float32}, "any shape"}},
      .parameters = {float_scales_parameter(), float_zero_points_parameter(), axis_parameter(), dtype_parameter()},
      .outputs = {{"q", OutputRule::of_dtype, {}, "codes, shaped like x"}},
      .steps = {{"inverse", "1 / scale, one binary32 division; 1 where the scale is 0"},
                {"product", "x * inverse, one binary32 multiplication"},
                {"shifted", "zero point added in binary32, one rounding"},
                {"rounded", "to an integral value, ties to even"},
                {"integer", "to int64; NaN and what is out of range become INT64_MIN"},
                {"narrowed", "its low 32 bits"},
                {"code", "saturated"}},
      .edges = "NaN, infinities and what lies beyond 2^63 give 0 (clipped); beyond 2^31 the low 32 bits decide.",
      .source = "aten/src/ATen/native/quantized/AffineQuantizerBase.cpp, quantize_val_float_qparams",
      .verified = "torch 2.13.0",
  };

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Real;
    Real scale;
    Real zero_point;
    CodeRange range;

    static Element at(const Values<Real>& values) {
      return {values.real(Role::scale), values.real(Role::zero_point), values.codes(Role::dtype)};
    }
    QASSAY_STEP auto operator()(Real x) const {
      auto inverse = is_equal(scale, constant(0, scale)) ? constant(1, scale) : reciprocal(scale);
      auto product = multiply(x, inverse);
      auto shifted = add(product, zero_point);
      auto rounded = round_half_even(shifted);
      auto integer = truncate_to_int64(rounded);
      auto narrowed = low_bits_to_int32(integer);
      return saturate(narrowed, range);
    }
  };
};

}  // namespace qassay::pytorch
