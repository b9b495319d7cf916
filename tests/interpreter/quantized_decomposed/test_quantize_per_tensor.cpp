#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

constexpr const char* kId = "quantized_decomposed.quantize_per_tensor";

std::string codes(const std::string& x, const Texts& more) {
  Texts set{{"scale", "1"}, {"zero_point", "0"}, {"quant_min", "-128"}, {"quant_max", "127"}, {"dtype", "int8"}};
  for (const auto& [name, text] : more) set[name] = text;
  return result(kId, "q", {{"x", x}}, set);
}

}  // namespace

TEST_CASE("quantized_decomposed.quantize_per_tensor rounds before the zero point is added") {
  CHECK(codes("[0.5,1.5,2.5,-0.5]", {{"zero_point", "1"}}) == "1 3 3 1");
}

TEST_CASE("quantized_decomposed.quantize_per_tensor takes the inverse of the double") {
  // Binary32 has no 1e-40 with an inverse, binary64 has, but then that is no binary32.
  CHECK(codes("[0,1,-1]", {{"scale", "1e-40"}}) == "0 127 -128");
  CHECK(codes("[0,1,-1]", {{"scale", "1e300"}}) == "0 0 0");
  CHECK(codes("[2.25]", {{"scale", "0.3"}}) == "8");
}

TEST_CASE("quantized_decomposed.quantize_per_tensor: NaN gives 0, whatever the range, and INT_MIN for int32") {
  CHECK(codes("[nan,inf,-inf]", {{"quant_min", "3"}}) == "0 127 3");
  CHECK(codes("[nan,inf]", {{"quant_min", "-5"}, {"quant_max", "5"}, {"dtype", "int32"}}) == "-2147483648 5");
}

TEST_CASE("quantized_decomposed.quantize_per_tensor: INT_MAX as a bound is 2^31 in binary32") {
  const Texts full{{"quant_min", "-2147483648"}, {"quant_max", "2147483647"}, {"dtype", "int32"}};
  CHECK(codes("[inf,4e9,2147483520,-inf]", full) == "-2147483648 -2147483648 2147483520 -2147483648");
}

TEST_CASE("quantized_decomposed.quantize_per_tensor checks the range, not the zero point") {
  CHECK(codes("[-1000,0]", {{"zero_point", "1000"}}) == "0 127");
  CHECK(unless_refused(
            [] {
              codes("[1]", {{"quant_max", "128"}});
            },
            ErrorKind::out_of_domain, {kId, "128", "int8"}) == "");
  CHECK(unless_refused([] { codes("[1]", {{"scale", "0"}}); }, ErrorKind::out_of_domain, {kId, "scale", "0"}) == "");
}

TEST_CASE("quantized_decomposed.quantize_per_tensor widens 16-bit floats") {
  CHECK(codes("[0x1.99cp-4]:float16", {{"scale", "0x1.99999ap-5"}}) == "2");
  CHECK(codes("[3.5,4.5]:bfloat16", {}) == "4 4");
}
