#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string codes(const std::string& x, const Texts& more = {}) {
  Texts set{{"scale", "1"}, {"zero_point", "0"}, {"quant_min", "-128"}, {"quant_max", "127"}, {"dtype", "int8"}};
  for (const auto& [name, text] : more) set[name] = text;
  return result("inductor.quantize_per_tensor", "q", {{"x", x}}, set);
}

}  // namespace

TEST_CASE("inductor.quantize_per_tensor rounds before the zero point is added") {
  CHECK(codes("[0.5,1.5,2.5,-0.5]", {{"zero_point", "1"}}) == "1 3 3 1");
}

TEST_CASE("inductor.quantize_per_tensor: the cast to int8 saturates, others keep low bits") {
  CHECK(codes("[nan,inf,-inf]") == "-128 127 -128");
  CHECK(codes("[nan]", {{"quant_min", "3"}}) == "-128");
  CHECK(codes("[nan,inf]", {{"quant_min", "3"}, {"quant_max", "200"}, {"dtype", "uint8"}}) == "0 200");
  CHECK(codes("[300,-300]", {{"quant_min", "-300"}, {"quant_max", "300"}}) == "127 -128");
  CHECK(codes("[300,-1]", {{"quant_min", "-300"}, {"quant_max", "300"}, {"dtype", "uint8"}}) == "44 255");
}

TEST_CASE("inductor.quantize_per_tensor takes the inverse of the double, and no float16") {
  CHECK(codes("[0,1]", {{"scale", "1e300"}}) == "0 0");
  CHECK(unless_refused([] { codes("[1]", {{"scale", "0"}}); }, ErrorKind::out_of_domain, {"scale"}) == "");
  CHECK(unless_refused([] { codes("[1]:float16"); }, ErrorKind::wrong_type, {"float16"}) == "");
}
