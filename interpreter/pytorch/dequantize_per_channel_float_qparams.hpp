#pragma once

#include "interpreter/elementwise.hpp"
#include "interpreter/pytorch/parameters.hpp"

namespace qassay::pytorch {

/// dequantize() of a per-channel quantized tensor with floating zero points on CPU, one element.
struct dequantize_per_channel_float_qparams {
  inline static const Signature signature{
      .id = "pytorch.dequantize_per_channel_float_qparams",
      .summary = "y = (binary32(q) - zero_point) * scale",
      .inputs = {{"q", kCodeTypes, "codes, any shape"}},
      .parameters = {float_scales_parameter(), float_zero_points_parameter(), axis_parameter()},
      .outputs = {{"y", OutputRule::fixed, Type::float32, "shaped like q"}},
      .steps = {{"converted", "q to binary32, rounded once above 2^24"},
                {"difference", "one binary32 subtraction"},
                {"y", "one binary32 multiplication"}},
      .edges = "Nothing is limited: infinite and NaN parameters go through.",
      .source =
          "aten/src/ATen/native/quantized/cpu/kernels/QuantizedOpKernels.cpp, "
          "dequantize_per_channel_affine_float_qparams_kernel",
      .verified = "torch 2.13.0",
  };

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Integer<Real>;
    Single<Real> scale;
    Single<Real> zero_point;

    static Element at(const Values<Real>& values) {
      return {values.binary32(Role::scale), values.binary32(Role::zero_point)};
    }
    QASSAY_STEP auto operator()(Input q) const {
      auto difference = subtract(integer_to_binary32(q), zero_point);
      return multiply(difference, scale);
    }
  };
};

}  // namespace qassay::pytorch
