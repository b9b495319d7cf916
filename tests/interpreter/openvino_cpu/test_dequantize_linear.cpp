#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string values(const char* x, const Texts& set) {
  return result("openvino_cpu.DequantizeLinear", "y", {{"x", x}}, set);
}

}  // namespace

TEST_CASE("openvino_cpu.DequantizeLinear: the zero point need not become 0") {
  // Measured, openvino 2026.4.1.
  CHECK(values("[255,254]:uint8", {{"x_scale", "0.1"}, {"x_zero_point", "255"}}) == "3.799796e-07 -0.09999962");
  CHECK(values("[3,2]:int8", {{"x_scale", "0.1"}, {"x_zero_point", "3"}}) == "-7.450581e-09 -0.10000001");
  CHECK(values("[65535]:uint16", {{"x_scale", "0.33333334"}, {"x_zero_point", "65535"}}) == "0.00065103173");
}

TEST_CASE("openvino_cpu.DequantizeLinear: product and sum apart in the other node") {
  CHECK(values("[255]:uint8", {{"x_scale", "0.1"}, {"x_zero_point", "255"}, {"node", "eltwise"}}) == "0");
}
