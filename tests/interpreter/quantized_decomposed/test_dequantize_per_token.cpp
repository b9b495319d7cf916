#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string reals(const Tensor& q, const Tensor& scales, const Tensor& zero_points, const Texts& more = {}) {
  Settings given = settings(more);
  given.emplace("scales", Written::of(scales));
  given.emplace("zero_points", Written::of(zero_points));
  return shown(formula("quantized_decomposed.dequantize_per_token")({{"q", q}}, given), "y");
}

}  // namespace

TEST_CASE("quantized_decomposed.dequantize_per_token: a token is the last axis") {
  CHECK(reals(tensor("[8,8,8,8,8,8,8,8]:int8", Shape{2, 2, 2}), tensor("[1,2,4,8]", Shape{2, 2, 1}),
              tensor("[0,1,2,3]:int64", Shape{2, 2, 1})) == "8 8 14 14 24 24 40 40");
}

TEST_CASE("quantized_decomposed.dequantize_per_token: types as per channel") {
  const Shape one{1, 1};
  CHECK(reals(tensor("[127]:int8", one), tensor("[1]", one), tensor("[-128]:int8", one)) == "-1");
  CHECK(reals(tensor("[127]:int8", one), tensor("[1]", one), tensor("[-128]:int64", one)) == "255");
  CHECK(reals(tensor("[-124]:int8", one), tensor("[0.1]:float64", one), tensor("[0]:int64", one)) == "-12.4");
  CHECK(reals(tensor("[127]:int8", one), tensor("[1]", one), tensor("[0]:int64", one), {{"quant_max", "200"}}) ==
        "127");
}
