#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string codes(const std::string& x, const Texts& more = {}) {
  Texts set{{"scale", "1"}, {"zero_point", "0"}, {"quant_min", "-128"}, {"quant_max", "127"}, {"dtype", "int8"}};
  for (const auto& [name, text] : more) set[name] = text;
  return result("executorch.quantize_per_tensor", "q", {{"x", x}}, set);
}

}  // namespace

TEST_CASE("executorch.quantize_per_tensor rounds before the zero point is added") {
  CHECK(codes("[0.5,1.5,2.5,-0.5]", {{"zero_point", "1"}}) == "1 3 3 1");
}

TEST_CASE("executorch.quantize_per_tensor: what is no int64 is the lowest, so quant_min") {
  CHECK(codes("[nan,inf,-inf,0x1p63,0x1.fffffep62,-0x1p63]", {{"quant_min", "-5"}}) == "-5 -5 -5 -5 127 -5");
}

TEST_CASE("executorch.quantize_per_tensor rounds the scale first, and takes 0") {
  CHECK(codes("[0,1,-1]", {{"scale", "1e-310"}}) == "-128 -128 -128");
  CHECK(codes("[0,1,-1]", {{"scale", "0"}}) == "-128 -128 -128");
  CHECK(codes("[0.25]:float16", {{"scale", "0.1"}}) == "2");
}

TEST_CASE("executorch.quantize_per_tensor refuses a range that leaves the type, and bfloat16") {
  CHECK(unless_refused([] { codes("[1]", {{"quant_max", "128"}}); }, ErrorKind::out_of_domain, {"128", "int8"}) == "");
  CHECK(unless_refused([] { codes("[1]:bfloat16"); }, ErrorKind::wrong_type, {"bfloat16"}) == "");
}
