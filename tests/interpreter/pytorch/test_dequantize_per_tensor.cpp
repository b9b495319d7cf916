#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string values(const std::string& q, const char* scale, const char* zero_point) {
  return result("pytorch.dequantize_per_tensor", "y", {{"q", q}}, {{"scale", scale}, {"zero_point", zero_point}});
}

}  // namespace

TEST_CASE("pytorch.dequantize_per_tensor multiplies by the scale rounded to binary32") {
  CHECK(values("[0,3,255]:uint8", "0.5", "3") == "-1.5 0 126");
  const Evaluation evaluation = formula("pytorch.dequantize_per_tensor")(
      {{"q", tensor("[-124]:int8")}}, settings({{"scale", "0.1"}, {"zero_point", "0"}}));
  CHECK(evaluation.outputs.find("y")->second.bits(0) == 0xc1466667);  // measured, torch 2.13.0
}

TEST_CASE("pytorch.dequantize_per_tensor: the difference of int32 wraps") {
  CHECK(values("[-2147483648]:int32", "1", "1") == "2147483600");
  CHECK(values("[16777217]:int32", "1", "1") == "16777216");
}
