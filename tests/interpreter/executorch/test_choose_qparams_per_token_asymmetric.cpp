#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

Evaluation chosen(const char* x, const Shape& shape) {
  return formula("executorch.choose_qparams_per_token_asymmetric")({{"x", tensor(x, shape)}}, {});
}

}  // namespace

TEST_CASE("executorch.choose_qparams_per_token_asymmetric: every token by itself") {
  const Evaluation evaluation = chosen("[-1,254,0,255,-255,0,0,0]", {4, 2});
  CHECK(shown(evaluation, "scale") == "1 1 1 0.1");
  CHECK(shown(evaluation, "zero_point") == "-127 -128 127 127");
  CHECK(evaluation.outputs.find("scale")->second.shape() == Shape{4, 1});
}

TEST_CASE("executorch.choose_qparams_per_token_asymmetric: NaN only in first place") {
  CHECK(shown(chosen("[-1,nan,254]", {1, 3}), "zero_point") == "-127");
  CHECK(unless_refused([] { chosen("[1,1,nan,1]", {2, 2}); }, ErrorKind::out_of_domain, {"NaN"}) == "");
}
