#pragma once

#include "interpreter/openvino/fake_convert.hpp"
#include "interpreter/openvino_cpu/parts.hpp"

namespace qassay::openvino_cpu {

/// FakeConvert-13 as the CPU plugin's default nodes compute it, one element: properly rounded 8-bit floats, and a
/// product with the reciprocal in place of the last division.
struct FakeConvert {
  inline static const Signature signature{
      .id = "openvino_cpu.FakeConvert",
      .summary = "y = (float8(float16(clamp(x * scale - shift))) + shift) * (1 / scale)",
      .inputs = {{"x", {Type::float32, Type::float16}, "any shape"}},
      .parameters = openvino::fake_convert_parameters(),
      .outputs = {{"y", OutputRule::of_input, {}, "shaped like x"}},
      .steps = {{"scaled", "x * scale - shift, each rounded to binary32; what changes nothing anywhere is left out"},
                {"limited", "to the largest value of the format and its negative; NaN becomes the negative"},
                {"half", "to float16, ties to even"},
                {"converted", "to the 8-bit format, ties to even, subnormal values too"},
                {"y", "(converted + shift) * (1 / scale), each rounded to binary32"}},
      .edges =
          "NaN gives the lowest value, infinities the ends: 448 or 57344. Constants that are tensors of more than one "
          "element lose subnormal values.",
      .source = "openvino/src/common/transformations/src/transformations/op_conversions/fake_convert_decomposition.cpp",
      .verified = "openvino 2026.4.1",
  };

  /// What the plugin decides for the whole tensor.
  struct Plan {
    bool scales = true;
    bool shifts = true;
    bool is_vector = false;  ///< the scale
    Subnormals flushes_scale = Subnormals::kept;
    Subnormals flushes_inverse = Subnormals::kept;
    Subnormals flushes_shift = Subnormals::kept;
  };
  static Plan whole(const Arguments& arguments);

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Real;
    Plan plan;
    Real scale;
    Real inverse;
    Real shift;
    Real shift_back;
    openvino::Destination destination;

    static Element at(const Values<Real>& values) {
      const Plan& plan = values.template whole<Plan>();
      auto scale = values.real(Role::factor);
      return {plan,
              or_zero(scale, plan.flushes_scale),
              or_zero(reciprocal(scale), plan.flushes_inverse),
              or_zero(values.real(Role::shift), plan.flushes_shift),
              or_zero(negate(values.real(Role::shift)), plan.flushes_shift),
              values.template choice<openvino::Destination>(Role::destination)};
    }
    QASSAY_STEP Real operator()(Real x) const {
      const bool is_e5m2 = destination == openvino::Destination::float8_e5m2;
      const auto largest = constant(is_e5m2 ? 57344 : 448, x);
      auto y = x;
      if (plan.scales) y = multiply(y, scale);
      if (plan.shifts) y = subtract(y, shift);
      auto raised = at_least_or_bound_if_nan(y, negate(largest));
      auto limited = at_most_or_bound_if_nan(raised, largest);
      auto half = openvino::through_float16(limited);
      y = is_e5m2 ? openvino::to_float8_e5m2(half) : openvino::to_float8_e4m3fn(half);
      if (plan.shifts) y = subtract(y, shift_back);
      if (plan.scales) y = multiply(y, inverse);
      // A single scale leaves a sum with 0 behind, which has no -0.
      if (plan.scales && !plan.is_vector) y = add(y, constant(0, y));
      return y;
    }
  };
};

}  // namespace qassay::openvino_cpu
