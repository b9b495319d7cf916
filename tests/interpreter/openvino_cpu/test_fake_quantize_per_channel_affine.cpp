#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

TEST_CASE("openvino_cpu.fake_quantize_per_channel_affine: large values go to their own end") {
  const Texts set{
      {"scale", "[1,1,-1]"}, {"zero_point", "[0,3,0]"}, {"axis", "0"}, {"quant_min", "-8"}, {"quant_max", "7"}};
  CHECK(result("openvino_cpu.fake_quantize_per_channel_affine", "y", {{"x", "[0x1p70,0x1p70,0x1p70]"}}, set) ==
        "7 4 8");
}
