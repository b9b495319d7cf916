#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

TEST_CASE("openvino.fake_quantize_per_channel_affine: bounds of the codes, NaN stays") {
  const Texts set{{"scale", "[0.5,0.5,0.25,1]"},
                  {"zero_point", "[0,1,255,0]"},
                  {"axis", "0"},
                  {"quant_min", "0"},
                  {"quant_max", "255"}};
  CHECK(result("openvino.fake_quantize_per_channel_affine", "y", {{"x", "[0.25,0.25,5,nan]"}}, set) == "0 0.5 0 nan");
}
