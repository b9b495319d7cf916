// A fake quantize of PyTorch after its way through OpenVINO's PyTorch front end.
#pragma once

#include <fmt/format.h>

#include "interpreter/openvino/fake_quantize.hpp"

namespace qassay::openvino {

/// The signature of one: the translation's parameters, but for the rank, which x has, and what chooses a kernel.
inline Signature crossing_signature(std::string_view id, const Signature& translation, const Signature& fake_quantize) {
  Signature signature{
      .id = id,
      .summary = "y = FakeQuantize(x, low, high, low, high, quant_max - quant_min + 1)",
      .inputs = {{"x", {Type::float32}, "at least one dimension"}},
      .parameters = {},
      .outputs = {{"y", OutputRule::of_input, {}, "on the grid, shaped like x"}},
      .steps = translation.steps,
      .edges = fake_quantize.edges,
      .source = translation.source,
      .verified = translation.verified,
  };
  for (const Parameter& parameter : translation.parameters) {
    if (parameter.role != Role::rank) signature.parameters.push_back(parameter);
  }
  for (const Parameter& parameter : fake_quantize.parameters) {
    if (parameter.kind == ParameterKind::choice) signature.parameters.push_back(parameter);
  }
  signature.steps.push_back({"y", "as FakeQuantize between low and high, on both sides"});
  return signature;
}

/// One on the reference kernels.
template <class Translation>
struct Crossing {
  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Real;
    FakeQuantize::Element<Real> grid;

    static Element at(const Values<Real>& values) { return {{translated_bounds<Translation>(values)}}; }
    QASSAY_STEP Real operator()(Real x) const { return grid(x); }
  };
};

/// Refuses a range that FakeQuantize has no levels for.
inline void check_levels(const Arguments& arguments) {
  const std::int64_t levels = arguments.whole(Role::quant_max) - arguments.whole(Role::quant_min) + 1;
  if (levels >= kFewestLevels && levels <= kMostLevels) return;
  throw RequestError(ErrorKind::out_of_domain,
                     fmt::format("{}: quant_max - quant_min + 1 is {}; FakeQuantize has {} to {} levels",
                                 arguments.signature->id, levels, kFewestLevels, kMostLevels));
}

}  // namespace qassay::openvino
