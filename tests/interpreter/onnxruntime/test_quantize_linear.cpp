#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string codes(const std::string& x, const Texts& set) {
  return result("onnxruntime.QuantizeLinear", "y", {{"x", x}}, set);
}

}  // namespace

TEST_CASE("onnxruntime.QuantizeLinear: ties to the even quotient, zero point after") {
  CHECK(codes("[0.25,0.75,1.25,-0.25,-0.75]", {{"y_scale", "0.5"}, {"y_zero_point", "3"}}) == "3 5 5 3 1");
  CHECK(codes("[0x1.8cccccp+0]", {{"y_scale", "0x1.99999ap-4"}}) == "15");
}

TEST_CASE("onnxruntime.QuantizeLinear: NaN gives the lowest code, infinities saturate") {
  CHECK(codes("[nan,inf,-inf]", {{"y_scale", "1"}, {"y_zero_point", "3"}}) == "0 255 0");
  CHECK(codes("[nan,inf,-inf]", {{"y_scale", "1"}, {"y_zero_point", "3"}, {"output_dtype", "int8"}}) ==
        "-128 127 -128");
}

TEST_CASE("onnxruntime.QuantizeLinear uses scales as they are") {
  CHECK(codes("[1,-1]", {{"y_scale", "-0.5"}, {"y_zero_point", "10"}}) == "8 12");
  CHECK(codes("[1,-1,0]", {{"y_scale", "0"}, {"y_zero_point", "10"}}) == "255 0 0");
  CHECK(codes("[1,-1]", {{"y_scale", "nan"}, {"output_dtype", "int8"}}) == "-128 -128");
  CHECK(codes("[1,inf]", {{"y_scale", "inf"}, {"y_zero_point", "10"}}) == "10 0");
}

TEST_CASE("onnxruntime.QuantizeLinear keeps the quotient of float16 in binary32 up to opset 21") {
  const Texts set{{"y_scale", "0.1"}, {"opset", "21"}};
  CHECK(codes("[0.25,1.25,2.25]:float16", set) == "3 13 23");
  CHECK(codes("[0.25,1.25,2.25]:float16", {{"y_scale", "0.1"}, {"opset", "23"}}) == "2 12 22");
}

TEST_CASE("onnxruntime.QuantizeLinear has no bfloat16") {
  const auto with = [](const char* precision, const char* scale) {
    return [=] { codes("[1]", {{"y_scale", scale}, {"precision", precision}, {"opset", "23"}}); };
  };
  for (const auto& request : {with("bfloat16", "1"), with("none", "1:bfloat16")}) {
    CHECK(unless_refused(request, ErrorKind::wrong_type, {"onnxruntime.QuantizeLinear", "bfloat16", "float16"}) == "");
  }
  CHECK(unless_refused([] { codes("[1]:bfloat16", {{"y_scale", "1"}}); }, ErrorKind::wrong_type, {"bfloat16"}) == "");
}
