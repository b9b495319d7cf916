#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string codes(const char* x, const char* scale, const char* zero_point, const char* low, const char* high) {
  return result("torchao.quantize_affine_tinygemm", "q", {{"x", x}},
                {{"scale", scale},
                 {"zero_point", zero_point},
                 {"output_dtype", "int8"},
                 {"quant_min", low},
                 {"quant_max", high}});
}

}  // namespace

TEST_CASE("torchao.quantize_affine_tinygemm: the zero point is the real number of the middle code") {
  CHECK(codes("[9,1,16,9.5,10.5,100]", "1", "9", "0", "15") == "8 0 15 8 10 15");
  CHECK(codes("[0.5,2.5,-1.5]", "2", "0.5", "-128", "127") == "0 1 -1");
}

TEST_CASE("torchao.quantize_affine_tinygemm: the middle may be half a code") {
  CHECK(codes("[0,0.25,1]", "1", "0", "-8", "8") == "0 1 2");
}

TEST_CASE("torchao.quantize_affine_tinygemm divides") {
  // 2.25 / binary32(0.3) lies below 7.5.
  CHECK(codes("[2.25]", "0.3", "0", "-128", "127") == "7");
  CHECK(codes("[0,1e-40]", "1e-40", "0", "-128", "127") == "0 1");
}

TEST_CASE("torchao.quantize_affine_tinygemm: NaN gives 0, whatever the range") {
  CHECK(codes("[nan,inf,-inf]", "1", "0", "3", "15") == "0 15 3");
}
