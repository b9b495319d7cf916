#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string converted(const std::string& x, const char* destination, const Texts& more = {}) {
  Texts set{{"scale", "1"}, {"destination_type", destination}};
  for (const auto& [name, text] : more) set[name] = text;
  return result("openvino_cpu.FakeConvert", "y", {{"x", x}}, set);
}

}  // namespace

TEST_CASE("openvino_cpu.FakeConvert: NaN gives the lowest value, infinities the ends") {
  CHECK(converted("[nan,inf,-inf]", "float8_e5m2") == "-57344 57344 -57344");
  CHECK(converted("[nan,inf,-inf]", "float8_e4m3fn") == "-448 448 -448");
}

TEST_CASE("openvino_cpu.FakeConvert rounds subnormal values too") {
  CHECK(converted("[0x1.fp-11,0x1.8p-9,0x1.4p-9,0x1p-10]", "float8_e4m3fn") == "0 0.00390625 0.001953125 0");
}

TEST_CASE("openvino_cpu.FakeConvert multiplies by the reciprocal") {
  CHECK(converted("[5]", "float8_e4m3fn", {{"scale", "3"}}) == "5");
  CHECK(converted("[0.0035156]", "float8_e4m3fn", {{"scale", "5"}}) !=
        result("openvino.FakeConvert", "y", {{"x", "[0.0035156]"}},
               {{"scale", "5"}, {"destination_type", "float8_e4m3fn"}}));
}
