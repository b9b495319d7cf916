#pragma once

#include "interpreter/openvino/translation_parts.hpp"

namespace qassay::openvino {

/// aten::fake_quantize_per_channel_affine in OpenVINO's PyTorch front end: the bounds of a FakeQuantize.
struct translate_fake_quantize_per_channel_affine : Translation {
  inline static const Signature signature{
      .id = "openvino.translate_fake_quantize_per_channel_affine",
      .summary = "low, high = min, max of scale * (quant_min - zero_point), scale * (quant_max - zero_point)",
      .inputs = {},
      .parameters = translation_parameters("one for each channel, integer or not; used as it is"),
      .outputs = kTranslatedOutputs,
      .steps = {{"bounds", "scale times the distance of each end from the zero point; two roundings each"},
                {"low, high", "the smaller and the larger of the two; subnormal ones become 0"}},
      .edges = "Negative scales give the same bounds as positive ones mirrored. The zero point is not added again.",
      .source = "openvino/src/frontends/pytorch/src/op/fake_quantize.cpp",
      .verified = "openvino 2026.4.1",
  };

  template <class Real>
  struct Element : TranslatedBounds<Real> {
    static Element at(const Values<Real>& values) {
      const CodeRange range{values.raw_whole(Role::quant_min), values.raw_whole(Role::quant_max)};
      return {{values.real(Role::scale), values.real(Role::zero_point),
               integer_to_binary32(values.whole(Role::quant_min)), integer_to_binary32(values.whole(Role::quant_max)),
               values.number(range.highest - range.lowest + 1)}};
    }
  };

  static void check(const Arguments& arguments) { check_translation(arguments); }
};

}  // namespace qassay::openvino
