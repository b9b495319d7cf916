#pragma once

#include "interpreter/elementwise.hpp"
#include "interpreter/onnx/quantize_linear.hpp"
#include "interpreter/program.hpp"
#include "interpreter/reduction.hpp"

namespace qassay::onnx {

/// ONNX DynamicQuantizeLinear: the range of x, extended to hold zero, gives scale and zero point; then QuantizeLinear
/// to uint8.
struct DynamicQuantizeLinear {
  inline static const Signature signature{
      .id = "onnx.DynamicQuantizeLinear",
      .summary =
          "y_scale = (max(0, x) - min(0, x)) / 255; y_zero_point = round_half_even(-min / y_scale); y = "
          "QuantizeLinear(x)",
      .kind = FormulaKind::composite,
      .authority = Authority::specification,
      .inputs = {{"x", {Type::float32}, "any shape"}},
      .parameters = {},
      .outputs = {{"y", OutputRule::fixed, Type::uint8, "codes, shaped like x"},
                  {"y_scale", OutputRule::fixed, Type::float32, "one value"},
                  {"y_zero_point", OutputRule::fixed, Type::uint8, "one value"}},
      .steps = {{"lowest", "the smallest of x and 0"},
                {"highest", "the largest of x and 0"},
                {"span", "highest - lowest, one subtraction"},
                {"y_scale", "span / 255, one division"},
                {"offset", "lowest / y_scale, one division"},
                {"negated", "0 - offset"},
                {"rounded", "to an integer, ties to even"},
                {"y_zero_point", "saturated to uint8"}},
      .edges = "Unspecified: x that is all zero (the span is 0), NaN or infinite anywhere.",
      .source = "ONNX operator DynamicQuantizeLinear, version 11",
  };

  struct Range {
    inline static const Signature signature{
        .id = "onnx.DynamicQuantizeLinear/range",
        .summary = "lowest = min(0, x), highest = max(0, x)",
        .kind = FormulaKind::reduce,
        .authority = Authority::specification,
        .inputs = {{"x", {Type::float32}, "any shape"}},
        .parameters = {},
        .outputs = {{"lowest", OutputRule::fixed, Type::float32, ""},
                    {"highest", OutputRule::fixed, Type::float32, ""}},
        .steps = {{"minimum with 0", ""}, {"maximum with 0", ""}},
    };
    template <class Real>
    static std::array<Real, 2> reduce(std::span<const Real> x) {
      Real lowest(0);
      Real highest(0);
      for (const Real& value : x) {
        if (is_nan(value)) return {value, value};
        lowest = at_most_keeping_nan(lowest, value);
        highest = at_least_keeping_nan(highest, value);
      }
      return {lowest, highest};
    }
  };

  struct ScaleAndZeroPoint {
    inline static const Signature signature{
        .id = "onnx.DynamicQuantizeLinear/scale_and_zero_point",
        .summary = "y_scale = (highest - lowest) / 255, y_zero_point = saturate(round_half_even(0 - lowest / y_scale))",
        .authority = Authority::specification,
        .inputs = {{"lowest", {Type::float32}, ""}, {"highest", {Type::float32}, ""}},
        .parameters = {},
        .outputs = {{"y_scale", OutputRule::fixed, Type::float32, ""},
                    {"y_zero_point", OutputRule::fixed, Type::uint8, ""}},
        .steps = {},
    };
    static constexpr std::size_t input_count = 2;

    template <class Real>
    struct Element {
      using Number = Real;
      using Input = Real;
      static Element at(const Values<Real>& /*values*/) { return {}; }
      QASSAY_STEP std::tuple<Real, Integer<Real>> operator()(Real lowest, Real highest) const {
        auto span = subtract(highest, lowest);
        auto y_scale = divide(span, constant(255, span));
        auto offset = divide(lowest, y_scale);
        auto negated = subtract(constant(0, offset), offset);
        auto rounded = round_half_even(negated);
        return {y_scale, saturate(rounded, code_range(Type::uint8))};
      }
      bool is_specified(Real lowest, Real highest) const { return is_finite_and_positive(subtract(highest, lowest)); }
    };
  };

  /// The program of every dialect: a range, then scale and zero point, then codes with the parameters that are fixed.
  template <class RangeOf, class Choice, class Codes>
  static std::vector<ProgramCall> program_of(std::vector<std::pair<std::string, ProgramSource>> fixed = {}) {
    fixed.emplace_back("y_scale", FromValue{"y_scale"});
    fixed.emplace_back("y_zero_point", FromValue{"y_zero_point"});
    return {
        {reduction<RangeOf>(), {{"x", "x"}}, {}, {{"lowest", "lowest"}, {"highest", "highest"}}},
        {elementwise<Choice>(),
         {{"lowest", "lowest"}, {"highest", "highest"}},
         {},
         {{"y_scale", "y_scale"}, {"y_zero_point", "y_zero_point"}}},
        {elementwise<Codes>(), {{"x", "x"}}, std::move(fixed), {{"y", "y"}}},
    };
  }

  static std::vector<ProgramCall> program() {
    return program_of<Range, ScaleAndZeroPoint, QuantizeLinear>({{"output_dtype", Literal{"uint8"}}});
  }
};

}  // namespace qassay::onnx
