#pragma once

#include "interpreter/openvino/crossing_parts.hpp"
#include "interpreter/openvino/fake_quantize.hpp"
#include "interpreter/openvino/translate_fake_quantize_per_channel_affine.hpp"

namespace qassay::openvino {

/// torch.fake_quantize_per_channel_affine brought into OpenVINO by its PyTorch front end, on the reference kernels, one
/// element.
struct fake_quantize_per_channel_affine {
  inline static const Signature signature =
      crossing_signature("openvino.fake_quantize_per_channel_affine",
                         translate_fake_quantize_per_channel_affine::signature, FakeQuantize::signature);

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Real;
    FakeQuantize::Element<Real> grid;

    static Element at(const Values<Real>& values) {
      return {{translated_bounds<translate_fake_quantize_per_channel_affine>(values)}};
    }
    QASSAY_STEP Real operator()(Real x) const { return grid(x); }
  };

  static void check(const Arguments& arguments) { check_levels(arguments); }
};

}  // namespace qassay::openvino
