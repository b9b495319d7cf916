#include "interpreter/pytorch/dequantize_per_channel.hpp"
#include "interpreter/pytorch/dequantize_per_tensor.hpp"
#include "interpreter/pytorch/fake_quantize_per_channel_affine.hpp"
#include "interpreter/pytorch/fake_quantize_per_tensor_affine.hpp"
#include "interpreter/pytorch/quantize_per_channel.hpp"
#include "interpreter/pytorch/quantize_per_tensor.hpp"
#include "interpreter/registry.hpp"

namespace qassay::pytorch {

std::vector<Formula> formulas() {
  return {
      elementwise<quantize_per_tensor>(),
      elementwise<quantize_per_tensor_2_13>(),
      elementwise<quantize_per_channel>(),
      elementwise<quantize_per_channel_2_13>(),
      elementwise<dequantize_per_tensor>(),
      elementwise<dequantize_per_channel>(),
      elementwise<fake_quantize_per_tensor_affine>(),
      elementwise<fake_quantize_per_channel_affine>(),
  };
}

}  // namespace qassay::pytorch
