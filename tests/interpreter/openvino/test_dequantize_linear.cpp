#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

TEST_CASE("openvino.DequantizeLinear: the zero point becomes 0") {
  CHECK(result("openvino.DequantizeLinear", "y", {{"x", "[255,254]:uint8"}},
               {{"x_scale", "0.1"}, {"x_zero_point", "255"}}) == "0 -0.1");
}
