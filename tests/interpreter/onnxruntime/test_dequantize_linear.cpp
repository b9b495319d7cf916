#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string values(const std::string& x, const Texts& set) {
  return result("onnxruntime.DequantizeLinear", "y", {{"x", x}}, set);
}

}  // namespace

TEST_CASE("onnxruntime.DequantizeLinear multiplies in binary32 whatever the output's type") {
  CHECK(values("[0,3,255]:uint8", {{"x_scale", "0.5"}, {"x_zero_point", "3"}}) == "-1.5 0 126");
  // 2049 * 3 = 6147, rounded to float16 once: not 2048 * 3 = 6144.
  CHECK(values("[2049]:int16", {{"x_scale", "3"}, {"output_dtype", "float16"}}) == "6148");
}

TEST_CASE("onnxruntime.DequantizeLinear: the difference of int32 wraps") {
  CHECK(values("[-2147483648]:int32", {{"x_scale", "1"}, {"x_zero_point", "1"}}) == "2147483600");
  CHECK(values("[16777217]:int32", {{"x_scale", "1"}, {"x_zero_point", "1"}}) == "16777216");
}

TEST_CASE("onnxruntime.DequantizeLinear uses scales as they are") {
  CHECK(values("[2]:int8", {{"x_scale", "-1"}}) == "-2");
  CHECK(values("[2,0]:int8", {{"x_scale", "inf"}}) == "inf nan");
  CHECK(values("[-2]:int8", {{"x_scale", "0"}}) == "-0");
  CHECK(values("[2]:int8", {{"x_scale", "nan"}}) == "nan");
}

TEST_CASE("onnxruntime.DequantizeLinear has no bfloat16") {
  CHECK(unless_refused(
            [] {
              values("[1]:int8", {{"x_scale", "1"}, {"output_dtype", "bfloat16"}});
            },
            ErrorKind::wrong_type, {"onnxruntime.DequantizeLinear", "bfloat16"}) == "");
  CHECK(unless_refused(
            [] {
              values("[1]:int8", {{"x_scale", "1:bfloat16"}, {"opset", "23"}});
            },
            ErrorKind::wrong_type, {"onnxruntime.DequantizeLinear", "bfloat16"}) == "");
}
