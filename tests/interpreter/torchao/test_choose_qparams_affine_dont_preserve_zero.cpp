#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

Evaluation chosen(const char* x, const Shape& shape) {
  return formula("torchao.choose_qparams_affine_dont_preserve_zero")(
      {{"x", tensor(x, shape)}},
      settings({{"target_dtype", "int8"}, {"quant_min", "0"}, {"quant_max", "15"}, {"block_size", "[1,2]"}}));
}

}  // namespace

TEST_CASE("torchao.choose_qparams_affine_dont_preserve_zero: the range as it is, the zero point limited") {
  const Evaluation evaluation = chosen("[1,16,-20,-5,5,20,-7,8,-2.5,12.5,nan,1]", {6, 2});
  CHECK(shown(evaluation, "scale") == "1 1 1 1 1 nan");
  CHECK(shown(evaluation, "zero_point") == "0 15 0 7 2 -2147483648");
  CHECK(evaluation.outputs.find("zero_point")->second.type() == Type::int32);
}
