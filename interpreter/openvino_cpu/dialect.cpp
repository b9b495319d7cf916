#include "interpreter/openvino_cpu/dequantize_linear.hpp"
#include "interpreter/openvino_cpu/fake_convert.hpp"
#include "interpreter/openvino_cpu/fake_quantize.hpp"
#include "interpreter/openvino_cpu/fake_quantize_learnable_per_channel_affine.hpp"
#include "interpreter/openvino_cpu/fake_quantize_per_channel_affine.hpp"
#include "interpreter/openvino_cpu/quantize_linear.hpp"
#include "interpreter/registry.hpp"

namespace qassay::openvino_cpu {

std::vector<Formula> formulas() {
  return {
      elementwise<FakeQuantize>(),
      elementwise<FakeConvert>(),
      elementwise<QuantizeLinear>(),
      elementwise<DequantizeLinear>(),
      elementwise<fake_quantize_per_channel_affine>(),
      elementwise<fake_quantize_learnable_per_channel_affine>(),
  };
}

}  // namespace qassay::openvino_cpu
