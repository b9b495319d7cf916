#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string chosen(const char* x, const Texts& more = {}) {
  Texts set{{"quant_min", "-128"}, {"quant_max", "127"}, {"eps", "0x1p-23"}, {"dtype", "int8"}};
  for (const auto& [name, text] : more) set[name] = text;
  const Evaluation evaluation = formula("inductor.choose_qparams")({{"x", tensor(x)}}, settings(set));
  return shown(evaluation, "scale") + " " + shown(evaluation, "zero_point");
}

}  // namespace

TEST_CASE("inductor.choose_qparams does not extend the range to zero") {
  CHECK(chosen("[-1,254,7]") == "1 -127");
  CHECK(chosen("[5,260]") == "1 -128");
  CHECK(chosen("[-260,-5]") == "1 127");
  CHECK(chosen("[5,5]") == "1.1920928955078125e-07 -128");
}

TEST_CASE("inductor.choose_qparams keeps NaN, and takes codes without 0") {
  CHECK(chosen("[1,nan]") == "nan 127");
  CHECK(chosen("[-1,196]", {{"quant_min", "3"}, {"quant_max", "200"}, {"dtype", "uint8"}}) == "1 4");
  CHECK(unless_refused([] { chosen("[]"); }, ErrorKind::out_of_domain, {"[0]"}) == "");
}
