#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string codes(const char* x, const char* scale, const Texts& more = {}) {
  Texts set{{"scale", scale}, {"output_dtype", "int8"}};
  for (const auto& [name, text] : more) set[name] = text;
  return result("torchao.quantize_affine_no_zero_point", "q", {{"x", x}}, set);
}

}  // namespace

TEST_CASE("torchao.quantize_affine_no_zero_point multiplies with the inverse and rounds") {
  CHECK(codes("[0.5,1.5,-2.5,1000]", "1") == "0 2 -2 127");
  CHECK(codes("[2.25]", "0.3") == "8");
  CHECK(codes("[nan,inf,-inf]", "1", {{"quant_min", "3"}}) == "0 127 3");
}
