#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string codes(const std::string& x, const Texts& set) {
  return result("onnx_reference.QuantizeLinear", "y", {{"x", x}}, set);
}

}  // namespace

TEST_CASE("onnx_reference.QuantizeLinear: as the specification where int32 holds the quotient") {
  CHECK(codes("[0.25,0.75,1.25,-0.25,-0.75]", {{"y_scale", "0.5"}, {"y_zero_point", "3"}}) == "3 5 5 3 1");
  CHECK(codes("[2147483520,300]", {{"y_scale", "1"}}) == "255 255");
}

TEST_CASE("onnx_reference.QuantizeLinear: what int32 does not hold becomes INT_MIN") {
  CHECK(codes("[nan,inf,-inf,3e9,-3e9]", {{"y_scale", "1"}}) == "0 0 0 0 0");
  CHECK(codes("[nan,inf,-inf,3e9,-3e9]", {{"y_scale", "1"}, {"y_zero_point", "3"}, {"output_dtype", "int8"}}) ==
        "-128 -128 -128 -128 -128");
  // INT_MIN - 3 wraps.
  CHECK(codes("[nan,inf,-inf]", {{"y_scale", "1"}, {"y_zero_point", "-3"}, {"output_dtype", "int8"}}) == "127 127 127");
}

TEST_CASE("onnx_reference.QuantizeLinear: types by NumPy's promotion") {
  CHECK(codes("[0.25]:float16", {{"y_scale", "0.1"}}) == "2");
  CHECK(codes("[0.25]:float16", {{"y_scale", "0x1.998p-4:float32"}}) == "3");
  CHECK(codes("[0.25]:float16", {{"y_scale", "0.1"}, {"precision", "float32"}}) == "3");
  // int32 by a binary32 scale: the quotient in binary64, where 16777217 is not 16777216.
  CHECK(codes("[16777217,16777219]:int32", {{"y_scale", "0x1p17"}, {"output_dtype", "uint16"}}) == "128 128");
  CHECK(codes("[65537]:int32", {{"y_scale", "131072"}}) == "1");
  CHECK(codes("[65537]:int32", {{"y_scale", "131072"}, {"precision", "bfloat16"}}) == "0");
}
