#include "interpreter/onnx/dequantize_linear.hpp"
#include "interpreter/onnx/dynamic_quantize_linear.hpp"
#include "interpreter/onnx/mat_mul_integer.hpp"
#include "interpreter/onnx/quantize_linear.hpp"
#include "interpreter/registry.hpp"

namespace qassay::onnx {

std::vector<Formula> formulas() {
  return {
      elementwise<QuantizeLinear>(),
      elementwise<DequantizeLinear>(),
      composite(DynamicQuantizeLinear::signature, DynamicQuantizeLinear::program()),
      MatMulInteger::formula(),
  };
}

}  // namespace qassay::onnx
