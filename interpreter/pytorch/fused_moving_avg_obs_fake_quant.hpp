#pragma once

#include "interpreter/pytorch/choose_quantization_params.hpp"
#include "interpreter/pytorch/fake_quantize_per_channel_affine.hpp"
#include "interpreter/pytorch/fake_quantize_per_tensor_affine.hpp"
#include "interpreter/pytorch/parts.hpp"

namespace qassay::pytorch {

/// torch.fused_moving_avg_obs_fake_quant on CPU: an observer and a fake quantization in one operator, its state given
/// and returned. With fake quantization on, scale and zero point are computed again at every call, whether or not the
/// observer is on.
struct fused_moving_avg_obs_fake_quant {
  inline static const Signature signature{
      .id = "pytorch.fused_moving_avg_obs_fake_quant",
      .summary =
          "running_min, running_max follow x; scale, zero_point = ChooseQuantizationParams(running_min, "
          "running_max); y = fake_quantize(x)",
      .kind = FormulaKind::composite,
      .inputs = {{"x", {Type::float32}, "any shape"}},
      .parameters = {{.name = "observer_on",
                      .role = Role::observer_on,
                      .kind = ParameterKind::boolean,
                      .fallback = "true",
                      .about = "whether the running range follows x"},
                     {.name = "fake_quant_on",
                      .role = Role::fake_quant_on,
                      .kind = ParameterKind::boolean,
                      .fallback = "true",
                      .about = "whether scale and zero point are computed, and x is fake-quantized"},
                     minimum_parameter("running_min", "inf"),
                     maximum_parameter("running_max", "-inf"),
                     {.name = "scale",
                      .role = Role::scale,
                      .kind = ParameterKind::real,
                      .fallback = "1",
                      .about = "before the call; returned as it is if fake quantization is off"},
                     {.name = "zero_point",
                      .role = Role::zero_point,
                      .kind = ParameterKind::integer,
                      .fallback = "0",
                      .within = Within::int32,
                      .about = "before the call; returned as it is if fake quantization is off"},
                     averaging_const_parameter(),
                     quant_min_parameter(),
                     quant_max_parameter(),
                     {.name = "ch_axis",
                      .role = Role::axis,
                      .kind = ParameterKind::whole,
                      .fallback = "-1",
                      .about = "the channels' axis; per row it must be 0"},
                     {.name = "per_row_fake_quant",
                      .role = Role::per_row,
                      .kind = ParameterKind::boolean,
                      .fallback = "false",
                      .about = "a range, scale and zero point for each slice of axis 0"},
                     {.name = "symmetric_quant",
                      .role = Role::symmetry,
                      .kind = ParameterKind::boolean,
                      .fallback = "false",
                      .about = "makes ranges symmetric, where they have 0 inside"}},
      .outputs = {{"y", OutputRule::fixed, Type::float32, "shaped like x"},
                  {"mask", OutputRule::fixed, Type::boolean, "true where the gradient passes"},
                  {"running_min", OutputRule::fixed, Type::float32, "after the call"},
                  {"running_max", OutputRule::fixed, Type::float32, "after the call"},
                  {"scale", OutputRule::fixed, Type::float32, "after the call"},
                  {"zero_point", OutputRule::fixed, Type::int32, "after the call"}},
      .steps = {{"range", "smallest and largest element, of x or of each row; NaN stays"},
                {"running range",
                 "running + averaging_const * (new - running) in binary32; the new one where it was "
                 "infinite"},
                {"scale, zero_point", "pytorch.ChooseQuantizationParams of the running range"},
                {"y", "pytorch.fake_quantize_per_tensor_affine, or _per_channel_affine per row"}},
      .edges =
          "A one-sided range gets an affine grid even under symmetric_quant. No eps: scales end at 6.1e-5. NaN in x: "
          "scale and y are NaN per tensor, an error per row.",
      .source = "aten/src/ATen/native/quantized/cpu/fused_obs_fake_quant.cpp",
      .verified = "torch 2.13.0",
  };

