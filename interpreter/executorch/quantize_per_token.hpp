#pragma once

#include "interpreter/executorch/parts.hpp"

namespace qassay::executorch {

/// ExecuTorch's kernel of quantized_decomposed.quantize_per_token, one element. Unlike the operator it rounds before
/// the zero point is added.
struct quantize_per_token {
  inline static const Signature signature{
      .id = "executorch.quantize_per_token",
      .summary = kQuantizingSummary,
      .inputs = {{"x", kRealTypes, "any shape; the last axis holds a token's elements; float16 is widened first"}},
      .parameters = {quantized_decomposed::scales_parameter(Spread::along_tokens),
                     quantized_decomposed::zero_points_parameter(Spread::along_tokens),
                     quantized_decomposed::quant_min_parameter(), quantized_decomposed::quant_max_parameter(),
                     quantized_decomposed::dtype_parameter()},
      .outputs = {{"q", OutputRule::of_dtype, {}, "codes, shaped like x"}},
      .steps = kQuantizingSteps,
      .edges = kQuantizingEdges,
      .source = "executorch/kernels/quantized/cpu/op_quantize.cpp, quantize_per_token_out",
      .verified = "executorch 1.5.1",
  };

  template <class Real>
  using Element = QuantizeElement<Real>;

  static void check(const Arguments& arguments) {
    quantized_decomposed::check_range_fits(arguments, arguments.type(Role::dtype));
    check_one_for_each_slice(arguments, token_count(arguments));
  }
};

}  // namespace qassay::executorch
