#pragma once

#include "interpreter/inductor/parts.hpp"

namespace qassay::inductor {

/// quantized_decomposed.dequantize_per_channel as torch.compile computes it, one element: always in binary32. No
/// integer wraps.
struct dequantize_per_channel {
  inline static const Signature signature{
      .id = "inductor.dequantize_per_channel",
      .summary = "y = (binary32(q) - zero_point) * binary32(scale), then y's type",
      .inputs = {{"q", quantized_decomposed::kCodeTypes, "codes, any shape"}},
      .parameters = {quantized_decomposed::scales_parameter(Spread::along_axis),
                     quantized_decomposed::zero_points_parameter(Spread::along_axis,
                                                                 quantized_decomposed::kZeroPointTypes),
                     quantized_decomposed::axis_parameter(), quantized_decomposed::quant_min_parameter("lowest"),
                     quantized_decomposed::quant_max_parameter("highest"),
                     quantized_decomposed::real_output_parameter("out_dtype")},
      .outputs = {{"y", OutputRule::of_dtype, {}, "shaped like q"}},
      .steps = kDequantizingSteps,
      .edges =
          "int32 codes above 2^24 are rounded before the zero point is subtracted. A float64 y holds only binary32 "
          "values, also with float64 scales.",
      .source = "torch/ao/quantization/fx/_decomposed.py, compiled by torch/_inductor/codegen/cpp.py",
      .verified = "torch 2.13.0",
  };

  template <class Real>
  using Element = DequantizeElement<Real>;

  static void check(const Arguments& arguments) {
    quantized_decomposed::check_range_fits(arguments, arguments.input_type);
  }
};

}  // namespace qassay::inductor
