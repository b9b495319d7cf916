#pragma once

#include "interpreter/openvino/translation_parts.hpp"

namespace qassay::openvino {

/// aten::_fake_quantize_learnable_per_channel_affine in OpenVINO's PyTorch front end: no value is quantized here, the
/// bounds of a FakeQuantize are worked out. A zero point that training moved is rounded, then limited.
struct translate_fake_quantize_learnable_per_channel_affine : Translation {
  inline static const Signature signature{
      .id = "openvino.translate_fake_quantize_learnable_per_channel_affine",
      .summary =
          "z = clamp(round_half_even(zero_point), quant_min, quant_max); low, high = min, max of scale * (quant_min - "
          "z), scale * (quant_max - z)",
      .inputs = {},
      .parameters =
          [] {
            std::vector<Parameter> parameters = translation_parameters("one for each channel, as training left it");
            parameters.push_back({.name = "grad_factor",
                                  .role = Role::grad_factor,
                                  .kind = ParameterKind::real,
                                  .fallback = "1",
                                  .spread = Spread::alone,
                                  .about = "of gradients; accepted and ignored"});
            return parameters;
          }(),
      .outputs = kTranslatedOutputs,
      .steps = {{"nearest", "the zero point to an integral value, ties to even"},
                {"zero point", "to at least quant_min and at most quant_max"},
                {"bounds", "scale times the distance of each end from the zero point; two roundings each"},
                {"low, high", "the smaller and the larger of the two; subnormal ones become 0"}},
      .edges = "Negative scales give the same bounds as positive ones mirrored. The zero point is not added again.",
      .source = "openvino/src/frontends/pytorch/src/op/fake_quantize.cpp",
      .verified = "openvino 2026.4.1",
  };

  template <class Real>
  struct Element : TranslatedBounds<Real> {
    static Element at(const Values<Real>& values) {
      const CodeRange range{values.raw_whole(Role::quant_min), values.raw_whole(Role::quant_max)};
      auto lowest = integer_to_binary32(values.whole(Role::quant_min));
      auto highest = integer_to_binary32(values.whole(Role::quant_max));
      auto nearest = round_half_even(values.real(Role::zero_point));
      auto zero_point = at_most_keeping_nan(at_least_keeping_nan(nearest, lowest), highest);
      return {{values.real(Role::scale), zero_point, lowest, highest, values.number(range.highest - range.lowest + 1)}};
    }
  };

  static void check(const Arguments& arguments) {
    check_learned_zero_points(arguments);
    check_translation(arguments);
  }
};

}  // namespace qassay::openvino
