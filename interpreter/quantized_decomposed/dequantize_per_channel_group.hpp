#pragma once

#include "interpreter/quantized_decomposed/dequantize_per_channel.hpp"

namespace qassay::quantized_decomposed {

/// quantized_decomposed.dequantize_per_channel_group, one element: per channel's arithmetic with a scale for each
/// group.
struct dequantize_per_channel_group {
  inline static const Signature signature{
      .id = "quantized_decomposed.dequantize_per_channel_group",
      .summary = dequantize_per_channel::signature.summary,
      .inputs = {{"q", kSubtractableTypes, "codes, a matrix; groups lie in its rows"}},
      .parameters = {scales_parameter(Spread::in_groups), zero_points_parameter(Spread::in_groups, kZeroPointTypes),
                     quant_min_parameter("lowest"), quant_max_parameter("highest"), group_size_parameter(),
                     real_output_parameter("output_dtype")},
      .outputs = {{"y", OutputRule::of_dtype, {}, "shaped like q"}},
      .steps = dequantize_per_channel::signature.steps,
      .edges = dequantize_per_channel::signature.edges,
      .source = "torch/ao/quantization/fx/_decomposed.py, dequantize_per_channel_group",
      .verified = "torch 2.13.0",
  };

  template <class Real>
  using Element = dequantize_per_channel::Element<Real>;

  static void check(const Arguments& arguments) { check_is_matrix(arguments); }

  static auto select(const Arguments& arguments, auto run) { return dequantize_per_channel::select(arguments, run); }
};

}  // namespace qassay::quantized_decomposed
