#pragma once

#include "interpreter/inductor/parts.hpp"
#include "interpreter/quantized_decomposed/choose_qparams.hpp"

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
    inline static const Signature signature =
        pytorch::choice_signature("inductor.choose_qparams/choice",
                                  {quantized_decomposed::quant_min_parameter(),
                                   quantized_decomposed::quant_max_parameter(), quantized_decomposed::eps_parameter()},
                                  Type::float64, Type::int64);
    static constexpr std::size_t input_count = 2;

    template <class Real>
    using Element = quantized_decomposed::AffineChoice<Real, quantized_decomposed::Extension::none>;
  };

  static ProgramCalls program() { return pytorch::range_and_choice<pytorch::Range<Spread::alone>, Choice>(); }

  static void check(const Arguments& arguments) {
    quantized_decomposed::check_has_elements(arguments);
    quantized_decomposed::check_eps_is_number(arguments);
  }
};

}  // namespace qassay::inductor
