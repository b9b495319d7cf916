#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

Tensor values(const Tensor& q, const char* scales, const char* zero_points) {
  Evaluation evaluation = formula("pytorch.dequantize_per_channel")(
      {{"q", q}}, settings({{"scales", scales}, {"zero_points", zero_points}, {"axis", "0"}}));
  return evaluation.outputs.find("y")->second;
}

}  // namespace

TEST_CASE("pytorch.dequantize_per_channel multiplies by the double scale, in binary64") {
  CHECK(values(tensor("[-124]:int8"), "[0.1]", "[0]").bits(0) == 0xc1466666);  // measured, torch 2.13.0
  // With a scale that binary32 holds, it is as per tensor.
  CHECK(values(tensor("[-124]:int8"), "[0x1.99999ap-4]", "[0]").bits(0) == 0xc1466667);
}

TEST_CASE("pytorch.dequantize_per_channel takes the difference in binary32") {
  CHECK(values(tensor("[16777217]:int32"), "[1]", "[1]").real(0) == 16777215);
  CHECK(values(tensor("[-2147483648]:int32"), "[1]", "[1]").real(0) == -2147483648.0);
}

TEST_CASE("pytorch.dequantize_per_channel: a scale and zero point for each channel") {
  const Tensor y = values(tensor("[6,6,6,6]:uint8", Shape{2, 2}), "[1,2]", "[0,10]");
  CHECK(y.real(0) == 6);
  CHECK(y.real(1) == 6);
  CHECK(y.real(2) == -8);
  CHECK(y.real(3) == -8);
}
