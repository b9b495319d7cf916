#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string reals(const char* q, const char* scale, const char* zero_point, const char* type = "float32") {
  return result("torchao.dequantize_affine", "y", {{"q", q}},
                {{"scale", scale}, {"zero_point", zero_point}, {"output_dtype", type}});
}

}  // namespace

TEST_CASE("torchao.dequantize_affine subtracts, then multiplies") {
  CHECK(reals("[-128,127,-3]:int8", "0.5", "-3") == "-62.5 65 0");
  CHECK(reals("[127]:int8", "1", "-128") == "255");
  CHECK(reals("[16777217]:int32", "1", "1") == "16777215");
}

TEST_CASE("torchao.dequantize_affine: the difference in the type of y, the product in binary32") {
  CHECK(reals("[2049,2051]:int16", "1", "2051", "float16") == "-4 0");
  CHECK(reals("[0,65520]:int32", "0.5", "70000", "float16") == "-inf nan");
  CHECK(reals("[3]:int8", "0.1", "0", "float16") == "0.3");
  CHECK(reals("[257]:int16", "1", "0", "bfloat16") == "256");
}

TEST_CASE("torchao.dequantize_affine: a scale for each block") {
  Settings set = settings({{"block_size", "[2,1]"}});
  set.emplace("scale", Written::of(tensor("[1,2]", Shape{1, 2})));
  set.emplace("zero_point", Written::of(tensor("[0,1]:int64", Shape{1, 2})));
  CHECK(shown(formula("torchao.dequantize_affine")({{"q", tensor("[8,8,8,8]:int8", Shape{2, 2})}}, set), "y") ==
        "8 14 8 14");
}
