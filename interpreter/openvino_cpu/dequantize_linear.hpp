#pragma once

#include <algorithm>

#include "interpreter/elementwise.hpp"
#include "interpreter/onnx/parameters.hpp"
#include "interpreter/openvino_cpu/parts.hpp"

namespace qassay::openvino_cpu {

/// The plugin's node for a dequantization: fused in generated code, or one operation after the other.
enum class DequantizeNode : std::uint8_t { snippets, eltwise };

/// ONNX DequantizeLinear as OpenVINO's ONNX front end decomposes it, in the CPU plugin, one element: the subtraction
/// is folded into a constant, so the zero point itself need not become 0.
struct DequantizeLinear {
  inline static const Signature signature{
      .id = "openvino_cpu.DequantizeLinear",
      .summary = "y = fma(binary32(x), x_scale, -(x_zero_point * x_scale))",
      .inputs = {{"x", onnx::kDequantizableTypes, "codes, any shape"}},
      .parameters =
          [] {
            std::vector<Parameter> parameters = onnx::dequantize_linear_parameters();
            parameters.push_back({.name = "node",
                                  .role = Role::node,
                                  .kind = ParameterKind::choice,
                                  .fallback = "snippets",
                                  .words = {"snippets", "eltwise"},
                                  .about = "the plugin's node that computes; eltwise with SNIPPETS_MODE=DISABLE"});
            return parameters;
          }(),
      .outputs = {{"y", OutputRule::of_dtype, {}, "shaped like x"}},
      .steps = {{"constants",
                 "x_scale and -x_zero_point * x_scale in the type of y; no shift where all zero points are 0"},
                {"y",
                 "x * x_scale + shift: fused; eltwise: each rounded, unless the slices lie along an axis but the "
                 "first"}},
      .edges =
          "x = x_zero_point gives the rounding error of the shift, not 0. Scales and shifts that are vectors lose "
          "subnormal values.",
      .source = "openvino/src/frontends/onnx/frontend/src/op/dequantize_linear.cpp",
      .verified = "openvino 2026.4.1",
  };

  /// How the shift comes to the product.
  enum class Shift : std::uint8_t { none, added, fused };

  /// What the plugin decides for the whole tensor.
  struct Plan {
    Shift shift = Shift::none;
    bool has_positive_zero = false;  ///< 0 is added to a product without a shift
    Subnormals flushes_scale = Subnormals::kept;
    Subnormals flushes_shift = Subnormals::kept;
  };
  static Plan whole(const Arguments& arguments);

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Integer<Real>;
    Real x_scale;
    Real shift;
    Shift how;
    Type type;

    static Element at(const Values<Real>& values) {
      const Plan& plan = values.template whole<Plan>();
      const Type type = values.dtype();
      auto scale = openvino::through(values.real(Role::scale), type);
      auto zero_point = integer_to_binary32(values.integer(Role::zero_point));
      auto shift = values.zero();
      if (plan.shift != Shift::none)
        shift = openvino::through(multiply(openvino::through(negate(zero_point), type), scale), type);
      // 0 as a constant has no sign.
      if (is_equal(shift, values.zero())) shift = values.zero();
      return {or_zero(scale, plan.flushes_scale), or_zero(shift, plan.flushes_shift),
              plan.shift == Shift::none && plan.has_positive_zero ? Shift::added : plan.shift, type};
    }
    /// bfloat16 codes are cut on the way in, and results rounded by an instruction that flushes.
    QASSAY_STEP auto operator()(Input x) const {
      auto number = integer_to_binary32(x);
      if (type == Type::bfloat16) number = openvino::cut_to_bfloat16(number);
      auto y = how == Shift::none    ? multiply(number, x_scale)
               : how == Shift::fused ? fused_multiply_add(number, x_scale, shift)
                                     : add(multiply(number, x_scale), shift);
      return type == Type::bfloat16 ? flush_subnormal(y) : y;
    }
  };
};

}  // namespace qassay::openvino_cpu
