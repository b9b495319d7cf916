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
      .steps = {{"lowest", "the smallest of the block"},
                {"highest", "the largest of the block"},
                {"least", "at most 0"},
                {"most", "at least 0"},
                {"ratio",
                 "ASYMMETRIC: most - least, over quant_max - quant_min in binary32; SYMMETRIC: the larger of "
                 "-least and most, over (quant_max - quant_min) / 2 in binary32; SYMMETRIC_NO_CLIPPING_ERR: the "
                 "larger of least / quant_min and most / quant_max"},
                {"scale", "at least eps; NaN stays"},
                {"offset", "ASYMMETRIC: least / scale, rounded to an integral value, ties to even"},
                {"difference", "quant_min - offset, one binary32 subtraction"},
                {"limited", "to [quant_min, quant_max], both rounded to binary32; NaN stays"},
                {"zero_point", "to int32; NaN gives INT_MIN. Symmetric: (quant_max + quant_min + 1) / 2, toward zero"}},
      .edges =
          "The default eps is the smallest normal number, not the observers' 2^-23. NaN in a block gives scale NaN, "
          "and INT_MIN for ASYMMETRIC, where -inf does too.",
      .source = "torchao/quantization/quant_primitives.py, _choose_qparams_affine",
      .verified = "torchao 0.18.0, torch 2.13.0",
  };

  struct Choice {
    inline static const Signature signature{
        .id = "torchao.choose_qparams_affine/choice",
        .summary = "scale and zero point of a range",
        .inputs = {{"lowest", {Type::float32}, ""}, {"highest", {Type::float32}, ""}},
        .parameters = {mapping_type_parameter(), codes_parameter("target_dtype"), quant_min_parameter(),
                       quant_max_parameter(), eps_parameter()},
        .outputs = {{"scale", OutputRule::fixed, Type::float32, ""},
                    {"zero_point", OutputRule::fixed, Type::int32, ""}},
        .steps = {},
    };
    static constexpr std::size_t input_count = 2;

    template <class Real>
    struct Parameters {
      Real eps;
      Integer<Real> quant_min;
      Integer<Real> quant_max;

      static Parameters at(const Values<Real>& values) {
        return {values.real(Role::eps), values.whole(Role::quant_min), values.whole(Role::quant_max)};
      }
    };

    template <class Real>
    struct Asymmetric {
      using Number = Real;
      using Input = Real;
      Parameters<Real> given;
      static Asymmetric at(const Values<Real>& values) { return {Parameters<Real>::at(values)}; }
      QASSAY_STEP std::tuple<Real, Integer<Real>> operator()(Real lowest, Real highest) const {
        auto least = at_most_keeping_nan(lowest, constant(0, lowest));
        auto most = at_least_keeping_nan(highest, constant(0, highest));
        auto span = subtract(most, least);
        auto width = to_binary32(subtract_exact(given.quant_max, given.quant_min));
        auto ratio = divide(span, width);
        auto scale = at_least_keeping_nan(ratio, given.eps);
        auto offset = round_half_even(divide(least, scale));
        auto difference = subtract(integer_to_binary32(given.quant_min), offset);
        auto raised = at_least_keeping_nan(difference, integer_to_binary32(given.quant_min));
        auto limited = at_most_keeping_nan(raised, integer_to_binary32(given.quant_max));
        return {scale, truncate_to_int32(limited)};
      }
    };

    template <class Real>
    struct Symmetric {
      using Number = Real;
      using Input = Real;
      Parameters<Real> given;
      static Symmetric at(const Values<Real>& values) { return {Parameters<Real>::at(values)}; }
      QASSAY_STEP std::tuple<Real, Integer<Real>> operator()(Real lowest, Real highest) const {
        auto least = at_most_keeping_nan(lowest, constant(0, lowest));
        auto most = at_least_keeping_nan(highest, constant(0, highest));
        auto magnitude = at_least_keeping_nan(most, negate(least));
        auto width = to_binary64(subtract_exact(given.quant_max, given.quant_min));
        auto half_width = to_binary32(divide(width, constant(2, width)));
        auto ratio = divide(magnitude, half_width);
        auto middle = truncate_to_int64(middle_of(given.quant_min, given.quant_max));
        auto scale = at_least_keeping_nan(ratio, given.eps);
        return {scale, truncate_to_int32(to_binary32(middle))};
      }
    };

    template <class Real>
    struct NoClippingError {
      using Number = Real;
      using Input = Real;
      Parameters<Real> given;
      static NoClippingError at(const Values<Real>& values) { return {Parameters<Real>::at(values)}; }
      QASSAY_STEP std::tuple<Real, Integer<Real>> operator()(Real lowest, Real highest) const {
        auto least = at_most_keeping_nan(lowest, constant(0, lowest));
        auto most = at_least_keeping_nan(highest, constant(0, highest));
        auto for_least = divide(least, integer_to_binary32(given.quant_min));
        auto for_most = divide(most, integer_to_binary32(given.quant_max));
        auto larger = at_least_or_bound_if_nan(for_least, for_most);
        auto middle = truncate_to_int64(middle_of(given.quant_min, given.quant_max));
        auto scale = at_least_keeping_nan(larger, given.eps);
        return {scale, truncate_to_int32(to_binary32(middle))};
      }
    };

    static auto select(const Arguments& arguments, auto run) {
      switch (arguments.choice<Mapping>(Role::symmetry)) {
        case Mapping::symmetric: return run.template operator()<Symmetric, float>();
        case Mapping::symmetric_no_clipping_error: return run.template operator()<NoClippingError, float>();
        default: return run.template operator()<Asymmetric, float>();
      }
    }
  };

  static ProgramCalls program() { return range_and_choice<Choice>(); }
  static void check(const Arguments& arguments) { check_choice(arguments); }
};

}  // namespace qassay::torchao
