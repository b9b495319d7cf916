#pragma once

#include "interpreter/openvino_cpu/parts.hpp"

namespace qassay::openvino_cpu {

/// FakeQuantize-1 as the nodes of OpenVINO's CPU plugin compute it (x86-64, inference precision f32), one element.
///
/// The generated kernels multiply by a reciprocal step and shift by a product, where the reference kernels divide, and
/// limit x before they round. The snippets node rounds product and shift one by one, the JIT node fuses them.
struct FakeQuantize : Nodes<FakeQuantize> {
  inline static const Signature signature{
      .id = "openvino_cpu.FakeQuantize",
      .summary =
          "y = fma(round_half_even(clamp(x, input_low, input_high) * step - input_low * step), output_step, "
          "output_low), step = (levels - 1) / (input_high - input_low)",
      .inputs = {{"x", openvino::kRealTypes, "any shape"}},
      .parameters =
          [] {
            std::vector<Parameter> parameters = openvino::fake_quantize_parameters();
            parameters.push_back(node_parameter());
            parameters.push_back(low_precision_transforms_parameter());
            return parameters;
          }(),
      .outputs = {{"y", OutputRule::of_input, {}, "shaped like x"}},
      .steps = {{"output bounds", "with lp_transforms_mode=yes rewritten by way of a scale and a shift"},
                {"step", "(levels - 1) / (input_high - input_low)"},
                {"limited",
                 "to the input bounds; snippets: raised first, NaN becomes input_low; jit: lowered first, "
                 "NaN becomes input_high"},
                {"index",
                 "snippets: limited * step - input_low * step, each rounded; jit: fused with the shift "
                 "-input_low * (levels - 1) / (input_high - input_low)"},
                {"rounded", "to an integral value, ties to even"},
                {"y",
                 "fused: rounded * ((output_high - output_low) / (levels - 1)) + output_low; eltwise: not fused; "
                 "jit leaves it out where every output step is 1 and every output_low 0"}},
      .edges =
          "NaN gives the first point (snippets) or the last (jit). Equal input bounds give NaN. jit with input_low "
          "above input_high gives output_low for every x. Spans that overflow give NaN or 0. Constants that are "
          "tensors lose subnormal values. Rewriting needs output bounds of one shape; where they are equal it leaves a "
          "constant in uint8.",
      .source =
          "openvino/src/common/snippets/src/pass/fq_decomposition.cpp; "
          "openvino/src/plugins/intel_cpu/src/nodes/fake_quantize.cpp; "
          "openvino/src/common/low_precision_transformations/src/network_helper.cpp",
      .verified = "openvino 2026.4.1",
  };

  static constexpr GridType grid_type = GridType::of_x;
  template <class Real>
  using Finish = NumberFinish<Real>;

  template <class Real>
  static Bounds<Real> bounds(const Values<Real>& values) {
    return openvino::given_bounds(values);
  }
  static Vectors vectors(const Arguments& arguments) {
    const auto is_vector = [&](Role role) { return arguments[role].tensor->size() > 1; };
    return {is_vector(Role::input_low), is_vector(Role::input_high), is_vector(Role::output_low),
            is_vector(Role::output_high)};
  }
  static std::int64_t levels(const Arguments& arguments) { return arguments.whole(Role::levels); }
  static bool may_be_rewritten(const Arguments& arguments) { return asks_for_rewriting(arguments); }
  static bool is_apart(const Arguments& arguments) {
    const Shape& shape = arguments[Role::output_low].tensor->shape();
    const std::size_t missing = arguments.shape.size() - std::min(arguments.shape.size(), shape.size());
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] != 1 && missing + d >= kFirstAxisApart) return true;
    }
    return false;
  }
  static void check(const Arguments& arguments) { check_fake_quantize(arguments); }
};

}  // namespace qassay::openvino_cpu
