#pragma once

#include "interpreter/pytorch/choose_quantization_params.hpp"

namespace qassay::pytorch {

/// quant_utils::ChooseQuantizationParams, which torch's dynamic operators call. The scale stays a double.
struct choose_quantization_params_dynamic {
  inline static const Signature signature{
      .id = "pytorch.choose_quantization_params_dynamic",
      .summary = "scale = (max - min) / (qmax - qmin), at least 6.1e-5; zero_point = clamp(qmin - min / scale)",
      .inputs = {},
      .parameters = {minimum_parameter("min"),
                     maximum_parameter("max"),
                     quant_min_parameter("qmin", "0"),
                     quant_max_parameter("qmax", "255"),
                     ChooseQuantizationParams::signature.parameters.back(),
                     {.name = "reduce_range",
                      .role = Role::reduce_range,
                      .kind = ParameterKind::boolean,
                      .fallback = "false",
                      .about = "halves qmin and qmax"}},
      .outputs = {{"scale", OutputRule::fixed, Type::float64, "shaped like min"},
                  {"zero_point", OutputRule::fixed, Type::int32, "shaped like min"}},
      .steps = kChoosingSteps,
      .edges =
          "min above max is refused, and NaN with it. The scale stays in binary64; the error terms are differences, "
          "so that exactly symmetric data get 128 where FBGEMM gives 127.",
      .source = "aten/src/ATen/native/quantized/cpu/QuantUtils.h, ChooseQuantizationParams",
      .verified = "torch 2.13.0",
  };
  static constexpr std::size_t input_count = 0;

  template <class Real>
  struct Element : ChosenParameters<Real, ScaleFormat::binary64, ErrorTerm::difference> {
    static Element at(const Values<Real>& values) {
      const std::int64_t divisor = values.raw_whole(Role::reduce_range) != 0 ? 2 : 1;
      return {{values.binary32(Role::minimum),
               values.binary32(Role::maximum),
               {values.raw_whole(Role::quant_min) / divisor, values.raw_whole(Role::quant_max) / divisor},
               values.raw_whole(Role::symmetry) != 0}};
    }
  };

  static void check(const Arguments& arguments) {
    check_span_of_codes(arguments);
    for (std::size_t i = 0; i < static_cast<std::size_t>(element_count(arguments.shape)); ++i) {
      const double low = arguments.real(Role::minimum, {i});
      const double high = arguments.real(Role::maximum, {i});
      if (low <= high) continue;
      throw RequestError(ErrorKind::out_of_domain,
                         fmt::format("{}: min: {} is not at most max: {}", arguments.signature->id, low, high));
    }
  }
};

}  // namespace qassay::pytorch
