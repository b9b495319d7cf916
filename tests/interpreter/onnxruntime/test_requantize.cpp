#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string codes(const std::string& acc, Texts set) {
  set.try_emplace("x_scale", "0.5");
  set.try_emplace("w_scale", "1");
  set.try_emplace("y_scale", "1");
  return result("onnxruntime.requantize", "y", {{"acc", acc}}, set);
}

}  // namespace

TEST_CASE("onnxruntime.requantize rounds before the zero point is added") {
  CHECK(codes("[1,3,5,-1,-3]:int32", {{"y_zero_point", "1"}, {"output_dtype", "int8"}}) == "1 3 3 1 -1");
  CHECK(codes("[1000,-1000]:int32", {}) == "255 0");
}

TEST_CASE("onnxruntime.requantize: the multiplier is (x_scale * w_scale) / y_scale in binary32") {
  CHECK(codes("[96]:int32", {{"x_scale", "0.25"}, {"w_scale", "0.5"}, {"y_scale", "4"}}) == "3");
  // The product underflows first.
  CHECK(codes("[100]:int32", {{"x_scale", "1e-30"}, {"w_scale", "1e-30"}, {"y_scale", "1e-38"}}) == "0");
  CHECK(codes("[7,7]:int32", {{"w_scale", "[2,4]"}, {"axis", "0"}}) == "7 14");
}

TEST_CASE("onnxruntime.requantize: acc becomes binary32 first") {
  const Texts set{{"x_scale", "0x1p-17"}, {"output_dtype", "int8"}, {"y_zero_point", "-128"}};
  CHECK(codes("[16777216,16777217]:int32", set) == "0 0");
  // 16842751 = 128.5 * 2^17 - 1 is a tie only after the rounding to 16842752.
  CHECK(codes("[16842751]:int32", set) == "0");
  CHECK(codes("[16842750]:int32", set) == "0");
}

TEST_CASE("onnxruntime.requantize: a NaN multiplier gives the lowest code") {
  CHECK(codes("[5]:int32", {{"x_scale", "0"}, {"y_scale", "0"}, {"y_zero_point", "7"}}) == "0");
  CHECK(codes("[5]:int32", {{"x_scale", "nan"}, {"output_dtype", "int8"}}) == "-128");
  CHECK(codes("[5,-5,0]:int32", {{"y_scale", "0"}, {"y_zero_point", "7"}}) == "255 0 0");
}
