#pragma once

#include "interpreter/elementwise.hpp"
#include "interpreter/pytorch/parameters.hpp"

namespace qassay::pytorch {

/// dequantize() of a per-channel quantized tensor on CPU, one element: multiplied in binary64 by the double scale,
/// unlike per tensor.
struct dequantize_per_channel {
  inline static const Signature signature{
      .id = "pytorch.dequantize_per_channel",
      .summary = "y = binary32(binary64(binary32(q) - binary32(zero_point)) * scale)",
      .inputs = {{"q", kCodeTypes, "codes, any shape"}},
      .parameters = {scales_parameter(), zero_points_parameter(Within::input_type), axis_parameter()},
      .outputs = {{"y", OutputRule::fixed, Type::float32, "shaped like q"}},
      .steps = {{"converted", "q and zero point to binary32, each rounded once above 2^24"},
                {"difference", "one binary32 subtraction"},
                {"product", "one binary64 multiplication with the double scale"},
                {"y", "rounded to binary32"}},
      .edges = "With a scale that is no binary32 value the result can differ from per tensor in the last bit.",
      .source =
          "aten/src/ATen/native/quantized/cpu/kernels/QuantizedOpKernels.cpp, dequantize_per_channel_affine_kernel",
      .verified = "torch 2.13.0",
  };

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Integer<Real>;
    Double<Real> scale;
    Integer<Real> zero_point;

    static Element at(const Values<Real>& values) {
      return {values.binary64(Role::scale), values.integer(Role::zero_point)};
    }
    QASSAY_STEP auto operator()(Input q) const {
      auto difference = subtract(integer_to_binary32(q), integer_to_binary32(zero_point));
      auto product = multiply(to_binary64(difference), scale);
      return to_binary32(product);
    }
  };
};

}  // namespace qassay::pytorch
