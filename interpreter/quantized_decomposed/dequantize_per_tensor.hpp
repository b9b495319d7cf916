#pragma once

#include "interpreter/elementwise.hpp"
#include "interpreter/quantized_decomposed/parameters.hpp"

namespace qassay::quantized_decomposed {

/// quantized_decomposed.dequantize_per_tensor, one element, in the type of the output. Only with 16-bit outputs is the
/// scale, a Python float, wider: they are multiplied in binary32.
struct dequantize_per_tensor {
  inline static const Signature signature{
      .id = "quantized_decomposed.dequantize_per_tensor",
      .summary = "y = (y's type(q) - zero_point) * scale",
      .inputs = {{"q", kCodeTypes, "codes, any shape"}},
      .parameters = {scale_parameter(), zero_point_parameter(), quant_min_parameter("lowest"),
                     quant_max_parameter("highest"), real_output_parameter("out_dtype")},
      .outputs = {{"y", OutputRule::of_dtype, {}, "shaped like q"}},
      .steps = {{"scale", "rounded to binary32, unless y is binary64"},
                {"converted", "q and zero point in the type of y, rounded once or, to 16 bits, by way of binary32"},
                {"difference", "one subtraction in the type of y"},
                {"product", "one multiplication in the type of y, in binary32 for 16 bits"},
                {"y", "converted to its type"}},
      .edges =
          "int32 codes above 2^24 are rounded before the zero point is subtracted. float16 overflows to infinity, "
          "which minus a zero point of infinity is NaN.",
      .source = "torch/ao/quantization/fx/_decomposed.py, dequantize_per_tensor",
      .verified = "torch 2.13.0",
  };

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Integer<Real>;
    Real scale;
    Integer<Real> zero_point;

    static Element at(const Values<Real>& values) {
      return {values.real(Role::scale), values.integer(Role::zero_point)};
    }
    QASSAY_STEP auto operator()(Input q) const {
      auto converted = from_integer(q, scale);
      auto difference = subtract(converted, from_integer(zero_point, scale));
      return multiply(difference, scale);
    }
  };

  template <class Real>
  struct NarrowElement {
    using Number = Real;
    using Input = Integer<Real>;
    Single<Real> scale;
    Integer<Real> zero_point;
    Real in_y;

    static NarrowElement at(const Values<Real>& values) {
      return {values.binary32(Role::scale), values.integer(Role::zero_point), values.zero()};
    }
    QASSAY_STEP auto operator()(Input q) const {
      auto converted = from_integer(q, in_y);
      auto difference = subtract(converted, from_integer(zero_point, in_y));
      return multiply(to_binary32(difference), scale);
    }
  };

  static auto select(const Arguments& arguments, auto run) {
    switch (arguments.type(Role::dtype)) {
      case Type::float16: return run.template operator()<NarrowElement, Binary16>();
      case Type::bfloat16: return run.template operator()<NarrowElement, Bfloat16>();
      case Type::float64: return run.template operator()<Element, double>();
      default: return run.template operator()<Element, float>();
    }
  }
};

}  // namespace qassay::quantized_decomposed
