#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string converted(const std::string& x, const char* destination, const Texts& more = {}) {
  Texts set{{"scale", "1"}, {"destination_type", destination}};
  for (const auto& [name, text] : more) set[name] = text;
  return result("openvino.FakeConvert", "y", {{"x", x}}, set);
}

}  // namespace

TEST_CASE("openvino.FakeConvert to float8_e5m2: ties to even, and saturated") {
  CHECK(converted("[1.125,1.375,100000,inf,-inf,nan]", "float8_e5m2") == "1 1.5 57344 57344 -57344 nan");
  CHECK(converted("[1.125]", "f8e5m2") == "1");
}

TEST_CASE("openvino.FakeConvert to float8_e4m3fn: everything beyond is the largest, NaN too") {
  CHECK(converted("[1.0625,1.1875,447,448,1000,inf,nan,-inf]", "float8_e4m3fn") == "1 1.25 448 448 448 448 448 -448");
  CHECK(converted("[bits:0xffc00000]", "f8e4m3") == "-448");
}

TEST_CASE("openvino.FakeConvert to float8_e4m3fn: below 2^-6 rounded, then cut") {
  CHECK(converted("[0x1.fp-10,0x1p-9,0x1.8p-9,0x1.fep-9,0x1.fffp-9]", "float8_e4m3fn") ==
        "0 0.001953125 0.001953125 0.00390625 0.00390625");
}

TEST_CASE("openvino.FakeConvert: scale before, shift and scale after") {
  CHECK(converted("[1.1]", "float8_e4m3fn", {{"scale", "2"}, {"shift", "0.25"}}) == "1.125");
}
