#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string codes(const std::string& x, const Texts& set) {
  return result("openvino.QuantizeLinear", "y", {{"x", x}}, set);
}

}  // namespace

TEST_CASE("openvino.QuantizeLinear breaks ties on the distance from the lowest code") {
  CHECK(codes("[0.25,0.75,-0.25,1.25]", {{"y_scale", "0.5"}, {"y_zero_point", "1"}}) == "2 2 0 4");
  CHECK(codes("[0.25,0.75]", {{"y_scale", "0.5"}, {"y_zero_point", "1"}, {"output_dtype", "int8"}}) == "2 2");
  CHECK(codes("[0.25,0.75]", {{"y_scale", "0.5"}, {"output_dtype", "int8"}}) == "0 2");
}

TEST_CASE("openvino.QuantizeLinear: NaN gives 0, infinities saturate, no quotient overflows") {
  CHECK(codes("[nan,inf,-inf]", {{"y_scale", "0.1"}, {"y_zero_point", "5"}, {"output_dtype", "int8"}}) == "0 127 -128");
  CHECK(codes("[0x1p32,0x1p31]", {{"y_scale", "1"}}) == "255 255");
}

TEST_CASE("openvino.QuantizeLinear uses scales as they are") {
  CHECK(codes("[0.05,1]", {{"y_scale", "-0.1"}, {"y_zero_point", "3"}, {"output_dtype", "int8"}}) == "2 -7");
  CHECK(codes("[0,1,-1]", {{"y_scale", "0"}, {"y_zero_point", "3"}, {"output_dtype", "int8"}}) == "-128 127 -128");
}

TEST_CASE("openvino.QuantizeLinear: float16 is binary32 from the start") {
  CHECK(codes("[0.25,0x1.664p-2,0x1.cccp-2]:float16", {{"y_scale", "0.1"}, {"y_zero_point", "128"}}) == "131 131 133");
}
