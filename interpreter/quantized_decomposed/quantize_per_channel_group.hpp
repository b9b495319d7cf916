#pragma once

#include "interpreter/quantized_decomposed/quantize_per_token.hpp"

namespace qassay::quantized_decomposed {

/// quantized_decomposed.quantize_per_channel_group, one element: per token's arithmetic with a scale for each group.
struct quantize_per_channel_group {
  inline static const Signature signature{
      .id = "quantized_decomposed.quantize_per_channel_group",
      .summary = "q = clamp(round_half_even(x * (1 / scale) + zero_point), quant_min, quant_max)",
      .inputs = {{"x", kRealTypes, "a matrix; groups lie in its rows"}},
      .parameters = {scales_parameter(Spread::in_groups), zero_points_parameter(Spread::in_groups),
                     quant_min_parameter(), quant_max_parameter(), dtype_parameter(), group_size_parameter()},
      .outputs = {{"q", OutputRule::of_dtype, {}, "codes, shaped like x"}},
      .steps = quantize_per_token::signature.steps,
      .edges =
          "The operator refuses an x with NaN in it; here such an element is as per token. A range that leaves the "
          "type is not refused: codes keep their low bits. +inf with binary32 scales as per token.",
      .source = "torch/ao/quantization/fx/_decomposed.py, quantize_per_channel_group",
      .verified = "torch 2.13.0",
  };

  template <class Real>
  using Element = quantize_per_token::Element<Real>;

  static void check(const Arguments& arguments) { check_is_matrix(arguments); }

  static auto select(const Arguments& arguments, auto run) { return quantize_per_token::select(arguments, run); }
};

}  // namespace qassay::quantized_decomposed
