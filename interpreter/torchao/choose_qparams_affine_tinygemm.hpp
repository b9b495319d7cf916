#pragma once

#include "interpreter/torchao/parts.hpp"

namespace qassay::torchao {

/// torchao's _choose_qparams_affine_tinygemm: the range need not hold zero, and the zero point is the real number of
/// the middle code.
struct choose_qparams_affine_tinygemm {
  inline static const Signature signature{
      .id = "torchao.choose_qparams_affine_tinygemm",
      .summary =
          "scale = max((max(x) - min(x)) / (quant_max - quant_min), eps); zero_point = min(x) + scale * "
          "(quant_max + quant_min + 1) / 2",
      .kind = FormulaKind::composite,
      .inputs = {{"x", {Type::float32}, "any shape"}},
      .parameters = {block_size_parameter(), codes_parameter("target_dtype"), quant_min_parameter(),
                     quant_max_parameter(), eps_parameter()},
      .outputs = {{"scale", OutputRule::fixed, Type::float32, "one for each block"},
                  {"zero_point", OutputRule::fixed, Type::float32, "shaped like scale"}},
      .slices = Spread::freely,
      .steps = {{"lowest", "the smallest of the block"},
                {"highest", "the largest of the block"},
                {"span", "highest - lowest, one binary32 subtraction"},
                {"width", "quant_max - quant_min, rounded to binary32"},
                {"ratio", "span / width, one binary32 division"},
                {"scale", "at least eps; NaN stays"},
                {"ends", "quant_max + quant_min, one exact addition"},
                {"sum", "ends + 1, one exact addition"},
                {"middle", "sum / 2, one exact division, then binary32"},
                {"half_range", "scale * middle, one binary32 multiplication"},
                {"zero_point", "lowest + half_range, not fused, one binary32 addition"}},
      .edges = "NaN in a block gives NaN for both.",
      .source = "torchao/quantization/quant_primitives.py, _choose_qparams_affine_tinygemm",
      .verified = "torchao 0.18.0, torch 2.13.0",
  };

  struct Choice {
    inline static const Signature signature =
        choice_signature("torchao.choose_qparams_affine_tinygemm/choice", Type::float32, {});
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
      QASSAY_STEP std::tuple<Real, Real> operator()(Real lowest, Real highest) const {
        auto span = subtract(highest, lowest);
        auto width = to_binary32(subtract_exact(quant_max, quant_min));
        auto ratio = divide(span, width);
        auto scale = at_least_keeping_nan(ratio, eps);
        auto middle = to_binary32(middle_of(quant_min, quant_max));
        auto half_range = multiply(scale, middle);
        return {scale, add(lowest, half_range)};
      }
    };
  };

  static ProgramCalls program(const Arguments& /*arguments*/) { return range_and_choice<Choice>(); }
  static void check(const Arguments& arguments) { check_choice(arguments); }
};

}  // namespace qassay::torchao
