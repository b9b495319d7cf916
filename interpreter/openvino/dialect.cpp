#include "interpreter/openvino/dequantize_linear.hpp"
#include "interpreter/openvino/fake_convert.hpp"
#include "interpreter/openvino/fake_quantize.hpp"
#include "interpreter/openvino/fake_quantize_learnable_per_channel_affine.hpp"
#include "interpreter/openvino/fake_quantize_per_channel_affine.hpp"
#include "interpreter/openvino/quantize_linear.hpp"
#include "interpreter/openvino/translate_fake_quantize_learnable_per_channel_affine.hpp"
#include "interpreter/openvino/translate_fake_quantize_per_channel_affine.hpp"
#include "interpreter/registry.hpp"

namespace qassay::openvino {

std::vector<Formula> formulas() {
  return {
      elementwise<FakeQuantize>(),
      elementwise<FakeConvert>(),
      elementwise<QuantizeLinear>(),
      elementwise<DequantizeLinear>(),
      elementwise<translate_fake_quantize_per_channel_affine>(),
      elementwise<translate_fake_quantize_learnable_per_channel_affine>(),
      elementwise<fake_quantize_per_channel_affine>(),
      elementwise<fake_quantize_learnable_per_channel_affine>(),
  };
}

}  // namespace qassay::openvino
