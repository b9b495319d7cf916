#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string reals(const Tensor& q, const char* scales, const char* zero_points, const Texts& more = {}) {
  Texts set{{"scales", scales}, {"zero_points", zero_points}, {"axis", "0"}};
  for (const auto& [name, text] : more) set[name] = text;
  return shown(formula("executorch.dequantize_per_channel")({{"q", q}}, settings(set)), "y");
}

}  // namespace

TEST_CASE("executorch.dequantize_per_channel: the difference wraps in int32") {
  CHECK(reals(tensor("[127,-128]:int8", Shape{1, 2}), "[1]", "[127]:int32") == "0 -255");
  CHECK(reals(tensor("[2147483647]:int32", Shape{1, 1}), "[0x1p-20]", "[-1]") == "-2048");
}

TEST_CASE("executorch.dequantize_per_channel: vectors convert the difference to the type of y first") {
  const Texts half{{"out_dtype", "float16"}};
  CHECK(reals(tensor("[2049,100000]:int32"), "[0.75,0.25]", "[0,0]", half) == "1536 inf");
  CHECK(reals(tensor("[2049,100000]:int32", Shape{2, 1}), "[0.75,0.25]", "[0,0]", half) == "1537 24992");
  const Texts wide{{"out_dtype", "float64"}};
  CHECK(reals(tensor("[3]:int8"), "[0.1]", "[0]", wide) == "0.30000000447034836");
  CHECK(reals(tensor("[3]:int8", Shape{1, 1}), "[0.1]", "[0]", wide) == "0.30000001192092896");
}

TEST_CASE("executorch.dequantize_per_channel checks zero points of int8 to float32 alone") {
  const Tensor q = tensor("[0]:int8");
  CHECK(unless_refused([&] { reals(q, "[1]", "[128]"); }, ErrorKind::out_of_domain, {"128", "127"}) == "");
  CHECK(reals(q, "[1]", "[128]", {{"out_dtype", "float16"}}) == "-128");
  CHECK(reals(tensor("[0]:int16"), "[1]", "[128]") == "-128");
}
