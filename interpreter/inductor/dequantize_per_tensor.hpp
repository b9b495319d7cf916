#pragma once

#include "interpreter/inductor/parts.hpp"

namespace qassay::inductor {

/// quantized_decomposed.dequantize_per_tensor as torch.compile computes it, one element: always in binary32.
struct dequantize_per_tensor {
  inline static const Signature signature{
      .id = "inductor.dequantize_per_tensor",
      .summary = "y = (binary32(q) - zero_point) * binary32(scale), then y's type",
      .inputs = {{"q", quantized_decomposed::kCodeTypes, "codes, any shape"}},
      .parameters = {quantized_decomposed::scale_parameter(), quantized_decomposed::zero_point_parameter(),
                     quantized_decomposed::quant_min_parameter("lowest"),
                     quantized_decomposed::quant_max_parameter("highest"),
                     quantized_decomposed::real_output_parameter("out_dtype")},
      .outputs = {{"y", OutputRule::of_dtype, {}, "shaped like q"}},
      .steps = kDequantizingSteps,
      .edges = "A float64 y holds only binary32 values. float16 overflows to infinity at the end, not before.",
      .source = "torch/ao/quantization/fx/_decomposed.py, compiled by torch/_inductor/codegen/cpp.py",
      .verified = "torch 2.13.0",
  };

  template <class Real>
  using Element = DequantizeElement<Real>;
};

}  // namespace qassay::inductor
