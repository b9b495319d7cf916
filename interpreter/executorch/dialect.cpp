#include "interpreter/executorch/choose_qparams.hpp"
#include "interpreter/executorch/choose_qparams_per_token_asymmetric.hpp"
#include "interpreter/executorch/dequantize_per_channel.hpp"
#include "interpreter/executorch/dequantize_per_tensor.hpp"
#include "interpreter/executorch/dequantize_per_token.hpp"
#include "interpreter/executorch/quantize_per_channel.hpp"
#include "interpreter/executorch/quantize_per_tensor.hpp"
#include "interpreter/executorch/quantize_per_token.hpp"
#include "interpreter/executorch/xnnpack_quantize_per_tensor.hpp"
#include "interpreter/registry.hpp"

namespace qassay::executorch {
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
      elementwise<dequantize_per_tensor>(),
      elementwise<dequantize_per_channel>(),
      elementwise<dequantize_per_token>(),
      composite_of<choose_qparams>(),
      composite_of<choose_qparams_per_token_asymmetric>(),
      elementwise<xnnpack_quantize_per_tensor>(),
  };
}

}  // namespace qassay::executorch
