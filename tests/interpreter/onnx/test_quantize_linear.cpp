#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string codes(const std::string& x, const Texts& set) {
  return result("onnx.QuantizeLinear", "y", {{"x", x}}, set);
}

}  // namespace

TEST_CASE("onnx.QuantizeLinear: a tie goes to the even quotient, then the zero point is added") {
  CHECK(codes("[0.25,0.75,1.25,-0.25,-0.75]", {{"y_scale", "0.5"}, {"y_zero_point", "3"}}) == "3 5 5 3 1");
}

TEST_CASE("onnx.QuantizeLinear divides, it does not multiply by the reciprocal") {
  CHECK(codes("[0x1.8cccccp+0]", {{"y_scale", "0x1.99999ap-4"}}) == "15");  // times 10 it is 15.5, so 16
  CHECK(codes("[0x1.800002p+0]", {{"y_scale", "0x1.555556p-2"}}) == "4");   // by the reciprocal 5
}

TEST_CASE("onnx.QuantizeLinear saturates, infinities too") {
  CHECK(codes("[inf,-inf,3e38,-3e38,127.5,126.5]", {{"y_scale", "1"}, {"output_dtype", "int8"}}) ==
        "127 -128 127 -128 127 126");
  CHECK(codes("[100,-100,7.4]", {{"y_scale", "1"}, {"y_zero_point", "-8"}, {"output_dtype", "int4"}}) == "7 -8 -1");
  CHECK(codes("[5,-5,1.5]", {{"y_scale", "1"}, {"output_dtype", "int2"}, {"opset", "25"}}) == "1 -2 1");
  CHECK(codes("[70000,65535,-1]", {{"y_scale", "1"}, {"output_dtype", "uint16"}}) == "65535 65535 0");
  // The sum is exact: in binary32 2^24 + 1 would be a tie.
  CHECK(codes("[-16777216]", {{"y_scale", "1"}, {"y_zero_point", "255"}}) == "0");
}

TEST_CASE("onnx.QuantizeLinear leaves NaN and scales that are not finite and positive open") {
  CHECK(codes("[nan,1]", {{"y_scale", "1"}}) == "0? 1");
  for (const char* scale : {"0", "-1", "inf", "nan"}) {
    CAPTURE(scale);
    CHECK(codes("[1]", {{"y_scale", scale}}).ends_with("?"));
  }
  CHECK(codes("[1,1]", {{"y_scale", "[1,0]"}, {"axis", "0"}}) == "1 255?");
  // A scale that the type of the quotient does not hold.
  CHECK(codes("[1]", {{"y_scale", "1e-30"}, {"precision", "float16"}, {"opset", "23"}}).ends_with("?"));
}

TEST_CASE("onnx.QuantizeLinear takes the quotient in the type of the scale, or in precision") {
  // 0.25 / 0.1 is 2.5006 in binary32 and the tie 2.5 in float16.
  CHECK(codes("[0.25]:float16", {{"y_scale", "0.1"}}) == "2");
  CHECK(codes("[0.25]:float16", {{"y_scale", "0x1.998p-4:float32"}, {"opset", "23"}}) == "3");
  CHECK(codes("[0.25]", {{"y_scale", "0x1.998p-4"}}) == "3");
  CHECK(codes("[0.25]", {{"y_scale", "0x1.998p-4"}, {"precision", "float16"}, {"opset", "23"}}) == "2");
  CHECK(codes("[0.25]:float16", {{"y_scale", "0.1"}, {"precision", "float32"}, {"opset", "23"}}) == "3");
  // 259 is a tie between the bfloat16 values 258 and 260.
  const Texts to_uint16{{"y_scale", "1"}, {"output_dtype", "uint16"}, {"opset", "23"}};
  CHECK(codes("[259]", to_uint16) == "259");
  Texts by_bfloat16 = to_uint16;
  by_bfloat16["precision"] = "bfloat16";
  CHECK(codes("[259]", by_bfloat16) == "260");
}
