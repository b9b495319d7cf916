#pragma once

#include "interpreter/openvino/crossing_parts.hpp"
#include "interpreter/openvino/translate_fake_quantize_learnable_per_channel_affine.hpp"

namespace qassay::openvino {

/// torch._fake_quantize_learnable_per_channel_affine brought into OpenVINO by its PyTorch front end, on the reference
/// kernels, one element.
struct fake_quantize_learnable_per_channel_affine : Crossing<translate_fake_quantize_learnable_per_channel_affine> {
  inline static const Signature signature =
      crossing_signature("openvino.fake_quantize_learnable_per_channel_affine",
                         translate_fake_quantize_learnable_per_channel_affine::signature, FakeQuantize::signature);

  static void check(const Arguments& arguments) {
    check_learned_zero_points(arguments);
    check_levels(arguments);
  }
};

}  // namespace qassay::openvino
