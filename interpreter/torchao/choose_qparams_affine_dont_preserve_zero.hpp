#pragma once

#include "interpreter/torchao/parts.hpp"

namespace qassay::torchao {

/// torchao's _choose_qparams_affine_dont_preserve_zero: ASYMMETRIC for a range that need not hold zero.
struct choose_qparams_affine_dont_preserve_zero {
  inline static const Signature signature{
      .id = "torchao.choose_qparams_affine_dont_preserve_zero",
      .summary =
          "scale = max((max(x) - min(x)) / (quant_max - quant_min), eps); zero_point = clamp(quant_min - "
          "round_half_even(min(x) / scale))",
      .kind = FormulaKind::composite,
      .inputs = {{"x", {Type::float32}, "any shape"}},
      .parameters = {block_size_parameter(), codes_parameter("target_dtype"), quant_min_parameter(),
                     quant_max_parameter(), eps_parameter()},
      .outputs = {{"scale", OutputRule::fixed, Type::float32, "one for each block"},
                  {"zero_point", OutputRule::fixed, Type::int32, "shaped like scale"}},
      .slices = Spread::freely,
      .steps = {{"lowest", "the smallest of the block"},
                {"highest", "the largest of the block"},
                {"span", "highest - lowest, one binary32 subtraction"},
                {"width", "quant_max - quant_min, rounded to binary32"},
                {"ratio", "span / width, one binary32 division"},
                {"scale", "at least eps; NaN stays"},
                {"offset", "lowest / scale, one binary32 division"},
                {"rounded", "to an integral value, ties to even"},
                {"difference", "quant_min - rounded, one binary32 subtraction"},
                {"raised", "to at least quant_min; NaN stays"},
                {"limited", "to at most quant_max, as binary32 has it; NaN stays"},
                {"zero_point", "to int32; NaN gives INT_MIN"}},
      .edges = "NaN in a block gives scale NaN and zero point INT_MIN.",
      .source = "torchao/quantization/quant_primitives.py, _choose_qparams_affine_dont_preserve_zero",
      .verified = "torchao 0.18.0, torch 2.13.0",
  };

  struct Choice {
    inline static const Signature signature =
        choice_signature("torchao.choose_qparams_affine_dont_preserve_zero/choice", Type::int32, {});
    static constexpr std::size_t input_count = 2;

    template <class Real>
    struct Element {
      using Number = Real;
      using Input = Real;
      Real eps;
      Integer<Real> quant_min;
      Integer<Real> quant_max;

      static Element at(const Values<Real>& values) {
        return {values.real(Role::eps), values.whole(Role::quant_min), values.whole(Role::quant_max)};
      }
      QASSAY_STEP std::tuple<Real, Integer<Real>> operator()(Real lowest, Real highest) const {
        auto span = subtract(highest, lowest);
        auto width = to_binary32(subtract_exact(quant_max, quant_min));
        auto ratio = divide(span, width);
        auto scale = at_least_keeping_nan(ratio, eps);
        auto offset = divide(lowest, scale);
        auto rounded = round_half_even(offset);
        auto difference = subtract(integer_to_binary32(quant_min), rounded);
        auto raised = at_least_keeping_nan(difference, integer_to_binary32(quant_min));
        auto limited = at_most_keeping_nan(raised, integer_to_binary32(quant_max));
        return {scale, truncate_to_int32(limited)};
      }
    };
  };

  static ProgramCalls program(const Arguments& /*arguments*/) { return range_and_choice<Choice>(); }
  static void check(const Arguments& arguments) { check_choice(arguments); }
};

}  // namespace qassay::torchao
