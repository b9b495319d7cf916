#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string values(const std::string& x, const Texts& set) {
  return result("onnx_reference.DequantizeLinear", "y", {{"x", x}}, set);
}

}  // namespace

TEST_CASE("onnx_reference.DequantizeLinear: binary32 for codes, binary64 for int32") {
  CHECK(values("[0,3,255]:uint8", {{"x_scale", "0.5"}, {"x_zero_point", "3"}}) == "-1.5 0 126");
  // x becomes binary32 before the difference is taken.
  CHECK(values("[16777217]:int32", {{"x_scale", "1"}, {"x_zero_point", "1"}}) == "16777215");
  CHECK(values("[-2147483648]:int32", {{"x_scale", "1"}, {"x_zero_point", "1"}}) == "-2147483600");
}

TEST_CASE("onnx_reference.DequantizeLinear: the product is converted to the output's type") {
  CHECK(values("[2049]:int16", {{"x_scale", "3"}, {"output_dtype", "float16"}}) == "6148");
  CHECK(values("[257]:int16", {{"x_scale", "3"}, {"output_dtype", "bfloat16"}}) == "772");
}

TEST_CASE("onnx_reference.DequantizeLinear uses scales as they are") {
  CHECK(values("[2]:int8", {{"x_scale", "-1"}}) == "-2");
  CHECK(values("[2,0]:int8", {{"x_scale", "inf"}}) == "inf nan");
}
