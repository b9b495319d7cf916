#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string reals(const Tensor& q, const char* scales, const char* zero_points, const Texts& more = {}) {
  Texts set{{"scales", scales}, {"zero_points", zero_points}, {"axis", "0"}};
  for (const auto& [name, text] : more) set[name] = text;
  return shown(formula("inductor.dequantize_per_channel")({{"q", q}}, settings(set)), "y");
}

}  // namespace

TEST_CASE("inductor.dequantize_per_channel: no integer wraps") {
  CHECK(reals(tensor("[127]:int8"), "[1]", "[-128]:int8") == "255");
  CHECK(reals(tensor("[6,6,6,6]:int8", Shape{2, 2}), "[1,2]", "[0,10]", {{"axis", "-1"}}) == "6 -8 6 -8");
}

TEST_CASE("inductor.dequantize_per_channel wants a range of q's type") {
  const auto call = [] { reals(tensor("[1]:int8"), "[1]", "[0]", {{"quant_max", "128"}}); };
  CHECK(unless_refused(call, ErrorKind::out_of_domain, {"128", "int8"}) == "");
}

TEST_CASE("inductor.dequantize_per_channel rounds scales to binary32") {
  CHECK(reals(tensor("[3]:int8"), "[0.1]:float64", "[0]", {{"out_dtype", "float64"}}) == "0.30000001192092896");
}
