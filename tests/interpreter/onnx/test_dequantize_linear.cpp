#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string values(const std::string& x, const Texts& set) {
  return result("onnx.DequantizeLinear", "y", {{"x", x}}, set);
}

}  // namespace

TEST_CASE("onnx.DequantizeLinear: an exact difference, one product") {
  CHECK(values("[0,3,255]:uint8", {{"x_scale", "0.5"}, {"x_zero_point", "3"}}) == "-1.5 0 126");
  CHECK(values("[-8,7]:int4", {{"x_scale", "0.1"}}) == "-0.8 0.7");
  CHECK(values("[-2,1]:int2", {{"x_scale", "3"}, {"opset", "25"}}) == "-6 3");
  CHECK(values("[65535]:uint16", {{"x_scale", "1"}, {"x_zero_point", "65535"}}) == "0");
}

TEST_CASE("onnx.DequantizeLinear converts the difference once, where it does not fit") {
  CHECK(values("[16777217,16777219]:int32", {{"x_scale", "1"}}) == "16777216 16777220");
  // The difference fits although x does not.
  CHECK(values("[16777217]:int32", {{"x_scale", "1"}, {"x_zero_point", "1"}}) == "16777216");
  CHECK(values("[16777219]:int32", {{"x_scale", "1"}, {"x_zero_point", "2"}}) == "16777216");
  CHECK(values("[-2147483648]:int32", {{"x_scale", "1"}, {"x_zero_point", "1"}}) == "-2147483600");
  CHECK(values("[2147483647]:int32", {{"x_scale", "1"}, {"x_zero_point", "-2147483648"}}) == "4294967300");
}

TEST_CASE("onnx.DequantizeLinear multiplies in the type of the output") {
  // 2049 becomes 2048 in float16 before the product.
  CHECK(values("[2049]:int16", {{"x_scale", "3"}, {"output_dtype", "float16"}}) == "6144");
  CHECK(values("[2049]:int16", {{"x_scale", "3"}}) == "6147");
  CHECK(values("[257]:int16", {{"x_scale", "3"}, {"output_dtype", "bfloat16"}}) == "768");
  CHECK(values("[100]:int8", {{"x_scale", "0.1"}, {"output_dtype", "float16"}}) == "10");
}

TEST_CASE("onnx.DequantizeLinear leaves scales that are not finite and positive open") {
  for (const char* scale : {"0", "-1", "inf", "nan"}) {
    CAPTURE(scale);
    CHECK(values("[1]:int8", {{"x_scale", scale}}).ends_with("?"));
  }
  CHECK(values("[2,2]:int8", {{"x_scale", "[-1,1]"}, {"axis", "0"}}) == "-2? 2");
}
