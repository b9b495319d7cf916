#pragma once

#include "interpreter/elementwise.hpp"
#include "interpreter/quantized_decomposed/parameters.hpp"

namespace qassay::quantized_decomposed {

/// quantized_decomposed.quantize_per_tensor, one element. The scale is a Python float, and so is its inverse.
struct quantize_per_tensor {
  inline static const Signature signature{
      .id = "quantized_decomposed.quantize_per_tensor",
      .summary = "q = clamp(round_half_even(x * binary32(1 / scale)) + zero_point, quant_min, quant_max)",
      .inputs = {{"x", kRealTypes, "any shape; 16-bit floats are widened first"}},
      .parameters = {scale_parameter(), zero_point_parameter(), quant_min_parameter(), quant_max_parameter(),
                     dtype_parameter()},
      .outputs = {{"q", OutputRule::of_dtype, {}, "codes, shaped like x"}},
      .steps = {{"double_inverse", "1 / scale, one binary64 division"},
                {"inverse", "rounded to binary32"},
                {"product", "x * inverse, one binary32 multiplication"},
                {"rounded", "to an integral value, ties to even"},
                {"shifted", "zero point added in binary32, one rounding"},
                {"raised", "to at least quant_min; NaN stays"},
                {"limited", "to at most quant_max, as binary32 has it; NaN stays"},
                {"code", "to int32 and its low bits; NaN gives INT_MIN, so 0 in 8 and 16 bits"}},
      .edges =
          "NaN gives 0 (INT_MIN for int32), even outside [quant_min, quant_max]; infinities saturate, but +inf and "
          "sums of 2^31 give INT_MIN where quant_max is INT_MAX, which binary32 rounds to 2^31. A scale of 0 is "
          "refused.",
      .source = "torch/ao/quantization/fx/_decomposed.py, quantize_per_tensor",
      .verified = "torch 2.13.0",
  };

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Real;
    Double<Real> scale;
    Integer<Real> zero_point;
    Integer<Real> quant_min;
    Integer<Real> quant_max;
    CodeRange range;

    static Element at(const Values<Real>& values) {
      return {values.binary64(Role::scale), values.integer(Role::zero_point), values.whole(Role::quant_min),
              values.whole(Role::quant_max), values.codes(Role::dtype)};
    }
    QASSAY_STEP auto operator()(Real x) const {
      auto double_inverse = reciprocal(scale);
      auto inverse = to_binary32(double_inverse);
      auto product = multiply(x, inverse);
      auto rounded = round_half_even(product);
      auto shifted = add(rounded, integer_to_binary32(zero_point));
      auto raised = at_least_keeping_nan(shifted, integer_to_binary32(quant_min));
      auto limited = at_most_keeping_nan(raised, integer_to_binary32(quant_max));
      return wrap(truncate_to_int32(limited), range);
    }
  };

  static void check(const Arguments& arguments) {
    check_range_fits(arguments, arguments.type(Role::dtype));
    if (arguments.real(Role::scale, {}) != 0) return;
    throw RequestError(ErrorKind::out_of_domain,
                       fmt::format("{}: scale: is 0, and Python divides by no zero", arguments.signature->id));
  }
};

}  // namespace qassay::quantized_decomposed
