#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string faked(const char* x, const char* scale, const char* zero_point, const Texts& more = {}) {
  Texts set{{"scale", scale}, {"zero_point", zero_point}, {"axis", "0"}, {"quant_min", "-128"}, {"quant_max", "127"}};
  for (const auto& [name, text] : more) set[name] = text;
  return result("openvino.fake_quantize_learnable_per_channel_affine", "y", {{"x", x}}, set);
}

}  // namespace

TEST_CASE("openvino.fake_quantize_learnable_per_channel_affine breaks ties on the distance from quant_min") {
  const Texts unsigned_codes{{"quant_min", "0"}, {"quant_max", "255"}};
  CHECK(faked("[0.25,0.25,0.25]", "[0.5,0.5,0.5]", "[0,1.4,2]", unsigned_codes) == "0 0.5 0");
  // PyTorch's own operator goes by the quotient: 0 each time.
  CHECK(result("pytorch.fake_quantize_learnable_per_channel_affine", "y", {{"x", "[0.25,0.25,0.25]"}},
               {{"scale", "[0.5,0.5,0.5]"},
                {"zero_point", "[0,1.4,2]"},
                {"axis", "0"},
                {"quant_min", "0"},
                {"quant_max", "255"}}) == "0 0 0");
}

TEST_CASE("openvino.fake_quantize_learnable_per_channel_affine: large values go to their own end, NaN stays") {
  CHECK(faked("[0x1p70,-0x1p70,nan]", "[1,1,1]", "[0,0,0]") == "127 -128 nan");
  CHECK(faked("[0x1p70,-0x1p70]", "[-1,-1]", "[0,0]") == "128 -127");
}

TEST_CASE("openvino.fake_quantize_learnable_per_channel_affine works along any axis") {
  const Evaluation evaluation = formula("openvino.fake_quantize_learnable_per_channel_affine")(
      {{"x", tensor("[1000,1000,1000,-1000,-1000,-1000]", Shape{2, 3})}}, settings({{"scale", "[1,2,3]"},
                                                                                    {"zero_point", "[0,1,-400]"},
                                                                                    {"axis", "-1"},
                                                                                    {"quant_min", "-8"},
                                                                                    {"quant_max", "7"}}));
  CHECK(shown(evaluation, "y") == "7 12 45 -8 -18 0");
}
