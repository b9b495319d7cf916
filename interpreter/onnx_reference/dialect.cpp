#include "interpreter/onnx_reference/dequantize_linear.hpp"
#include "interpreter/onnx_reference/dynamic_quantize_linear.hpp"
#include "interpreter/onnx_reference/quantize_linear.hpp"
#include "interpreter/onnx_reference/requantize.hpp"
#include "interpreter/registry.hpp"

namespace qassay::onnx_reference {

std::vector<Formula> formulas() {
  return {
      elementwise<QuantizeLinear>(),
      elementwise<DequantizeLinear>(),
      composite(DynamicQuantizeLinear::signature, DynamicQuantizeLinear::program(), DynamicQuantizeLinear::check),
      elementwise<requantize>(),
  };
}

}  // namespace qassay::onnx_reference
