#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

Evaluation chosen(const char* x, const Shape& shape) {
  return formula("torchao.choose_qparams_affine_tinygemm")(
      {{"x", tensor(x, shape)}},
      settings({{"target_dtype", "int8"}, {"quant_min", "0"}, {"quant_max", "15"}, {"block_size", "[1,2]"}}));
}

}  // namespace

TEST_CASE("torchao.choose_qparams_affine_tinygemm: the range as it is, the real number of the middle code") {
  const Evaluation evaluation = chosen("[1,16,-16,-1,-7.5,7.5,3,3,nan,1]", {5, 2});
  CHECK(shown(evaluation, "scale") == "1 1 1 1.1754944e-38 nan");
  CHECK(shown(evaluation, "zero_point") == "9 -8 0.5 3 nan");
  CHECK(evaluation.outputs.find("zero_point")->second.type() == Type::float32);
}
