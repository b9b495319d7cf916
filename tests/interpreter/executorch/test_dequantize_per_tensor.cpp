#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string reals(const char* q, const Texts& more) {
  Texts set{{"scale", "1"}, {"zero_point", "0"}};
  for (const auto& [name, text] : more) set[name] = text;
  return result("executorch.dequantize_per_tensor", "y", {{"q", q}}, set);
}

}  // namespace

TEST_CASE("executorch.dequantize_per_tensor: the difference wraps in int32") {
  CHECK(reals("[127]:int8", {{"zero_point", "-128"}}) == "255");
  CHECK(reals("[2147483647]:int32", {{"scale", "0x1p-20"}, {"zero_point", "-1"}}) == "-2048");
  CHECK(reals("[16777217]:int32", {{"scale", "0x1p-10"}, {"zero_point", "1"}}) == "16384");
}

TEST_CASE("executorch.dequantize_per_tensor multiplies in binary32") {
  CHECK(reals("[3]:int8", {{"scale", "0.1"}, {"out_dtype", "float64"}}) == "0.30000001192092896");
  CHECK(reals("[100000]:int32", {{"scale", "0x1p-10"}, {"zero_point", "-100000"}, {"out_dtype", "float16"}}) ==
        "195.2");
}
