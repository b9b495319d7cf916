#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

Evaluation chosen(const char* x, const Shape& shape) {
  return formula("quantized_decomposed.choose_qparams_per_token_asymmetric")({{"x", tensor(x, shape)}}, {});
}

}  // namespace

TEST_CASE("quantized_decomposed.choose_qparams_per_token_asymmetric: the zero point of the better end") {
  const Evaluation evaluation = chosen("[-1,254,0,255,-255,0,-127.5,127.5,-128.5,126.5,0,0]", {6, 2});
  CHECK(shown(evaluation, "scale") == "1 1 1 1 1 1.1920928955078125e-07");
  CHECK(shown(evaluation, "zero_point") == "-127 -128 127 0 0 127");
  CHECK(evaluation.outputs.find("scale")->second.shape() == Shape{6, 1});
  CHECK(evaluation.outputs.find("scale")->second.type() == Type::float64);
}

TEST_CASE("quantized_decomposed.choose_qparams_per_token_asymmetric: NaN becomes INT64_MIN") {
  const Evaluation evaluation = chosen("[nan,1,1,inf,-inf,1]", {3, 2});
  CHECK(shown(evaluation, "scale") == "nan inf inf");
  CHECK(shown(evaluation, "zero_point") == "-9223372036854775808 -9223372036854775808 127");
}