  /// Here nobody looks at the zero point's range.
  struct FakeQuantizePerTensor {
    inline static const Signature signature = [] {
      Signature part = fake_quantize_per_tensor_affine::signature;
      part.id = "pytorch.fused_moving_avg_obs_fake_quant/fake_quantize_per_tensor";
      part.parameters = {scale_parameter(), zero_point_parameter(Within::int32), quant_min_parameter(),
                         quant_max_parameter()};
      return part;
    }();
    template <class Real>
    using Element = fake_quantize_per_tensor_affine::Element<Real>;
  };

  /// With fake quantization off x goes through, and so does its gradient.
  struct Through {
    inline static const Signature signature{
        .id = "pytorch.fused_moving_avg_obs_fake_quant/through",
        .summary = "y = x, mask = true",
        .inputs = {{"x", {Type::float32}, ""}},
        .parameters = {},
        .outputs = {{"y", OutputRule::of_input, {}, ""}, {"mask", OutputRule::fixed, Type::boolean, ""}},
        .steps = {},
    };
    template <class Real>
    struct Element {
      using Number = Real;
      using Input = Real;
      static Element at(const Values<Real>& /*values*/) { return {}; }
      QASSAY_STEP std::tuple<Real, bool> operator()(Real x) const { return {x, true}; }
    };
  };

  static bool observes(const Arguments& arguments) {
    return arguments.whole(Role::observer_on) != 0 && element_count(arguments.shape) > 0;
  }

  static void check(const Arguments& arguments) {
    const bool is_per_row = arguments.whole(Role::per_row) != 0;
    for (const Role state : {Role::minimum, Role::maximum, Role::scale, Role::zero_point}) {
      if (is_per_row || arguments[state].tensor->size() == 1) continue;
      throw RequestError(
          ErrorKind::wrong_shape,
          fmt::format("{}: {}: has the shape {}; without per_row_fake_quant there is one value", signature.id,
                      signature.parameter(state)->name, to_text(arguments[state].tensor->shape())));
    }
    if (!is_per_row || !observes(arguments)) return;
    if (arguments.shape.size() > 1 && arguments.whole(Role::axis) == 0) return;
    throw RequestError(
        ErrorKind::axis_out_of_range,
        fmt::format("{}: ch_axis: is {} for the shape {}; rows are observed along axis 0 of at least two", signature.id,
                    arguments.whole(Role::axis), to_text(arguments.shape)));
  }

  static ProgramCalls program(const Arguments& arguments) {
    const bool is_per_row = arguments.whole(Role::per_row) != 0;
    ProgramCalls calls;
    if (observes(arguments)) {
      calls.push_back(is_per_row ? range_call<Spread::along_axis>("ch_axis") : range_call<Spread::alone>());
      calls.push_back(moving_average_call<StartOfAverage::at_an_infinity>("running_min", "running_max"));
    }
    // An empty x goes through, whatever is on.
    if (arguments.whole(Role::fake_quant_on) == 0 || element_count(arguments.shape) == 0) {
      calls.push_back({elementwise<Through>(), {{"x", "x"}}, {}, {{"y", "y"}, {"mask", "mask"}}});
      return calls;
    }
    calls.push_back({elementwise<ChooseQuantizationParams>(),
                     {},
                     {{"min", FromValue{"running_min"}},
                      {"max", FromValue{"running_max"}},
                      {"qmin", FromValue{"quant_min"}},
                      {"qmax", FromValue{"quant_max"}},
                      {"preserve_sparsity", FromValue{"symmetric_quant"}}},
                     {{"scale", "scale"}, {"zero_point", "zero_point"}}});
    ProgramCall quantized{
        is_per_row ? elementwise<fake_quantize_per_channel_affine>() : elementwise<FakeQuantizePerTensor>(),
        {{"x", "x"}},
        {{"scale", FromValue{"scale"}},
         {"zero_point", FromValue{"zero_point"}},
         {"quant_min", FromValue{"quant_min"}},
         {"quant_max", FromValue{"quant_max"}}},
        {{"y", "y"}, {"mask", "mask"}}};
    if (is_per_row) quantized.parameters.emplace_back("axis", FromValue{"ch_axis"});
    calls.push_back(std::move(quantized));
    return calls;
  }
};

}  // namespace qassay::pytorch
