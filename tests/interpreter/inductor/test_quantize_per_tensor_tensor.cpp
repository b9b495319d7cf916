#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string codes(const std::string& x, const Texts& more) {
  Texts set{{"scale", "1"}, {"zero_point", "0"}, {"dtype", "int8"}};
  for (const auto& [name, text] : more) set[name] = text;
  return result("inductor.quantize_per_tensor_tensor", "q", {{"x", x}}, set);
}

}  // namespace

TEST_CASE("inductor.quantize_per_tensor_tensor adds the zero point first; the vectors decide the ties") {
  const char* ties = "[0.5,1.5,2.5,-0.5,-1.5]";
  CHECK(codes(ties, {{"zero_point", "1"}}) == "2 2 4 0 0");
  CHECK(codes(ties, {{"zero_point", "1"}, {"vector", "avx2"}}) == "2 3 4 1 -1");
  CHECK(codes(ties, {{"zero_point", "1"}, {"vector", "none"}}) == "2 3 4 1 -1");
  CHECK(codes("[8388609,0x1.fffffep-2,-0x1.fffffep-2]", {{"dtype", "uint8"}, {"vector", "none"}}) == "1 0 0");
}

TEST_CASE("inductor.quantize_per_tensor_tensor truncates 16 bits and more") {
  CHECK(codes("[1.9,-1.9,65537.5]", {{"dtype", "int16"}}) == "1 -1 1");
  CHECK(codes("[1.9,-1.9,4e9]", {{"dtype", "int32"}}) == "1 -1 -2147483648");
}

TEST_CASE("inductor.quantize_per_tensor_tensor ignores the range") {
  CHECK(codes("[100,-100,200]", {{"quant_min", "-8"}, {"quant_max", "7"}}) == "100 -100 127");
}

TEST_CASE("inductor.quantize_per_tensor_tensor: what is not finite") {
  const char* x = "[nan,inf,-inf,4e9,200]";
  CHECK(codes(x, {}) == "-128 -128 -128 -128 127");
  CHECK(codes(x, {{"dtype", "uint8"}}) == "0 255 0 255 200");
  CHECK(codes(x, {{"vector", "avx2"}}) == "0 127 -128 127 127");
  CHECK(codes(x, {{"dtype", "uint8"}, {"vector", "avx2"}}) == "0 255 0 255 200");
  CHECK(codes(x, {{"vector", "none"}}) == "0 0 0 0 -56");
}
