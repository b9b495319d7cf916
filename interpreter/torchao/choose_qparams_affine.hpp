#pragma once

#include "interpreter/torchao/parts.hpp"

namespace qassay::torchao {

/// torchao.quantization.choose_qparams_affine: scale and zero point of every block's range, extended to hold zero.
struct choose_qparams_affine {
  inline static const Signature signature{
      .id = "torchao.choose_qparams_affine",
      .summary =
          "ASYMMETRIC: scale = max((most - least) / (quant_max - quant_min), eps), zero_point = "
          "clamp(quant_min - round_half_even(least / scale)); SYMMETRIC: scale = max(max(-least, most) / "
          "((quant_max - quant_min) / 2), eps), zero_point = the middle code",
      .kind = FormulaKind::composite,
      .inputs = {{"x", {Type::float32}, "any shape"}},
      .parameters = {block_size_parameter(), mapping_type_parameter(), codes_parameter("target_dtype"),
                     quant_min_parameter(), quant_max_parameter(), eps_parameter()},
      .outputs = {{"scale", OutputRule::fixed, Type::float32, "one for each block"},
                  {"zero_point", OutputRule::fixed, Type::int32, "shaped like scale"}},
      .slices = Spread::freely,
      .steps =
          {{"lowest", "the smallest of the block"},
           {"highest", "the largest of the block"},
           {"choice",
            "scale and zero point, as mapping_type says: the steps of /asymmetric, /symmetric, /no_clipping_error"}},
      .edges =
          "The default eps is the smallest normal number, not the observers' 2^-23. NaN in a block gives scale NaN, "
          "and INT_MIN for ASYMMETRIC, where -inf does too.",
      .source = "torchao/quantization/quant_primitives.py, _choose_qparams_affine",
      .verified = "torchao 0.18.0, torch 2.13.0",
  };

