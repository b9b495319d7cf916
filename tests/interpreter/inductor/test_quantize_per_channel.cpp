#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string codes(const Tensor& x, const char* scales, const char* zero_points, const Texts& more = {}) {
  Texts set{{"scales", scales},    {"zero_points", zero_points}, {"axis", "0"},
            {"quant_min", "-128"}, {"quant_max", "127"},         {"dtype", "int8"}};
  for (const auto& [name, text] : more) set[name] = text;
  return shown(formula("inductor.quantize_per_channel")({{"x", x}}, settings(set)), "q");
}

}  // namespace

TEST_CASE("inductor.quantize_per_channel: a scale and zero point for each channel") {
  const Tensor x = tensor("[6,6,6,6]", Shape{2, 2});
  CHECK(codes(x, "[1,2]", "[0,10]") == "6 6 13 13");
  CHECK(codes(x, "[1,2]", "[0,10]", {{"axis", "1"}}) == "6 13 6 13");
}

TEST_CASE("inductor.quantize_per_channel rounds scales to binary32, and saturates to int8") {
  CHECK(codes(tensor("[0,1e-40]", Shape{1, 2}), "[1e-40]:float64", "[3]") == "-128 127");
  CHECK(codes(tensor("[nan,300]", Shape{1, 2}), "[1]", "[0]") == "-128 127");
}

TEST_CASE("inductor.quantize_per_channel wants a range of the type") {
  const auto call = [] { codes(tensor("[1]"), "[1]", "[0]", {{"quant_max", "128"}}); };
  CHECK(unless_refused(call, ErrorKind::out_of_domain, {"128", "int8"}) == "");
}
