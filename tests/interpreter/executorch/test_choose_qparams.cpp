#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string chosen(const char* x, const Texts& more = {}) {
  Texts set{{"quant_min", "-128"}, {"quant_max", "127"}, {"dtype", "int8"}};
  for (const auto& [name, text] : more) set[name] = text;
  const Evaluation evaluation = formula("executorch.choose_qparams")({{"x", tensor(x)}}, settings(set));
  return shown(evaluation, "scale") + " " + shown(evaluation, "zero_point");
}

}  // namespace

TEST_CASE("executorch.choose_qparams: a double scale, and the zero point of the better end") {
  CHECK(chosen("[-1,254,7]") == "1 -127");
  CHECK(chosen("[5,255]") == "1 -128");
  CHECK(chosen("[1]") == "0.00392156862745098 -128");
}

TEST_CASE("executorch.choose_qparams: small scales") {
  CHECK(chosen("[0,0]") == "0.1 127");
  CHECK(chosen("[1e-40]") == "0.1 127");
  CHECK(chosen("[0x1p-20]", {{"eps", "1"}}) == "6.0999998822808266e-05 -128");
}

TEST_CASE("executorch.choose_qparams: infinities and NaN") {
  CHECK(chosen("[1,inf,-inf]") == "inf -2147483648");
  CHECK(chosen("[-1,nan,254]") == "1 -127");
  CHECK(unless_refused([] { chosen("[nan,1]"); }, ErrorKind::out_of_domain, {"NaN"}) == "");
}

TEST_CASE("executorch.choose_qparams refuses ranges wider than int32, and of one code") {
  const Texts full{{"quant_min", "-2147483648"}, {"quant_max", "2147483647"}, {"dtype", "int32"}};
  CHECK(unless_refused([&] { chosen("[1]", full); }, ErrorKind::out_of_domain, {"4294967295"}) == "");
  CHECK(unless_refused([] { chosen("[1]", {{"quant_min", "127"}}); }, ErrorKind::out_of_domain, {"is 0"}) == "");
}
