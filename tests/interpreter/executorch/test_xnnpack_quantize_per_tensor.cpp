#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string codes(const std::string& x, const Texts& more = {}) {
  Texts set{{"scale", "1"}, {"zero_point", "0"}};
  for (const auto& [name, text] : more) set[name] = text;
  return result("executorch.xnnpack_quantize_per_tensor", "q", {{"x", x}}, set);
}

}  // namespace

TEST_CASE("executorch.xnnpack_quantize_per_tensor: NaN is the upper bound, and the range has no effect") {
  CHECK(codes("[nan,inf,-inf,1e20,-1e20]", {{"zero_point", "-100"}}) == "127 127 -128 127 -128");
  CHECK(codes("[0.5,1.5,100]", {{"zero_point", "1"}, {"quant_min", "-8"}, {"quant_max", "7"}}) == "1 3 101");
}

TEST_CASE("executorch.xnnpack_quantize_per_tensor refuses what XNNPACK refuses") {
  constexpr auto kDomain = ErrorKind::out_of_domain;
  for (const char* scale : {"0", "-1", "nan", "inf", "1e-40", "1e300"})
    CHECK(unless_refused([&] { codes("[1]", {{"scale", scale}}); }, kDomain, {"scale"}) == "");
  CHECK(unless_refused([] { codes("[1]", {{"zero_point", "128"}}); }, kDomain, {"zero_point"}) == "");
}
