#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string reals(const char* q, const char* scale, const char* zero_point, const Texts& more = {}) {
  Texts set{{"scale", scale}, {"zero_point", zero_point}};
  for (const auto& [name, text] : more) set[name] = text;
  return result("torchao.dequantize_affine_tinygemm", "y", {{"q", q}}, set);
}

}  // namespace

TEST_CASE("torchao.dequantize_affine_tinygemm: the zero point is the real number of the middle code") {
  CHECK(reals("[8,0,15]:uint8", "0.5", "9", {{"quant_min", "0"}, {"quant_max", "15"}}) == "9 5 12.5");
  CHECK(reals("[0,128]:uint8", "1", "0") == "-128 0");
  CHECK(reals("[0]:int8", "1", "0", {{"quant_min", "-8"}, {"quant_max", "8"}}) == "-0.5");
}

TEST_CASE("torchao.dequantize_affine_tinygemm: every step becomes the type of y") {
  CHECK(reals("[2049,2051]:int16", "1", "1", {{"output_dtype", "float16"}}) == "2048 2052");
  CHECK(reals("[257]:int16", "1", "1", {{"output_dtype", "bfloat16"}}) == "256");
}

TEST_CASE("torchao.dequantize_affine_tinygemm does not fuse product and sum") {
  // 3 * binary32(0.1) is 0.3000000119 rounded to binary32; the exact product is 0.3000000045.
  CHECK(reals("[3]:int8", "0.1", "-0.3") == "0");
}
