#include "interpreter/registry.hpp"
#include "interpreter/torchao/choose_qparams_affine.hpp"
#include "interpreter/torchao/choose_qparams_affine_dont_preserve_zero.hpp"
#include "interpreter/torchao/choose_qparams_affine_tinygemm.hpp"
#include "interpreter/torchao/dequantize_affine.hpp"
#include "interpreter/torchao/dequantize_affine_tinygemm.hpp"
#include "interpreter/torchao/quantize_affine.hpp"
#include "interpreter/torchao/quantize_affine_no_zero_point.hpp"
#include "interpreter/torchao/quantize_affine_tinygemm.hpp"

namespace qassay::torchao {
namespace {

template <class F>
Formula composite_of() {
  return composite(F::signature, F::program, F::check);
}

}  // namespace

std::vector<Formula> formulas() {
  return {
      elementwise<quantize_affine>(),
      elementwise<quantize_affine_no_zero_point>(),
      elementwise<quantize_affine_tinygemm>(),
      elementwise<dequantize_affine>(),
      elementwise<dequantize_affine_tinygemm>(),
      composite_of<choose_qparams_affine>(),
      composite_of<choose_qparams_affine_tinygemm>(),
      composite_of<choose_qparams_affine_dont_preserve_zero>(),
  };
}

}  // namespace qassay::torchao
