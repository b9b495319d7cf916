#pragma once

#include "interpreter/pytorch/parts.hpp"
#include "interpreter/quantized_decomposed/parameters.hpp"

namespace qassay::quantized_decomposed {

/// quantized_decomposed.choose_qparams_per_token_asymmetric, after XNNPACK: for int8, every token by itself. The zero
/// point comes from the end of the range that suffers less, and is rounded last.
struct choose_qparams_per_token_asymmetric {
  inline static const Signature signature{
      .id = "quantized_decomposed.choose_qparams_per_token_asymmetric",
      .summary =
          "scale = max((max(x, 0) - min(x, 0)) / 255, 2^-23); zero_point = round_half_even(clamp(-128 - min(x, 0) / "
          "scale, or 127 - max(x, 0) / scale))",
      .kind = FormulaKind::composite,
      .inputs = {{"x", {Type::float32}, "any shape; the last axis holds a token's elements"}},
      .parameters = {token_dtype_parameter()},
      .outputs = {{"scale", OutputRule::fixed, Type::float64,
                   "one for each token, which binary32 holds: x's shape with 1 in the last place"},
                  {"zero_point", OutputRule::fixed, Type::int64, "shaped like scale"}},
      .slices = Spread::along_tokens,
      .steps = {{"lowest", "the smallest of the token"},
                {"highest", "the largest of the token"},
                {"least", "at most 0"},
                {"most", "at least 0"},
                {"span", "most - least, one binary32 subtraction"},
                {"ratio", "span / 255, one binary32 division"},
                {"scale", "at least 2^-23; NaN stays"},
                {"below", "least / scale, one binary32 division"},
                {"above", "most / scale, one binary32 division"},
                {"error_below", "-128 + below, one addition"},
                {"error_above", "127 + above, one addition"},
                {"error", "the sum of both, which decides"},
                {"candidate", "-128 - below where the error is above 0, else 127 - above"},
                {"limited", "to [-128, 127]; NaN stays"},
                {"rounded", "to an integral value, ties to even"},
                {"zero_point", "to int64; NaN gives INT64_MIN"}},
      .edges =
          "NaN in a token gives scale NaN and zero point INT64_MIN, +inf an infinite scale and INT64_MIN, -inf alone "
          "an infinite scale and 127.",
      .source = "torch/ao/quantization/fx/_decomposed.py, _choose_qparams_per_token_asymmetric_impl",
      .verified = "torch 2.13.0",
  };

  struct Choice {
    inline static const Signature signature = pytorch::choice_signature(
        "quantized_decomposed.choose_qparams_per_token_asymmetric/choice", {}, Type::float64, Type::int64);
    static constexpr std::size_t input_count = 2;

    template <class Real>
    struct Element {
      using Number = Real;
      using Input = Real;
      static Element at(const Values<Real>& /*values*/) { return {}; }
      QASSAY_STEP std::tuple<Real, Double<Real>> operator()(Real lowest, Real highest) const {
        auto first = constant(-128, lowest);
        auto last = constant(127, lowest);
        auto least = at_most_keeping_nan(lowest, constant(0, lowest));
        auto most = at_least_keeping_nan(highest, constant(0, highest));
        auto span = subtract(most, least);
        auto ratio = divide(span, constant(255, span));
        auto scale = at_least_keeping_nan(ratio, constant(0x1p-23, ratio));
        auto below = divide(least, scale);
        auto above = divide(most, scale);
        auto error_below = add(first, below);
        auto error_above = add(last, above);
        auto error = add(error_below, error_above);
        auto candidate = is_below(constant(0, error), error) ? subtract(first, below) : subtract(last, above);
        auto limited = at_most_keeping_nan(at_least_keeping_nan(candidate, first), last);
        auto rounded = round_half_even(limited);
        return {scale, truncate_to_int64(rounded)};
      }
    };
  };

  static ProgramCalls program() { return pytorch::range_and_choice<pytorch::Range<Spread::along_tokens>, Choice>(); }

  static void check(const Arguments& arguments) { check_tokens_have_elements(arguments); }
};

}  // namespace qassay::quantized_decomposed
