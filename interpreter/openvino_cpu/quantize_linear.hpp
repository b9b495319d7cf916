#pragma once

#include "interpreter/onnx/parameters.hpp"
#include "interpreter/openvino_cpu/parts.hpp"

namespace qassay::openvino_cpu {

/// ONNX QuantizeLinear as OpenVINO's ONNX front end decomposes it, in the CPU plugin, one element: a FakeQuantize whose
/// grid is the codes, and a conversion.
///
/// Low-precision transformations leave the bounds alone. But where int8 codes need no shift they drop it, and a tie
/// goes to the even quotient again. And where the grid of a 16-bit type is the type itself the plugin takes the
/// FakeQuantize out, so that what is left cuts fractions off and wraps.
struct QuantizeLinear : Nodes<QuantizeLinear> {
  inline static const Signature signature{
      .id = "openvino_cpu.QuantizeLinear",
      .summary =
          "y = convert(FakeQuantize(x, y_scale * (lowest - y_zero_point), y_scale * (highest - y_zero_point), lowest, "
          "highest, codes))",
      .inputs = {{"x", openvino::kRealTypes, "any shape"}},
      .parameters =
          [] {
            std::vector<Parameter> parameters = onnx::quantize_linear_parameters();
            parameters.push_back(node_parameter());
            parameters.push_back(low_precision_transforms_parameter());
            return parameters;
          }(),
      .outputs = {{"y", OutputRule::of_dtype, {}, "codes, shaped like x"}},
      .steps = {{"input bounds", "y_scale times the distance of the lowest and of the highest code, binary32"},
                {"y", "as openvino_cpu.FakeQuantize, from the lowest to the highest code"},
                {"code", "an integer; int8 without a shift under lp_transforms_mode=yes: limited * step, rounded"}},
      .edges =
          "NaN gives the lowest code (snippets), the highest (jit) or 0 (reference); infinities saturate. Scales whose "
          "grid is not finite give 0, or -128 for int8 under lp_transforms_mode=yes; jit refuses them here, because "
          "there more than these parameters decides. 16-bit types with y_scale 1 and y_zero_point 0 cut off fractions "
          "and wrap.",
      .source =
          "openvino/src/frontends/onnx/frontend/src/op/quantize_linear.cpp, make_fake_quantize; "
          "openvino/src/common/transformations, qdq_stripping.cpp",
      .verified = "openvino 2026.4.1",
  };

  /// The front end converts x to binary32 first.
  static constexpr GridType grid_type = GridType::binary32;
  template <class Real>
  static Bounds<Real> bounds(const Values<Real>& values) {
    return openvino::code_bounds(values);
  }
  static Vectors vectors(const Arguments& arguments) {
    const bool are_vectors =
        arguments[Role::scale].tensor->size() > 1 || arguments[Role::zero_point].tensor->size() > 1;
    return {.input_low = are_vectors, .input_high = are_vectors};
  }
  static std::int64_t levels(const Arguments& arguments) {
    const CodeRange codes = code_range(arguments.type(Role::dtype));
    return codes.highest - codes.lowest + 1;
  }
  static bool may_be_rewritten(const Arguments& /*arguments*/) { return false; }
  static bool is_apart(const Arguments& /*arguments*/) { return false; }

  template <class Real>
  struct Finish {
    int otherwise;

    static Finish at(const Values<Real>& values) {
      const bool is_rewritten =
          values.template choice<LowPrecisionTransforms>(Role::low_precision_transforms) == LowPrecisionTransforms::yes;
      const bool is_snippets = values.template choice<Node>(Role::node) == Node::snippets;
      return {is_rewritten && is_snippets && values.dtype() == Type::int8 ? -128 : 0};
    }
    QASSAY_STEP auto operator()(Real y) const { return openvino::code_or(y, otherwise); }
  };

  /// int8 codes that need no shift.
  template <class Real>
  struct ScaleAlone {
    using Number = Real;
    using Input = Real;
    GridConstants<Real> grid;

    static ScaleAlone at(const Values<Real>& values) {
      return {snippets_constants(bounds(values), values.template whole<Compiled>())};
    }
    QASSAY_STEP auto operator()(Real x) const {
      auto limited = grid.raised_and_limited(x);
      auto rounded = round_half_even(multiply(limited, grid.step));
      return saturate(rounded, code_range(Type::int8));
    }
  };

  /// Nothing but the conversion.
  template <class Real>
  struct Stripped {
    using Number = Real;
    using Input = Real;
    CodeRange codes;

    static Stripped at(const Values<Real>& values) { return {values.codes(Role::dtype)}; }
    QASSAY_STEP auto operator()(Real x) const { return wrap(truncate_to_int32(x), codes); }
  };

  static auto select(const Arguments& arguments, auto run) {
    if (is_stripped(arguments)) return run.template operator()<Stripped, float>();
    if (needs_scale_alone(arguments)) return run.template operator()<ScaleAlone, float>();
    return Nodes<QuantizeLinear>::select(arguments, run);
  }

  static void check(const Arguments& arguments);

 private:
  /// Whether the plugin takes a grid of 16 bits for the type itself.
  static bool is_stripped(const Arguments& arguments);
  /// Whether scaling takes every channel's bounds to the ends of int8.
  static bool needs_scale_alone(const Arguments& arguments);
};

}  // namespace qassay::openvino_cpu
