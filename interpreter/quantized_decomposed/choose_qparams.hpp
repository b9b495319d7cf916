#pragma once

#include "interpreter/pytorch/parts.hpp"
#include "interpreter/quantized_decomposed/parameters.hpp"

namespace qassay::quantized_decomposed {

/// Whether the range is made to hold zero.
enum class Extension : std::uint8_t { to_zero, none };

/// The observers' affine rule for a range.
template <class Real, Extension extension>
struct AffineChoice {
  using Number = Real;
  using Input = Real;
  Real eps;
  Integer<Real> quant_min;
  Integer<Real> quant_max;
  CodeRange range;

  static AffineChoice at(const Values<Real>& values) {
    return {values.real(Role::eps),
            values.whole(Role::quant_min),
            values.whole(Role::quant_max),
            {values.raw_whole(Role::quant_min), values.raw_whole(Role::quant_max)}};
  }
  QASSAY_STEP std::tuple<Real, Integer<Real>> operator()(Real lowest, Real highest) const {
    constexpr bool is_extended = extension == Extension::to_zero;
    const auto least = is_extended ? at_most_keeping_nan(lowest, constant(0, lowest)) : lowest;
    const auto most = is_extended ? at_least_keeping_nan(highest, constant(0, highest)) : highest;
    auto span = subtract(most, least);
    auto width = to_binary32(subtract_exact(quant_max, quant_min));
    auto ratio = divide(span, width);
    auto scale = at_least_keeping_nan(ratio, eps);
    auto offset = divide(least, scale);
    auto rounded = round_half_even(offset);
    auto difference = subtract_wrapping(quant_min, truncate_to_int32(rounded));
    return {scale, saturate(difference, range)};
  }
};

/// quantized_decomposed.choose_qparams: the observers' affine rule for the range of x, extended to hold zero.
struct choose_qparams {
  inline static const Signature signature{
      .id = "quantized_decomposed.choose_qparams",
      .summary =
          "scale = max((max(x, 0) - min(x, 0)) / (quant_max - quant_min), eps); zero_point = clamp(quant_min - "
          "round_half_even(min(x, 0) / scale))",
      .kind = FormulaKind::composite,
      .inputs = {{"x", {Type::float32}, "any shape"}},
      .parameters = {quant_min_parameter(), quant_max_parameter(), eps_parameter(), dtype_parameter()},
      .outputs = {{"scale", OutputRule::fixed, Type::float64, "one value, which binary32 holds"},
                  {"zero_point", OutputRule::fixed, Type::int64, "one value"}},
      .slices = Spread::alone,
      .steps = {{"lowest", "the smallest of x"},
                {"highest", "the largest of x"},
                {"smallest_scale", "eps, rounded to binary32"},
                {"least", "at most 0"},
                {"most", "at least 0"},
                {"span", "most - least, one binary32 subtraction"},
                {"width", "quant_max - quant_min, rounded to binary32"},
                {"ratio", "span / width, one binary32 division"},
                {"scale", "at least eps; NaN stays"},
                {"offset", "least / scale, one binary32 division"},
                {"rounded", "to an integral value, ties to even"},
                {"integer", "to int32; NaN and what is out of range become INT_MIN"},
                {"difference", "quant_min - integer, modulo 2^32"},
                {"zero_point", "limited to [quant_min, quant_max]"}},
      .edges =
          "NaN in x gives scale NaN. An offset of NaN (-inf in x, or NaN) is INT_MIN: the zero point is quant_max "
          "for a negative quant_min, where the difference does not wrap below it, else quant_min.",
      .source = "torch/ao/quantization/fx/_decomposed.py, choose_qparams_tensor; utils.py, determine_qparams",
      .verified = "torch 2.13.0",
  };

  struct Choice {
    inline static const Signature signature = pytorch::choice_signature(
        "quantized_decomposed.choose_qparams/choice", {quant_min_parameter(), quant_max_parameter(), eps_parameter()},
        Type::float64, Type::int64);
    static constexpr std::size_t input_count = 2;

    template <class Real>
    using Element = AffineChoice<Real, Extension::to_zero>;
  };

  static ProgramCalls program() { return pytorch::range_and_choice<pytorch::Range<Spread::alone>, Choice>(); }

  static void check(const Arguments& arguments) {
    check_has_elements(arguments);
    check_range_holds_zero(arguments);
    check_eps_is_number(arguments);
  }
};

}  // namespace qassay::quantized_decomposed
