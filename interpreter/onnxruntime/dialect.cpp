#include "interpreter/onnxruntime/dequantize_linear.hpp"
#include "interpreter/onnxruntime/dynamic_quantize_linear.hpp"
#include "interpreter/onnxruntime/quantize_linear.hpp"
#include "interpreter/onnxruntime/requantize.hpp"
#include "interpreter/registry.hpp"

namespace qassay::onnxruntime {

std::vector<Formula> formulas() {
  return {
      elementwise<QuantizeLinear>(),
      elementwise<DequantizeLinear>(),
      composite(DynamicQuantizeLinear::signature, DynamicQuantizeLinear::program()),
      elementwise<requantize>(),
  };
}

}  // namespace qassay::onnxruntime
