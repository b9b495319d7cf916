#pragma once

#include "interpreter/inductor/parts.hpp"

namespace qassay::inductor {

/// quantized_decomposed.quantize_per_tensor as torch.compile's vector code computes it, one element: eager arithmetic
/// with another cast.
struct quantize_per_tensor {
  inline static const Signature signature{
      .id = "inductor.quantize_per_tensor",
      .summary = "q = clamp(round_half_even(x * binary32(1 / scale)) + zero_point, quant_min, quant_max)",
      .inputs = {{"x", kRealTypes, "any shape; bfloat16 is widened first"}},
      .parameters = {quantized_decomposed::scale_parameter(), quantized_decomposed::zero_point_parameter(),
                     quantized_decomposed::quant_min_parameter(), quantized_decomposed::quant_max_parameter(),
                     quantized_decomposed::dtype_parameter()},
      .outputs = {{"q", OutputRule::of_dtype, {}, "codes, shaped like x"}},
      .steps =
          [] {
            std::vector<Step> steps{{"double_inverse", "1 / scale, one binary64 division"},
                                    {"inverse", "rounded to binary32"}};
            steps.insert(steps.end(), kQuantizingSteps.begin(), kQuantizingSteps.end());
            return steps;
          }(),
      .edges =
          "NaN gives -128 for int8, INT_MIN for int32, else 0, even outside [quant_min, quant_max]. The range is not "
          "checked: int8 saturates, other types keep low bits. A scale of 0 is refused, as Python divides by no zero.",
      .source = "torch/_inductor/codegen/cpp.py; aten/src/ATen/cpu/vec/vec512/vec512_convert.h, at::vec::convert",
      .verified = "torch 2.13.0",
  };

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Real;
    Double<Real> scale;
    CodeOfProduct<Real> code_of_product;

    static Element at(const Values<Real>& values) {
      return {values.binary64(Role::scale), CodeOfProduct<Real>::at(values)};
    }
    QASSAY_STEP auto operator()(Real x) const {
      auto double_inverse = reciprocal(scale);
      auto inverse = to_binary32(double_inverse);
      return code_of_product(x, inverse);
    }
  };

  static void check(const Arguments& arguments) {
    if (arguments.real(Role::scale, {}) != 0) return;
    throw RequestError(ErrorKind::out_of_domain,
                       fmt::format("{}: scale: is 0, and Python divides by no zero", arguments.signature->id));
  }
};

}  // namespace qassay::inductor
