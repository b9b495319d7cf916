#pragma once

#include "interpreter/quantized_decomposed/dequantize_per_channel.hpp"

namespace qassay::quantized_decomposed {

/// quantized_decomposed.dequantize_per_token, one element: per channel's arithmetic with a scale for each token.
struct dequantize_per_token {
  inline static const Signature signature{
      .id = "quantized_decomposed.dequantize_per_token",
      .summary = dequantize_per_channel::signature.summary,
      .inputs = {{"q", kSubtractableTypes, "codes, any shape; the last axis holds a token's elements"}},
      .parameters = {scales_parameter(Spread::along_tokens),
                     zero_points_parameter(Spread::along_tokens, kZeroPointTypes), quant_min_parameter("lowest"),
                     quant_max_parameter("highest"), real_output_parameter("output_dtype")},
      .outputs = {{"y", OutputRule::of_dtype, {}, "shaped like q"}},
      .steps = dequantize_per_channel::signature.steps,
      .edges = dequantize_per_channel::signature.edges,
      .source = "torch/ao/quantization/fx/_decomposed.py, dequantize_per_token",
      .verified = "torch 2.13.0",
  };

  template <class Real>
  using Element = dequantize_per_channel::Element<Real>;

  static auto select(const Arguments& arguments, auto run) { return dequantize_per_channel::select(arguments, run); }
};

}  // namespace qassay::quantized_decomposed
