#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

Evaluation chosen(const char* x, const Shape& shape) {
  return formula("quantized_decomposed.choose_qparams_per_token")({{"x", tensor(x, shape)}}, {});
}

}  // namespace

TEST_CASE("quantized_decomposed.choose_qparams_per_token: the largest magnitude of each token over 127") {
  const Evaluation evaluation = chosen("[127,-3,5,-254,0,0,nan,1,1,-inf]", {5, 1, 2});
  CHECK(shown(evaluation, "scale") == "1 2 7.874016e-08 nan inf");
  CHECK(shown(evaluation, "zero_point") == "0 0 0 0 0");
  CHECK(evaluation.outputs.find("scale")->second.shape() == Shape{5, 1, 1});
  CHECK(evaluation.outputs.find("zero_point")->second.type() == Type::float32);
}

TEST_CASE("quantized_decomposed.choose_qparams_per_token: no tokens, but no empty ones") {
  CHECK(chosen("[]", {0, 3}).outputs.find("scale")->second.shape() == Shape{0, 1});
  CHECK(unless_refused([] { chosen("[]", {3, 0}); }, ErrorKind::out_of_domain, {"[3, 0]"}) == "");
}
