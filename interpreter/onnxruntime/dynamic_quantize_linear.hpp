#pragma once

#include "interpreter/onnx/dynamic_quantize_linear.hpp"
#include "interpreter/onnxruntime/quantize_linear.hpp"

namespace qassay::onnxruntime {

/// ONNX Runtime's DynamicQuantizeLinear on CPU (MLAS with AVX). The range of x is found eight lanes at a time with
/// x86's minimum and maximum, which take their second operand where one is NaN: a NaN hides what its lane has seen
/// before, and only that.
struct DynamicQuantizeLinear {
  inline static const Signature signature{
      .id = "onnxruntime.DynamicQuantizeLinear",
      .summary = "as onnx.DynamicQuantizeLinear, with y_scale = 1 for an empty span",
      .kind = FormulaKind::composite,
      .inputs = {{"x", {Type::float32}, "any shape"}},
      .parameters = {},
      .outputs = onnx::DynamicQuantizeLinear::signature.outputs,
      .steps = onnx::DynamicQuantizeLinear::signature.steps,
      .edges =
          "All zero: y_scale 1, y_zero_point 0. NaN: its effect depends on its place and the length; see the steps.",
      .source = "onnxruntime/core/util/qmath.h, GetQuantizationParameter; MlasReduceMinimumMaximumF32KernelAvx",
      .verified = "onnxruntime 1.32.0",
  };

  struct Range {
    inline static const Signature signature{
        .id = "onnxruntime.DynamicQuantizeLinear/range",
        .summary = "lowest = min(0, x), highest = max(0, x), in lanes",
        .kind = FormulaKind::reduce,
        .inputs = onnx::DynamicQuantizeLinear::Range::signature.inputs,
        .parameters = {},
        .outputs = onnx::DynamicQuantizeLinear::Range::signature.outputs,
        .steps = onnx::DynamicQuantizeLinear::Range::signature.steps,
    };

    /// The extreme of x as the kernel finds it. `extreme(a, b)` is x86's instruction: b where one is NaN.
    template <class Real>
    static Real in_lanes(std::span<const Real> x, Real start, auto extreme) {
      std::array<std::array<Real, 8>, 4> lanes;
      for (auto& vector : lanes) vector.fill(start);
      Real result = start;
      std::size_t i = 0;
      const auto fold = [&](std::array<Real, 8>& into, const auto& vector) {
        for (std::size_t lane = 0; lane < 8; ++lane) into[lane] = extreme(into[lane], vector[lane]);
      };
      if (x.size() >= 8) {
        for (; x.size() >= 32 && i + 32 <= x.size(); i += 32) {
          for (std::size_t v = 0; v < 4; ++v) fold(lanes[v], x.subspan(i + 8 * v, 8));
        }
        if (x.size() >= 32) {
          fold(lanes[0], lanes[1]);
          fold(lanes[2], lanes[3]);
          fold(lanes[0], lanes[2]);
        }
        for (; i + 8 <= x.size(); i += 8) fold(lanes[0], x.subspan(i, 8));
        std::array<Real, 4> quarter;
        for (std::size_t lane = 0; lane < 4; ++lane) quarter[lane] = extreme(lanes[0][lane], lanes[0][lane + 4]);
        result = extreme(extreme(quarter[0], quarter[2]), extreme(quarter[1], quarter[3]));
      }
      // The rest one by one: here a NaN is passed over.
      for (; i < x.size(); ++i) {
        if (!is_nan(x[i])) result = is_nan(result) ? result : extreme(result, x[i]);
      }
      return result;
    }

    template <class Real>
    static std::array<Real, 2> reduce(std::span<const Real> x) {
      const Real largest(std::numeric_limits<float>::max());
      const Real smallest(std::numeric_limits<float>::lowest());
      const Real lowest =
          in_lanes(x, largest, [](const Real& a, const Real& b) { return at_most_or_bound_if_nan(a, b); });
      const Real highest =
          in_lanes(x, smallest, [](const Real& a, const Real& b) { return at_least_or_bound_if_nan(a, b); });
      return {at_most_keeping_nan(lowest, Real(0)), at_least_keeping_nan(highest, Real(0))};
    }
  };

  struct ScaleAndZeroPoint {
    inline static const Signature signature{
        .id = "onnxruntime.DynamicQuantizeLinear/scale_and_zero_point",
        .summary = "y_scale = span == 0 ? 1 : span / 255, y_zero_point = round_half_even(clamp(0 - lowest / y_scale))",
        .inputs = onnx::DynamicQuantizeLinear::ScaleAndZeroPoint::signature.inputs,
        .parameters = {},
        .outputs = onnx::DynamicQuantizeLinear::ScaleAndZeroPoint::signature.outputs,
        .steps = {},
    };
    static constexpr std::size_t input_count = 2;

    template <class Real>
    struct Element {
      using Number = Real;
      using Input = Real;
      static Element at(const Values<Real>& /*values*/) { return {}; }
      QASSAY_STEP std::tuple<Real, Integer<Real>> operator()(Real lowest, Real highest) const {
        auto y_scale = constant(1, lowest);
        if (!is_equal(lowest, highest)) y_scale = divide(subtract(highest, lowest), constant(255, highest));
        auto offset = divide(lowest, y_scale);
        auto negated = subtract(constant(0, offset), offset);
        auto limited = at_most_or_bound_if_nan(negated, constant(255, negated));
        auto rounded = round_half_even(limited);
        return {y_scale, saturate(rounded, code_range(Type::uint8))};
      }
    };
  };

  static std::vector<ProgramCall> program() {
    return onnx::DynamicQuantizeLinear::program_of<Range, ScaleAndZeroPoint, QuantizeLinear>(
        {{"output_dtype", Literal{"uint8"}}});
  }
};

}  // namespace qassay::onnxruntime