  struct Asymmetric {
    inline static const Signature signature =
        choice_signature("torchao.choose_qparams_affine/asymmetric", Type::int32,
                         {{"least", "lowest, at most 0"},
                          {"most", "highest, at least 0"},
                          {"span", "most - least, one binary32 subtraction"},
                          {"width", "quant_max - quant_min, rounded to binary32"},
                          {"ratio", "span / width, one binary32 division"},
                          {"scale", "at least eps; NaN stays"},
                          {"offset", "least / scale, one binary32 division"},
                          {"rounded", "to an integral value, ties to even"},
                          {"first", "quant_min, rounded once to binary32"},
                          {"difference", "first - rounded, one binary32 subtraction"},
                          {"raised", "to at least quant_min; NaN stays"},
                          {"limited", "to at most quant_max, as binary32 has it; NaN stays"},
                          {"zero_point", "to int32; NaN gives INT_MIN"}});
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
        auto least = at_most_keeping_nan(lowest, constant(0, lowest));
        auto most = at_least_keeping_nan(highest, constant(0, highest));
        auto span = subtract(most, least);
        auto width = to_binary32(subtract_exact(quant_max, quant_min));
        auto ratio = divide(span, width);
        auto scale = at_least_keeping_nan(ratio, eps);
        auto offset = divide(least, scale);
        auto rounded = round_half_even(offset);
        auto first = integer_to_binary32(quant_min);
        auto difference = subtract(first, rounded);
        auto raised = at_least_keeping_nan(difference, first);
        auto limited = at_most_keeping_nan(raised, integer_to_binary32(quant_max));
        return {scale, truncate_to_int32(limited)};
      }
    };
  };

  struct Symmetric {
    inline static const Signature signature =
        choice_signature("torchao.choose_qparams_affine/symmetric", Type::int32,
                         {{"least", "lowest, at most 0"},
                          {"most", "highest, at least 0"},
                          {"magnitude", "the larger side: most, at least -least"},
                          {"width", "quant_max - quant_min"},
                          {"half_width", "width / 2, one exact division, then binary32: 127.5 for [-128, 127]"},
                          {"ratio", "magnitude / half_width, one binary32 division"},
                          {"scale", "at least eps; NaN stays"},
                          {"rounded_middle", "(quant_max + quant_min + 1) / 2, toward zero, rounded once to binary32"},
                          {"zero_point", "to int32"}});
    static constexpr std::size_t input_count = 2;

    template <class Real>
    struct Element {
      using Number = Real;
      using Input = Real;
      Real eps;
      Integer<Real> quant_min;
      Integer<Real> quant_max;
      Integer<Real> middle;

      static Element at(const Values<Real>& values) {
        return {values.real(Role::eps), values.whole(Role::quant_min), values.whole(Role::quant_max),
                values.number((values.raw_whole(Role::quant_max) + values.raw_whole(Role::quant_min) + 1) / 2)};
      }
      QASSAY_STEP std::tuple<Real, Integer<Real>> operator()(Real lowest, Real highest) const {
        auto least = at_most_keeping_nan(lowest, constant(0, lowest));
        auto most = at_least_keeping_nan(highest, constant(0, highest));
        auto magnitude = at_least_keeping_nan(most, negate(least));
        auto width = to_binary64(subtract_exact(quant_max, quant_min));
        auto half_width = to_binary32(divide(width, constant(2, width)));
        auto ratio = divide(magnitude, half_width);
        auto scale = at_least_keeping_nan(ratio, eps);
        auto rounded_middle = integer_to_binary32(middle);
        return {scale, truncate_to_int32(rounded_middle)};
      }
    };
  };

  struct NoClippingError {
    inline static const Signature signature =
        choice_signature("torchao.choose_qparams_affine/no_clipping_error", Type::int32,
                         {{"least", "lowest, at most 0"},
                          {"most", "highest, at least 0"},
                          {"for_least", "least / quant_min, one binary32 division"},
                          {"for_most", "most / quant_max, one binary32 division"},
                          {"larger", "for_least, at least for_most; that too where for_least is NaN"},
                          {"scale", "at least eps; NaN stays"},
                          {"rounded_middle", "(quant_max + quant_min + 1) / 2, toward zero, rounded once to binary32"},
                          {"zero_point", "to int32"}});
    static constexpr std::size_t input_count = 2;

    template <class Real>
    struct Element {
      using Number = Real;
      using Input = Real;
      Real eps;
      Integer<Real> quant_min;
      Integer<Real> quant_max;
      Integer<Real> middle;

      static Element at(const Values<Real>& values) {
        return {values.real(Role::eps), values.whole(Role::quant_min), values.whole(Role::quant_max),
                values.number((values.raw_whole(Role::quant_max) + values.raw_whole(Role::quant_min) + 1) / 2)};
      }
      QASSAY_STEP std::tuple<Real, Integer<Real>> operator()(Real lowest, Real highest) const {
        auto least = at_most_keeping_nan(lowest, constant(0, lowest));
        auto most = at_least_keeping_nan(highest, constant(0, highest));
        auto for_least = divide(least, integer_to_binary32(quant_min));
        auto for_most = divide(most, integer_to_binary32(quant_max));
        auto larger = at_least_or_bound_if_nan(for_least, for_most);
        auto scale = at_least_keeping_nan(larger, eps);
        auto rounded_middle = integer_to_binary32(middle);
        return {scale, truncate_to_int32(rounded_middle)};
      }
    };
  };

  static ProgramCalls program(const Arguments& arguments) {
    switch (arguments.choice<Mapping>(Role::symmetry)) {
      case Mapping::symmetric: return range_and_choice<Symmetric>();
      case Mapping::symmetric_no_clipping_error: return range_and_choice<NoClippingError>();
      default: return range_and_choice<Asymmetric>();
    }
  }
  static void check(const Arguments& arguments) { check_choice(arguments); }
};

}  // namespace qassay::torchao
