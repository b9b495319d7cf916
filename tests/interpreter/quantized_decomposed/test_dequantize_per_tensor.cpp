#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string reals(const std::string& q, const char* scale, const char* zero_point, const char* type = "float32") {
  return result("quantized_decomposed.dequantize_per_tensor", "y", {{"q", q}},
                {{"scale", scale}, {"zero_point", zero_point}, {"out_dtype", type}});
}

}  // namespace

TEST_CASE("quantized_decomposed.dequantize_per_tensor subtracts, then multiplies") {
  CHECK(reals("[-128,127,-3]:int8", "0.5", "-3") == "-62.5 65 0");
}

TEST_CASE("quantized_decomposed.dequantize_per_tensor rounds the codes to the type of y first") {
  CHECK(reals("[16777217,2147483647]:int32", "1", "1") == "16777215 2147483600");
  CHECK(reals("[2049,2051]:int16", "1", "2051", "float16") == "-4 0");
  CHECK(reals("[0,65520]:int32", "0.5", "70000", "float16") == "-inf nan");
  CHECK(reals("[257]:int16", "1", "0", "bfloat16") == "256");
}

TEST_CASE("quantized_decomposed.dequantize_per_tensor: the scale is a binary32, or a binary64 for such a y") {
  CHECK(reals("[-124]:int8", "0.1", "0") == "-12.400001");
  CHECK(reals("[3]:int8", "0.1", "0", "float64") == "0.30000000000000004");
  // float16 of 3 * 0.1; with the scale in float16 it were 0.29980.
  CHECK(reals("[3]:int8", "0.1", "0", "float16") == "0.3");
}

TEST_CASE("quantized_decomposed.dequantize_per_tensor: the range says nothing about y") {
  CHECK(result("quantized_decomposed.dequantize_per_tensor", "y", {{"q", "[127]:int8"}},
               {{"scale", "1"}, {"zero_point", "0"}, {"quant_min", "-8"}, {"quant_max", "7"}}) == "127");
}
