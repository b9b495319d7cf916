#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string codes(const std::string& acc, Texts set) {
  set.try_emplace("x_scale", "0.5");
  set.try_emplace("w_scale", "1");
  set.try_emplace("y_scale", "1");
  return result("onnx_reference.requantize", "y", {{"acc", acc}}, set);
}

}  // namespace

TEST_CASE("onnx_reference.requantize adds the zero point before it rounds") {
  for (const char* op : {"conv", "matmul"}) {
    CAPTURE(op);
    const Texts set{{"y_zero_point", "1"}, {"output_dtype", "int8"}, {"op", op}};
    CHECK(codes("[1,3,5,-1,-3]:int32", set) == "2 2 4 0 0");
    CHECK(codes("[1000,-1000]:int32", {{"op", op}}) == "255 0");
  }
}

TEST_CASE("onnx_reference.requantize scales in binary64") {
  // 16842751 = 128.5 * 2^17 - 1 is no tie.
  const Texts set{{"x_scale", "0x1p-17"}, {"output_dtype", "uint8"}};
  CHECK(codes("[16842751,16842752,16842753]:int32", set) == "128 128 129");
}

TEST_CASE("onnx_reference.requantize: a NaN multiplier gives 0") {
  CHECK(codes("[5]:int32", {{"x_scale", "0"}, {"y_scale", "0"}, {"y_zero_point", "7"}}) == "0");
  CHECK(codes("[5]:int32", {{"x_scale", "nan"}, {"output_dtype", "int8"}}) == "0");
  CHECK(codes("[5,-5,0]:int32", {{"y_scale", "0"}, {"y_zero_point", "7"}, {"output_dtype", "int8"}}) == "127 -128 0");
}
