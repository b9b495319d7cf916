#pragma once

#include "interpreter/elementwise.hpp"
#include "interpreter/quantized_decomposed/parameters.hpp"

namespace qassay::quantized_decomposed {

/// quantized_decomposed.quantize_per_token, one element. Unlike per channel the sum with the zero point is rounded.
struct quantize_per_token {
  inline static const Signature signature{
      .id = "quantized_decomposed.quantize_per_token",
      .summary = "q = clamp(round_half_even(x * (1 / scale) + zero_point), quant_min, quant_max)",
      .inputs = {{"x", kRealTypes, "any shape; the last axis holds a token's elements"}},
      .parameters = {scales_parameter(Spread::along_tokens), zero_points_parameter(Spread::along_tokens),
                     quant_min_parameter(), quant_max_parameter(), dtype_parameter()},
      .outputs = {{"q", OutputRule::of_dtype, {}, "codes, shaped like x"}},
      .steps = {{"inverse", "1 / scale, one division in the type of the scales: binary32 or binary64"},
                {"product", "x * inverse, one multiplication in that type"},
                {"shifted", "zero point added, not fused, one rounding"},
                {"rounded", "to an integral value, ties to even"},
                {"raised", "to at least quant_min; NaN stays"},
                {"limited", "to at most quant_max, as that type has it; NaN stays"},
                {"code", "to int32 and its low bits; NaN gives INT_MIN, so 0 in 8 and 16 bits"}},
      .edges =
          "NaN gives 0 (INT_MIN for int32), even outside [quant_min, quant_max]; infinities saturate. With binary32 "
          "scales +inf and sums of 2^31 give INT_MIN where quant_max is INT_MAX, which binary32 rounds to 2^31.",
      .source = "torch/ao/quantization/fx/_decomposed.py, quantize_per_token",
      .verified = "torch 2.13.0",
  };

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Real;
    Real scale;
    Integer<Real> zero_point;
    Integer<Real> quant_min;
    Integer<Real> quant_max;
    CodeRange range;

    static Element at(const Values<Real>& values) {
      return {values.real(Role::scale), values.integer(Role::zero_point), values.whole(Role::quant_min),
              values.whole(Role::quant_max), values.codes(Role::dtype)};
    }
    QASSAY_STEP auto operator()(Real x) const {
      auto inverse = reciprocal(scale);
      auto product = multiply(x, inverse);
      auto shifted = add(product, from_integer(zero_point, x));
      auto rounded = round_half_even(shifted);
      auto raised = at_least_keeping_nan(rounded, from_integer(quant_min, x));
      auto limited = at_most_keeping_nan(raised, from_integer(quant_max, x));
      return wrap(truncate_to_int32(limited), range);
    }
  };

  static void check(const Arguments& arguments) { check_range_fits(arguments, arguments.type(Role::dtype)); }

  static auto select(const Arguments& arguments, auto run) {
    return arguments.own_type(Role::scale) == Type::float64 ? run.template operator()<Element, double>()
                                                            : run.template operator()<Element, float>();
  }
};

}  // namespace qassay::quantized_decomposed
