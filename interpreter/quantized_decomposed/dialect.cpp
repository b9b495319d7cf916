#include "interpreter/quantized_decomposed/choose_qparams.hpp"
#include "interpreter/quantized_decomposed/choose_qparams_per_token.hpp"
#include "interpreter/quantized_decomposed/choose_qparams_per_token_asymmetric.hpp"
#include "interpreter/quantized_decomposed/choose_qparams_symmetric.hpp"
#include "interpreter/quantized_decomposed/dequantize_per_channel.hpp"
#include "interpreter/quantized_decomposed/dequantize_per_channel_group.hpp"
#include "interpreter/quantized_decomposed/dequantize_per_tensor.hpp"
#include "interpreter/quantized_decomposed/dequantize_per_token.hpp"
#include "interpreter/quantized_decomposed/fake_quant_per_channel.hpp"
#include "interpreter/quantized_decomposed/quantize_per_channel.hpp"
#include "interpreter/quantized_decomposed/quantize_per_channel_group.hpp"
#include "interpreter/quantized_decomposed/quantize_per_tensor.hpp"
#include "interpreter/quantized_decomposed/quantize_per_token.hpp"
#include "interpreter/registry.hpp"

namespace qassay::quantized_decomposed {
namespace {

template <class F>
Formula composite_of() {
  return composite(F::signature, F::program(), F::check);
}

}  // namespace

std::vector<Formula> formulas() {
  return {
      elementwise<quantize_per_tensor>(),
      elementwise<quantize_per_channel>(),
      elementwise<quantize_per_token>(),
      elementwise<quantize_per_channel_group>(),
      elementwise<dequantize_per_tensor>(),
      elementwise<dequantize_per_channel>(),
      elementwise<dequantize_per_token>(),
      elementwise<dequantize_per_channel_group>(),
      elementwise<fake_quant_per_channel>(),
      composite_of<choose_qparams>(),
      composite_of<choose_qparams_symmetric>(),
      composite_of<choose_qparams_per_token>(),
      composite_of<choose_qparams_per_token_asymmetric>(),
  };
}

}  // namespace qassay::quantized_decomposed
