#include "interpreter/inductor/choose_qparams.hpp"
#include "interpreter/inductor/dequantize_per_channel.hpp"
#include "interpreter/inductor/dequantize_per_tensor.hpp"
#include "interpreter/inductor/quantize_per_channel.hpp"
#include "interpreter/inductor/quantize_per_tensor.hpp"
#include "interpreter/inductor/quantize_per_tensor_tensor.hpp"
#include "interpreter/registry.hpp"

namespace qassay::inductor {

std::vector<Formula> formulas() {
  return {
      elementwise<quantize_per_tensor>(),
      elementwise<quantize_per_tensor_tensor>(),
      elementwise<quantize_per_channel>(),
      elementwise<dequantize_per_tensor>(),
      elementwise<dequantize_per_channel>(),
      composite(choose_qparams::signature, choose_qparams::program(), choose_qparams::check),
  };
}

}  // namespace qassay::inductor
