#pragma once

#include "interpreter/pytorch/parts.hpp"
#include "interpreter/quantized_decomposed/parameters.hpp"

namespace qassay::quantized_decomposed {

/// quantized_decomposed.choose_qparams_symmetric: the observers' symmetric rule for the largest magnitude of x.
struct choose_qparams_symmetric {
  inline static const Signature signature{
      .id = "quantized_decomposed.choose_qparams_symmetric",
      .summary = "scale = max(max(|x|) / ((quant_max - quant_min) / 2), eps); zero_point = 128 for uint8, else 0",
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
                {"magnitude", "the larger side: most, at least -least"},
                {"width", "quant_max - quant_min"},
                {"half_width", "width / 2, one exact division, then binary32: 127.5 for [-128, 127]"},
                {"ratio", "magnitude / half_width, one binary32 division"},
                {"scale", "at least eps; NaN stays"}},
      .edges =
          "The zero point does not depend on quant_min and quant_max: 128 for every uint8 range, 0 for uint16. NaN "
          "in x gives scale NaN.",
      .source = "torch/ao/quantization/fx/_decomposed.py, choose_qparams_symmetric_tensor; utils.py, determine_qparams",
      .verified = "torch 2.13.0",
  };

  struct Choice {
    inline static const Signature signature = pytorch::choice_signature(
        "quantized_decomposed.choose_qparams_symmetric/choice",
        {quant_min_parameter(), quant_max_parameter(), eps_parameter(), dtype_parameter()}, Type::float64, Type::int64);
    static constexpr std::size_t input_count = 2;

    template <class Real>
    struct Element {
      using Number = Real;
      using Input = Real;
      Real eps;
      Integer<Real> quant_min;
      Integer<Real> quant_max;
      Integer<Real> zero_point;

      static Element at(const Values<Real>& values) {
        return {values.real(Role::eps), values.whole(Role::quant_min), values.whole(Role::quant_max),
                values.number(values.dtype() == Type::uint8 ? 128 : 0)};
      }
      QASSAY_STEP std::tuple<Real, Integer<Real>> operator()(Real lowest, Real highest) const {
        auto least = at_most_keeping_nan(lowest, constant(0, lowest));
        auto most = at_least_keeping_nan(highest, constant(0, highest));
        auto magnitude = at_least_keeping_nan(most, negate(least));
        auto width = to_binary64(subtract_exact(quant_max, quant_min));
        auto half_width = to_binary32(divide(width, constant(2, width)));
        auto ratio = divide(magnitude, half_width);
        auto scale = at_least_keeping_nan(ratio, eps);
        return {scale, zero_point};
      }
    };
  };

  static ProgramCalls program() { return pytorch::range_and_choice<pytorch::Range<Spread::alone>, Choice>(); }

  static void check(const Arguments& arguments) {
    check_has_elements(arguments);
    check_range_holds_zero(arguments);
    check_eps_is_number(arguments);
  }
};

}  // namespace qassay::quantized_decomposed
