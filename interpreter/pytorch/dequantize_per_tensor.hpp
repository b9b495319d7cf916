#pragma once

#include "interpreter/elementwise.hpp"
#include "interpreter/pytorch/parameters.hpp"

namespace qassay::pytorch {

/// dequantize() of a per-tensor quantized tensor on CPU, one element.
struct dequantize_per_tensor {
  inline static const Signature signature{
      .id = "pytorch.dequantize_per_tensor",
      .summary = "y = binary32(scale) * binary32(q - zero_point)",
      .inputs = {{"q", kCodeTypes, "codes, any shape"}},
      .parameters = {scale_parameter(), zero_point_parameter(Within::input_type)},
      .outputs = {{"y", OutputRule::fixed, Type::float32, "shaped like q"}},
      .steps = {{"difference", "in int32, modulo 2^32"},
                {"converted", "to binary32, rounded once above 2^24"},
                {"scale", "rounded to binary32"},
                {"product", "one binary32 multiplication"}},
      .edges = "The difference wraps for qint32.",
      .source = "FBGEMM include/fbgemm/QuantUtils.h, Dequantize",
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
      auto difference = subtract_wrapping(q, zero_point);
      auto converted = integer_to_binary32(difference);
      return multiply(to_binary32(scale), converted);
    }
  };
};

}  // namespace qassay::pytorch
