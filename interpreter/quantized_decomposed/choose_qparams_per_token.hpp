#pragma once

#include "interpreter/pytorch/parts.hpp"
#include "interpreter/quantized_decomposed/parameters.hpp"

namespace qassay::quantized_decomposed {

/// quantized_decomposed.choose_qparams_per_token: symmetric, for int8, every token by itself.
struct choose_qparams_per_token {
  inline static const Signature signature{
      .id = "quantized_decomposed.choose_qparams_per_token",
      .summary = "scale = max(max(|x|), 1e-5) / 127, zero_point = 0",
      .kind = FormulaKind::composite,
      .inputs = {{"x", {Type::float32}, "any shape; the last axis holds a token's elements"}},
      .parameters = {token_dtype_parameter()},
      .outputs = {{"scale", OutputRule::fixed, Type::float32, "one for each token: x's shape with 1 in the last place"},
                  {"zero_point", OutputRule::fixed, Type::float32, "0, shaped like scale"}},
      .slices = Spread::along_tokens,
      .steps = {{"magnitude", "the largest |x| of the token; NaN if one is NaN"},
                {"raised", "to at least binary32(1e-5); NaN stays"},
                {"scale", "raised / 127, one binary32 division"}},
      .edges =
          "The floor lies below the division, so the smallest scale is about 7.87e-8. NaN in a token gives scale NaN.",
      .source = "torch/ao/quantization/fx/_decomposed.py, choose_qparams_per_token",
      .verified = "torch 2.13.0",
  };

  struct Magnitude {
    inline static const Signature signature{
        .id = "quantized_decomposed.choose_qparams_per_token/magnitude",
        .summary = "magnitude = max(|x|)",
        .kind = FormulaKind::reduce,
        .inputs = {{"x", {Type::float32}, ""}},
        .parameters = {},
        .outputs = {{"magnitude", OutputRule::fixed, Type::float32, ""}},
        .slices = Spread::along_tokens,
        .steps = {{"maximum magnitude", ""}},
    };
    template <class Real>
    static std::array<Real, 1> reduce(std::span<const Real> x) {
      Real magnitude(0);
      for (const Real& value : x) {
        if (is_nan(value)) return {value};
        magnitude = at_least_keeping_nan(magnitude, absolute(value));
      }
      return {magnitude};
    }
  };

  struct Choice {
    inline static const Signature signature{
        .id = "quantized_decomposed.choose_qparams_per_token/choice",
        .summary = "scale and zero point of a magnitude",
        .inputs = {{"magnitude", {Type::float32}, ""}},
        .parameters = {},
        .outputs = {{"scale", OutputRule::fixed, Type::float32, ""},
                    {"zero_point", OutputRule::fixed, Type::float32, ""}},
        .steps = {},
    };

    template <class Real>
    struct Element {
      using Number = Real;
      using Input = Real;
      static Element at(const Values<Real>& /*values*/) { return {}; }
      QASSAY_STEP std::tuple<Real, Real> operator()(Real magnitude) const {
        auto raised = at_least_keeping_nan(magnitude, constant(0x1.4f8b58p-17, magnitude));  // binary32(1e-5)
        auto scale = divide(raised, constant(127, raised));
        return {scale, constant(0, scale)};
      }
    };
  };

  static ProgramCalls program() {
    return {
        {reduction<Magnitude>(), {{"x", "x"}}, {}, {{"magnitude", "magnitude"}}},
        {elementwise<Choice>(), {{"magnitude", "magnitude"}}, {}, {{"scale", "scale"}, {"zero_point", "zero_point"}}},
    };
  }

  static void check(const Arguments& arguments) { check_tokens_have_elements(arguments); }
};

}  // namespace qassay::quantized_decomposed
