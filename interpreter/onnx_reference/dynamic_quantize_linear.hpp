#pragma once

#include "interpreter/onnx/dynamic_quantize_linear.hpp"

namespace qassay::onnx_reference {

/// DynamicQuantizeLinear of onnx.reference.ReferenceEvaluator. All in binary32, the sum with the zero point too.
struct DynamicQuantizeLinear {
  inline static const Signature signature{
      .id = "onnx_reference.DynamicQuantizeLinear",
      .summary =
          "as onnx.DynamicQuantizeLinear, with y_scale = 1/255 for an empty span and the sum y taken in binary32",
      .kind = FormulaKind::composite,
      .inputs = {{"x", {Type::float32}, "any shape"}},
      .parameters = {},
      .outputs = onnx::DynamicQuantizeLinear::signature.outputs,
      .steps = onnx::DynamicQuantizeLinear::signature.steps,
      .edges = "All zero: y_scale 1/255. NaN anywhere: y_scale NaN, y_zero_point 255, y 0.",
      .source = "onnx/reference/ops/op_dynamic_quantize_linear.py",
      .verified = "onnx 1.23.2",
  };

  struct ScaleAndZeroPoint {
    inline static const Signature signature{
        .id = "onnx_reference.DynamicQuantizeLinear/scale_and_zero_point",
        .summary =
            "y_scale = (span == 0 ? 1 : span) / 255, y_zero_point = round_half_even(clamp(0 - lowest / y_scale))",
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
        auto span = constant(1, lowest);
        if (!is_equal(lowest, highest)) span = subtract(highest, lowest);
        auto y_scale = divide(span, constant(255, span));
        auto offset = divide(lowest, y_scale);
        auto negated = subtract(constant(0, offset), offset);
        auto limited = at_most_or_bound_if_nan(negated, constant(255, negated));
        auto rounded = round_half_even(limited);
        return {y_scale, saturate(rounded, code_range(Type::uint8))};
      }
    };
  };

  struct Codes {
    inline static const Signature signature{
        .id = "onnx_reference.DynamicQuantizeLinear/codes",
        .summary = "y = uint8(clip(round_half_even(x / y_scale) + y_zero_point, 0, 255))",
        .inputs = {{"x", {Type::float32}, ""}},
        .parameters = {{.name = "y_scale", .role = Role::scale, .kind = ParameterKind::real},
                       {.name = "y_zero_point",
                        .role = Role::zero_point,
                        .kind = ParameterKind::integer,
                        .within = Within::int32}},
        .outputs = {{"y", OutputRule::fixed, Type::uint8, ""}},
        .steps = {},
    };

    template <class Real>
    struct Element {
      using Number = Real;
      using Input = Real;
      Real y_scale;
      Integer<Real> y_zero_point;

      static Element at(const Values<Real>& values) {
        return {values.real(Role::scale), values.integer(Role::zero_point)};
      }
      QASSAY_STEP auto operator()(Real x) const {
        auto quotient = divide(x, y_scale);
        auto rounded = round_half_even(quotient);
        auto shifted = add(rounded, from_integer(y_zero_point, rounded));
        auto limited = at_most_keeping_nan(at_least_keeping_nan(shifted, constant(0, shifted)), constant(255, shifted));
        return wrap(truncate_to_int32(limited), code_range(Type::uint8));
      }
    };
  };

  static void check(const Arguments& arguments) {
    if (element_count(arguments.shape) > 0) return;
    throw RequestError(
        ErrorKind::out_of_domain,
        "onnx_reference.DynamicQuantizeLinear: NumPy has no minimum of no elements; expected at least one");
  }

  static std::vector<ProgramCall> program() {
    return onnx::DynamicQuantizeLinear::program_of<onnx::DynamicQuantizeLinear::Range, ScaleAndZeroPoint, Codes>();
  }
};

}  // namespace qassay::onnx_reference
