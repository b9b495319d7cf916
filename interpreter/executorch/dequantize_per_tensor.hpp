#pragma once

#include "interpreter/executorch/parts.hpp"

namespace qassay::executorch {

/// ExecuTorch's kernel of quantized_decomposed.dequantize_per_tensor, one element.
struct dequantize_per_tensor {
  inline static const Signature signature{
      .id = "executorch.dequantize_per_tensor",
      .summary = kDequantizingSummary,
      .inputs = {{"q", quantized_decomposed::kCodeTypes, "codes, any shape"}},
      .parameters = {quantized_decomposed::scale_parameter(), quantized_decomposed::zero_point_parameter(),
                     quantized_decomposed::quant_min_parameter("lowest"),
                     quantized_decomposed::quant_max_parameter("highest"), real_output_parameter("out_dtype")},
      .outputs = {{"y", OutputRule::of_dtype, {}, "shaped like q"}},
      .steps = kDequantizingSteps,
      .edges = "The difference wraps in int32. A float64 y holds only binary32 values.",
      .source = "executorch/kernels/quantized/cpu/op_dequantize.cpp, dequantize_per_tensor_out",
      .verified = "executorch 1.5.1",
  };

  template <class Real>
  using Element = DequantizeElement<Real>;
};

}  // namespace qassay::executorch
