#pragma once

#include "interpreter/inductor/parts.hpp"

namespace qassay::inductor {

/// quantized_decomposed.quantize_per_tensor.tensor, whose scale and zero point are tensors, as torch.compile computes
/// it, one element. quant_min and quant_max have no effect.
struct quantize_per_tensor_tensor {
  /// The vectors that the code is for, as the parameter's words.
  enum class Vector : std::uint8_t { avx512, avx2, none };

  inline static const Signature signature{
      .id = "inductor.quantize_per_tensor_tensor",
      .summary =
          "q = round(fma(x, 1 / binary32(scale), zero_point)), limited to the type; truncated for 16 bits and 32",
      .inputs = {{"x", kRealTypes, "any shape; bfloat16 is widened first"}},
      .parameters = {quantized_decomposed::scale_parameter(),
                     quantized_decomposed::zero_point_parameter(),
                     quantized_decomposed::quant_min_parameter("lowest"),
                     quantized_decomposed::quant_max_parameter("highest"),
                     quantized_decomposed::dtype_parameter(),
                     {.name = "vector",
                      .role = Role::contraction,
                      .kind = ParameterKind::choice,
                      .fallback = "avx512",
                      .words = {"avx512", "avx2", "none"},
                      .about = "the vectors that the code is for; none is scalar code"}},
      .outputs = {{"q", OutputRule::of_dtype, {}, "codes, shaped like x"}},
      .steps = {{"inverse", "1 / scale, one binary32 division; the scale is rounded first"},
                {"shifted", "x * inverse + zero point, fused, one rounding"},
                {"rounded", "for 8 bits, to an integral value: ties to even with AVX-512, else away from zero"},
                {"code",
                 "limited to the type; without vectors, and for 16 and 32 bits, truncated to int32 and its low "
                 "bits"}},
      .edges =
          "NaN gives -128 for int8, 0 for uint8; with avx2 0 for both; INT_MIN for int32, 0 for 16 bits. Sums of "
          "2^31 and more, infinity among them, give -128 for int8 with avx512, where uint8 saturates; avx2 "
          "saturates both.",
      .source = "torch/_inductor/lowering.py, quantized_decomposed_quantize_per_tensor_tensor",
      .verified = "torch 2.13.0",
  };

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Real;
    Single<Real> scale;
    Integer<Real> zero_point;
    CodeRange range;
    Vector vector;
    bool is_signed;

    static Element at(const Values<Real>& values) {
      return {values.binary32(Role::scale), values.integer(Role::zero_point), values.codes(Role::dtype),
              values.template choice<Vector>(Role::contraction), values.codes(Role::dtype).lowest < 0};
    }
    QASSAY_STEP auto operator()(Real x) const {
      auto inverse = reciprocal(scale);
      auto shifted = fused_multiply_add(x, inverse, integer_to_binary32(zero_point));
      if (range.highest - range.lowest > 255) return wrap(truncate_to_int32(shifted), range);
      if (vector == Vector::none) return wrap(truncate_to_int32(round_half_away(shifted)), range);
      if (vector == Vector::avx2) {
        auto number = is_nan(shifted) ? constant(0, shifted) : shifted;
        return saturate(round_half_away(number), range);
      }
      auto rounded = round_half_even(shifted);
      return is_signed ? saturate(truncate_to_int32(rounded), range) : saturate(rounded, range);
    }
  };
};

}  // namespace qassay::inductor
