#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string codes(const Tensor& x, const char* scales, const char* zero_points, const Texts& more = {}) {
  Texts set{{"scales", scales},    {"zero_points", zero_points}, {"axis", "0"},
            {"quant_min", "-128"}, {"quant_max", "127"},         {"dtype", "int8"}};
  for (const auto& [name, text] : more) set[name] = text;
  return shown(formula("quantized_decomposed.quantize_per_channel")({{"x", x}}, settings(set)), "q");
}

}  // namespace

TEST_CASE("quantized_decomposed.quantize_per_channel: a scale and zero point for each channel") {
  const Tensor x = tensor("[6,6,6,6]", Shape{2, 2});
  CHECK(codes(x, "[1,2]", "[0,10]") == "6 6 13 13");
  CHECK(codes(x, "[1,2]", "[0,10]", {{"axis", "1"}}) == "6 13 6 13");
}

TEST_CASE("quantized_decomposed.quantize_per_channel rounds before the zero point is added") {
  CHECK(codes(tensor("[0.5,1.5,2.5]", Shape{1, 3}), "[1]", "[1]") == "1 3 3");
}

TEST_CASE("quantized_decomposed.quantize_per_channel: the type of the scales is the type of all arithmetic") {
  const Texts full{{"quant_min", "-2147483648"}, {"quant_max", "2147483647"}, {"dtype", "int32"}};
  const Tensor x = tensor("[inf,nan,0]", Shape{1, 3});
  CHECK(codes(x, "[1]:float32", "[16777217]", full) == "-2147483648 -2147483648 16777216");
  CHECK(codes(x, "[1]:float64", "[16777217]", full) == "2147483647 -2147483648 16777217");
  CHECK(codes(tensor("[0,1e-40]", Shape{1, 2}), "[1e-40]:float32", "[3]") == "0 127");
  CHECK(codes(tensor("[0,1e-40]", Shape{1, 2}), "[1e-40]:float64", "[3]") == "3 4");
}

TEST_CASE("quantized_decomposed.quantize_per_channel: NaN gives 0, whatever the range") {
  CHECK(codes(tensor("[nan,-inf]", Shape{1, 2}), "[1]", "[0]", {{"quant_min", "5"}}) == "0 5");
}
