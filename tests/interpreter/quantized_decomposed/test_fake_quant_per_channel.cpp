#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

Evaluation faked(const char* x, const char* scale, const char* zero_point) {
  const Tensor values = tensor(x);
  return formula("quantized_decomposed.fake_quant_per_channel")(
      {{"x", values.reshaped({1, static_cast<std::int64_t>(values.size())})}},
      settings(
          {{"scales", scale}, {"zero_points", zero_point}, {"axis", "0"}, {"quant_min", "0"}, {"quant_max", "15"}}));
}

}  // namespace

TEST_CASE("quantized_decomposed.fake_quant_per_channel: NaN stays NaN, infinities saturate") {
  const Evaluation evaluation = faked("[nan,inf,-inf,1]", "[0.5]", "[7]");
  CHECK(shown(evaluation, "y") == "nan 4 -3.5 1");
  CHECK(shown(evaluation, "mask") == "false false false true");
}

TEST_CASE("quantized_decomposed.fake_quant_per_channel rounds before the zero point is added") {
  CHECK(shown(faked("[0.5,1.5,2.5]", "[1]", "[1]"), "y") == "0 2 2");
}

TEST_CASE("quantized_decomposed.fake_quant_per_channel: the mask is that of the code before it is limited") {
  const Evaluation evaluation = faked("[-0.5,-0.75,15.25,15.5]", "[1]", "[0]");
  CHECK(shown(evaluation, "y") == "0 0 15 15");
  CHECK(shown(evaluation, "mask") == "true false true false");
}
