#pragma once

#include "interpreter/elementwise.hpp"
#include "interpreter/torchao/parameters.hpp"

namespace qassay::torchao {

/// torchao's _quantize_affine_no_zero_point, one element.
struct quantize_affine_no_zero_point {
  inline static const Signature signature{
      .id = "torchao.quantize_affine_no_zero_point",
      .summary = "q = clamp(round_half_even(x * (1 / scale)), quant_min, quant_max)",
      .inputs = {{"x", {Type::float32}, "any shape"}},
      .parameters = {block_size_parameter(), scale_parameter(), codes_parameter("output_dtype"), quant_min_parameter(),
                     quant_max_parameter()},
      .outputs = {{"q", OutputRule::of_dtype, {}, "codes, shaped like x"}},
      .steps = {{"inverse", "1 / scale, one binary32 division"},
                {"product", "x * inverse, one binary32 multiplication"},
                {"rounded", "to an integral value, ties to even"},
                {"raised", "to at least quant_min; NaN stays"},
                {"limited", "to at most quant_max, as binary32 has it; NaN stays"},
                {"code", "to int32 and its low bits; NaN gives INT_MIN, so 0 in 8 and 16 bits"}},
      .edges =
          "NaN gives 0 (INT_MIN for int32), even outside [quant_min, quant_max]; infinities saturate, but +inf and "
          "products of 2^31 give INT_MIN where quant_max is INT_MAX, which binary32 rounds to 2^31.",
      .source = "torchao/quantization/quant_primitives.py, _quantize_affine_no_zero_point_no_dtype_cast",
      .verified = "torchao 0.18.0, torch 2.13.0",
  };

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Real;
    Real scale;
    Integer<Real> quant_min;
    Integer<Real> quant_max;
    CodeRange range;

    static Element at(const Values<Real>& values) {
      return {values.real(Role::scale), values.whole(Role::quant_min), values.whole(Role::quant_max),
              values.codes(Role::dtype)};
    }
    QASSAY_STEP auto operator()(Real x) const {
      auto inverse = reciprocal(scale);
      auto product = multiply(x, inverse);
      auto rounded = round_half_even(product);
      auto raised = at_least_keeping_nan(rounded, integer_to_binary32(quant_min));
      auto limited = at_most_keeping_nan(raised, integer_to_binary32(quant_max));
      return wrap(truncate_to_int32(limited), range);
    }
  };

  static void check(const Arguments& arguments) { check_range_fits(arguments, arguments.type(Role::dtype)); }
};

}  // namespace qassay::torchao
