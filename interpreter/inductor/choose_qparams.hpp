#pragma once

#include "interpreter/inductor/parts.hpp"
#include "interpreter/pytorch/parts.hpp"

namespace qassay::inductor {

/// quantized_decomposed.choose_qparams as inductor decomposes it: the range of x is not extended to hold zero.
struct choose_qparams {
  inline static const Signature signature{
      .id = "inductor.choose_qparams",
      .summary =
          "scale = max((max(x) - min(x)) / (quant_max - quant_min), eps); zero_point = clamp(quant_min - "
          "round_half_even(min(x) / scale))",
      .kind = FormulaKind::composite,
      .inputs = {{"x", {Type::float32}, "any shape"}},
      .parameters = {quantized_decomposed::quant_min_parameter(), quantized_decomposed::quant_max_parameter(),
                     quantized_decomposed::eps_parameter(), quantized_decomposed::dtype_parameter()},
      .outputs = {{"scale", OutputRule::fixed, Type::float64, "one value, which binary32 holds"},
                  {"zero_point", OutputRule::fixed, Type::int64, "one value"}},
      .slices = Spread::alone,
      .steps = {{"lowest", "the smallest of x; NaN if one is NaN"},
                {"highest", "the largest of x; NaN if one is NaN"},
                {"span", "highest - lowest, one binary32 subtraction"},
                {"width", "quant_max - quant_min, rounded to binary32"},
                {"ratio", "span / width, one binary32 division"},
                {"scale", "at least eps; NaN stays"},
                {"offset", "lowest / scale, one binary32 division"},
                {"rounded", "to an integral value, ties to even"},
                {"integer", "to int32; NaN and what is out of range become INT_MIN"},
                {"difference", "quant_min - integer, modulo 2^32"},
                {"zero_point", "limited to [quant_min, quant_max]"}},
      .edges =
          "A range that does not hold zero gets a finer scale than in eager mode, and a zero point at an end of the "
          "codes: data far from zero saturate. Constant data give eps. Codes without 0 are accepted.",
      .source = "torch/_inductor/decomposition.py, choose_qparams_tensor",
      .verified = "torch 2.13.0",
  };

  struct Choice {
    inline static const Signature signature{
        .id = "inductor.choose_qparams/choice",
        .summary = "scale and zero point of a range",
        .inputs = {{"lowest", {Type::float32}, ""}, {"highest", {Type::float32}, ""}},
        .parameters = {quantized_decomposed::quant_min_parameter(), quantized_decomposed::quant_max_parameter(),
                       quantized_decomposed::eps_parameter()},
        .outputs = {{"scale", OutputRule::fixed, Type::float64, ""},
                    {"zero_point", OutputRule::fixed, Type::int64, ""}},
        .steps = {},
    };
    static constexpr std::size_t input_count = 2;

    template <class Real>
    struct Element {
      using Number = Real;
      using Input = Real;
      Real eps;
      Integer<Real> quant_min;
      Integer<Real> quant_max;
      CodeRange range;

      static Element at(const Values<Real>& values) {
        return {values.real(Role::eps),
                values.whole(Role::quant_min),
                values.whole(Role::quant_max),
                {values.raw_whole(Role::quant_min), values.raw_whole(Role::quant_max)}};
      }
      QASSAY_STEP std::tuple<Real, Integer<Real>> operator()(Real lowest, Real highest) const {
        auto span = subtract(highest, lowest);
        auto width = to_binary32(subtract_exact(quant_max, quant_min));
        auto ratio = divide(span, width);
        auto scale = at_least_keeping_nan(ratio, eps);
        auto offset = divide(lowest, scale);
        auto rounded = round_half_even(offset);
        auto difference = subtract_wrapping(quant_min, truncate_to_int32(rounded));
        return {scale, saturate(difference, range)};
      }
    };
  };

  static ProgramCalls program() {
    return {
        {reduction<pytorch::Range<Spread::alone>>(), {{"x", "x"}}, {}, {{"lowest", "lowest"}, {"highest", "highest"}}},
        {elementwise<Choice>(),
         {{"lowest", "lowest"}, {"highest", "highest"}},
         {{"quant_min", FromValue{"quant_min"}}, {"quant_max", FromValue{"quant_max"}}, {"eps", FromValue{"eps"}}},
         {{"scale", "scale"}, {"zero_point", "zero_point"}}},
    };
  }

  static void check(const Arguments& arguments) {
    quantized_decomposed::check_has_elements(arguments);
    quantized_decomposed::check_eps_is_number(arguments);
  }
};

}  // namespace qassay::inductor
