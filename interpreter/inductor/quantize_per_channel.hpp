#pragma once

#include "interpreter/inductor/parts.hpp"

namespace qassay::inductor {

/// quantized_decomposed.quantize_per_channel as torch.compile's vector code computes it, one element: in binary32, also
/// for scales of binary64.
struct quantize_per_channel {
  inline static const Signature signature{
      .id = "inductor.quantize_per_channel",
      .summary = "q = clamp(round_half_even(x * (1 / binary32(scale))) + zero_point, quant_min, quant_max)",
      .inputs = {{"x", kRealTypes, "any shape; bfloat16 is widened first"}},
      .parameters = {quantized_decomposed::scales_parameter(Spread::along_axis),
                     quantized_decomposed::zero_points_parameter(Spread::along_axis),
                     quantized_decomposed::axis_parameter(), quantized_decomposed::quant_min_parameter(),
                     quantized_decomposed::quant_max_parameter(), quantized_decomposed::dtype_parameter()},
      .outputs = {{"q", OutputRule::of_dtype, {}, "codes, shaped like x"}},
      .steps =
          [] {
            std::vector<Step> steps{{"inverse", "1 / scale, one binary32 division; the scale is rounded first"}};
            steps.insert(steps.end(), kQuantizingSteps.begin(), kQuantizingSteps.end());
            return steps;
          }(),
      .edges = "NaN gives -128 for int8, INT_MIN for int32, else 0, even outside [quant_min, quant_max].",
      .source = "torch/_inductor/codegen/cpp.py; aten/src/ATen/cpu/vec/vec512/vec512_convert.h, at::vec::convert",
      .verified = "torch 2.13.0",
  };

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Real;
    Single<Real> scale;
    CodeOfProduct<Real> code_of_product;

    static Element at(const Values<Real>& values) {
      return {values.binary32(Role::scale), CodeOfProduct<Real>::at(values)};
    }
    QASSAY_STEP auto operator()(Real x) const {
      auto inverse = reciprocal(scale);
      return code_of_product(x, inverse);
    }
  };

  static void check(const Arguments& arguments) {
    quantized_decomposed::check_range_fits(arguments, arguments.type(Role::dtype));
  }
};

}  // namespace qassay::inductor
