#pragma once

#include "interpreter/executorch/parts.hpp"

namespace qassay::executorch {

/// ExecuTorch's kernel of quantized_decomposed.dequantize_per_token, one element.
struct dequantize_per_token {
  inline static const Signature signature{
      .id = "executorch.dequantize_per_token",
      .summary = kDequantizingSummary,
      .inputs = {{"q", quantized_decomposed::kSubtractableTypes,
                  "codes, any shape; the last axis holds a token's elements"}},
      .parameters = {quantized_decomposed::scales_parameter(Spread::along_tokens),
                     quantized_decomposed::zero_points_parameter(Spread::along_tokens, kZeroPointTypes),
                     quantized_decomposed::quant_min_parameter("lowest"),
                     quantized_decomposed::quant_max_parameter("highest"), real_output_parameter("output_dtype")},
      .outputs = {{"y", OutputRule::of_dtype, {}, "shaped like q"}},
      .steps = kDequantizingSteps,
      .edges =
          "The difference wraps in int32. The process ends at another number of scales than tokens and, for int8 to "
          "float32, at a zero point outside [quant_min, quant_max].",
      .source = "executorch/kernels/quantized/cpu/op_dequantize.cpp, dequantize_per_token_out",
      .verified = "executorch 1.5.1",
  };

  template <class Real>
  using Element = DequantizeElement<Real>;

  static void check(const Arguments& arguments) {
    check_one_for_each_slice(arguments, token_count(arguments));
    check_zero_points_are_codes(arguments);
  }
};

}  // namespace qassay::executorch
