#pragma once

#include "interpreter/openvino/crossing_parts.hpp"
#include "interpreter/openvino/translate_fake_quantize_learnable_per_channel_affine.hpp"
#include "interpreter/openvino_cpu/fake_quantize.hpp"

namespace qassay::openvino_cpu {

/// torch._fake_quantize_learnable_per_channel_affine brought into OpenVINO by its PyTorch front end, in the CPU plugin,
/// one element.
struct fake_quantize_learnable_per_channel_affine : Nodes<fake_quantize_learnable_per_channel_affine>,
                                                    PerChannelBounds {
  inline static const Signature signature = openvino::crossing_signature(
      "openvino_cpu.fake_quantize_learnable_per_channel_affine",
      openvino::translate_fake_quantize_learnable_per_channel_affine::signature, FakeQuantize::signature);

  template <class Real>
  static openvino::Bounds<Real> bounds(const Values<Real>& values) {
    return openvino::translated_bounds<openvino::translate_fake_quantize_learnable_per_channel_affine>(values);
  }
  static void check(const Arguments& arguments) {
    openvino::check_learned_zero_points(arguments);
    openvino::check_levels(arguments);
  }
};

}  // namespace qassay::openvino_cpu
