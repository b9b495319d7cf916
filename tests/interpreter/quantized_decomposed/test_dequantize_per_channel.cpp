#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string reals(const Tensor& q, const char* scales, const char* zero_points, const Texts& more = {}) {
  Texts set{{"scales", scales}, {"zero_points", zero_points}, {"axis", "0"}};
  for (const auto& [name, text] : more) set[name] = text;
  return shown(formula("quantized_decomposed.dequantize_per_channel")({{"q", q}}, settings(set)), "y");
}

}  // namespace

TEST_CASE("quantized_decomposed.dequantize_per_channel: a scale and zero point for each channel") {
  const Tensor q = tensor("[6,6,6,6]:int8", Shape{2, 2});
  CHECK(reals(q, "[1,2]", "[0,10]") == "6 6 -8 -8");
  CHECK(reals(q, "[1,2]", "[0,10]", {{"axis", "-1"}}) == "6 -8 6 -8");
}

TEST_CASE("quantized_decomposed.dequantize_per_channel: the difference has the common type of the integers") {
  CHECK(reals(tensor("[127]:int8"), "[1]", "[-128]") == "255");
  CHECK(reals(tensor("[127]:int8"), "[1]", "[-128]:int8") == "-1");
  CHECK(reals(tensor("[3]:uint8"), "[1]", "[5]:uint8") == "254");
  CHECK(reals(tensor("[255]:uint8"), "[1]", "[-128]:int8") == "383");
  CHECK(reals(tensor("[0]:int8"), "[1]", "[255]:uint8") == "-255");
  CHECK(reals(tensor("[32767]:int16"), "[1]", "[-1]:int8") == "-32768");
  CHECK(reals(tensor("[255]:uint8"), "[1]", "[-32768]:int16") == "-32513");
  CHECK(reals(tensor("[2147483647]:int32"), "[1]", "[-1]:int32") == "-2147483600");
  CHECK(reals(tensor("[2147483647]:int32"), "[1]", "[-1]") == "2147483600");
}

TEST_CASE("quantized_decomposed.dequantize_per_channel multiplies in the type of the scales") {
  const Tensor q = tensor("[-124]:int8");
  CHECK(reals(q, "[0.1]", "[0]") == "-12.400001");
  CHECK(reals(q, "[0.1]:float64", "[0]") == "-12.4");
  CHECK(reals(tensor("[3]:int8"), "[0.1]:float64", "[0]", {{"out_dtype", "float64"}}) == "0.30000000000000004");
}

TEST_CASE("quantized_decomposed.dequantize_per_channel: from binary64 to 16 bits by way of binary32") {
  const char* hair_above_a_tie = "[0x1.0020000001p0]:float64";
  CHECK(reals(tensor("[1]:int8"), hair_above_a_tie, "[0]", {{"out_dtype", "float16"}}) == "1");
}

TEST_CASE("quantized_decomposed.dequantize_per_channel wants a range of q's type, and no uint16") {
  constexpr const char* kId = "quantized_decomposed.dequantize_per_channel";
  CHECK(unless_refused(
            [] {
              reals(tensor("[1]:int8"), "[1]", "[0]", {{"quant_max", "128"}});
            },
            ErrorKind::out_of_domain, {kId, "128", "int8"}) == "");
  CHECK(unless_refused([] { reals(tensor("[1]:uint16"), "[1]", "[0]"); }, ErrorKind::wrong_type, {kId, "uint16"}) ==
        "");
}
