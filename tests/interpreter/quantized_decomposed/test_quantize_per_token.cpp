#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string codes(const Tensor& x, const Tensor& scales, const Tensor& zero_points, const Texts& more = {}) {
  Texts set{{"quant_min", "-128"}, {"quant_max", "127"}, {"dtype", "int8"}};
  for (const auto& [name, text] : more) set[name] = text;
  Settings given = settings(set);
  given.emplace("scales", Written::of(scales));
  given.emplace("zero_points", Written::of(zero_points));
  return shown(formula("quantized_decomposed.quantize_per_token")({{"x", x}}, given), "q");
}

}  // namespace

TEST_CASE("quantized_decomposed.quantize_per_token rounds the sum with the zero point") {
  CHECK(codes(tensor("[0.5,1.5,2.5]", Shape{1, 3}), tensor("[1]", Shape{1, 1}), tensor("[1]:int64", Shape{1, 1})) ==
        "2 2 4");
}

TEST_CASE("quantized_decomposed.quantize_per_token: a token is the last axis") {
  const Tensor x = tensor("[8,8,8,8,8,8,8,8]", Shape{2, 2, 2});
  CHECK(codes(x, tensor("[1,2,4,8]", Shape{2, 2, 1}), tensor("[0,1,2,3]:int64", Shape{2, 2, 1})) == "8 8 5 5 4 4 4 4");
  CHECK(codes(tensor("[8,4]"), tensor("[2]", Shape{1}), tensor("[1]:int64", Shape{1})) == "5 3");
  CHECK(unless_refused(
            [&] {
              codes(x, tensor("[1,2]", Shape{2, 1}), tensor("[0,0]:int64", Shape{2, 1}));
            },
            ErrorKind::wrong_shape,
            {"quantized_decomposed.quantize_per_token", "scales", "[2, 1]", "[2, 2, 1]"}) == "");
}

TEST_CASE("quantized_decomposed.quantize_per_token: binary64 scales make all of it binary64") {
  const Texts full{{"quant_min", "-2147483648"}, {"quant_max", "2147483647"}, {"dtype", "int32"}};
  const Tensor x = tensor("[inf,nan,0]", Shape{1, 3});
  const Tensor zero_point = tensor("[16777217]:int64", Shape{1, 1});
  CHECK(codes(x, tensor("[1]", Shape{1, 1}), zero_point, full) == "-2147483648 -2147483648 16777216");
  CHECK(codes(x, tensor("[1]:float64", Shape{1, 1}), zero_point, full) == "2147483647 -2147483648 16777217");
}
