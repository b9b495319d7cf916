#pragma once

#include "interpreter/executorch/parts.hpp"

namespace qassay::executorch {

/// ExecuTorch's kernel of quantized_decomposed.dequantize_per_channel, one element. Vectors have a kernel of their own,
/// which converts the difference to the type of y first.
struct dequantize_per_channel {
  inline static const Signature signature{
      .id = "executorch.dequantize_per_channel",
      .summary = kDequantizingSummary,
      .inputs = {{"q", quantized_decomposed::kSubtractableTypes, "codes, any shape"}},
      .parameters = {quantized_decomposed::scales_parameter(Spread::along_axis),
                     quantized_decomposed::zero_points_parameter(Spread::along_axis, kZeroPointTypes),
                     quantized_decomposed::axis_parameter(), quantized_decomposed::quant_min_parameter("lowest"),
                     quantized_decomposed::quant_max_parameter("highest"), real_output_parameter("out_dtype")},
      .outputs = {{"y", OutputRule::of_dtype, {}, "shaped like q"}},
      .steps = {{"difference", "q - zero_point in int32, modulo 2^32"},
                {"converted", "to binary32, rounded where it does not fit; for a vector to the type of y"},
                {"product",
                 "times the scale rounded to binary32, one binary32 multiplication; in binary64 for a vector "
                 "of that type"},
                {"y", "rounded to its type"}},
      .edges =
          "The difference wraps in int32. The process ends at another number of scales than channels and, for int8 to "
          "float32, at a zero point outside [quant_min, quant_max].",
      .source = "executorch/kernels/quantized/cpu/op_dequantize.cpp, dequantize_per_channel_out",
      .verified = "executorch 1.5.1",
  };

  template <class Real>
  using Element = DequantizeElement<Real>;

  /// For vectors, whose y is no binary32.
  template <class Real>
  struct VectorElement {
    using Number = Real;
    using Input = Integer<Real>;
    Single<Real> scale;
    Integer<Real> zero_point;
    Real in_y;

    static VectorElement at(const Values<Real>& values) {
      return {values.binary32(Role::scale), values.integer(Role::zero_point), values.zero()};
    }
    QASSAY_STEP auto operator()(Input q) const {
      auto difference = subtract_wrapping(q, zero_point);
      auto converted = from_integer(difference, in_y);
      return multiply(to_binary32(converted), scale);
    }
  };

  /// The same for a binary64 y.
  template <class Real>
  struct WideVectorElement {
    using Number = Real;
    using Input = Integer<Real>;
    Single<Real> scale;
    Integer<Real> zero_point;

    static WideVectorElement at(const Values<Real>& values) {
      return {values.binary32(Role::scale), values.integer(Role::zero_point)};
    }
    QASSAY_STEP auto operator()(Input q) const {
      auto difference = subtract_wrapping(q, zero_point);
      return multiply(integer_to_binary64(difference), to_binary64(scale));
    }
  };

  static void check(const Arguments& arguments) {
    quantized_decomposed::check_range_fits(arguments, arguments.input_type);
    check_one_for_each_slice(arguments, channel_count(arguments));
    check_zero_points_are_codes(arguments);
  }

  static auto select(const Arguments& arguments, auto run) {
    const Type type = arguments.type(Role::dtype);
    if (arguments.shape.size() == 1 && type == Type::float16) return run.template operator()<VectorElement, Binary16>();
    if (arguments.shape.size() == 1 && type == Type::float64)
      return run.template operator()<WideVectorElement, double>();
    return run.template operator()<Element, float>();
  }
};

}  // namespace qassay::executorch
