#pragma once

#include "interpreter/executorch/parts.hpp"

namespace qassay::executorch {

/// ExecuTorch's kernel of quantized_decomposed.quantize_per_tensor, one element.
struct quantize_per_tensor {
  inline static const Signature signature{
      .id = "executorch.quantize_per_tensor",
      .summary = kQuantizingSummary,
      .inputs = {{"x", kRealTypes, "any shape; float16 is widened first"}},
      .parameters = {quantized_decomposed::scale_parameter(), quantized_decomposed::zero_point_parameter(),
                     quantized_decomposed::quant_min_parameter(), quantized_decomposed::quant_max_parameter(),
                     quantized_decomposed::dtype_parameter()},
      .outputs = {{"q", OutputRule::of_dtype, {}, "codes, shaped like x"}},
      .steps = kQuantizingSteps,
      .edges = kQuantizingEdges,
      .source = "executorch/kernels/quantized/cpu/op_quantize.cpp, quantize_val",
      .verified = "executorch 1.5.1",
  };

  template <class Real>
  using Element = QuantizeElement<Real>;

  static void check(const Arguments& arguments) {
    quantized_decomposed::check_range_fits(arguments, arguments.type(Role::dtype));
  }
};

}  // namespace qassay::executorch
