#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string codes(const std::string& x, const Texts& set) {
  return result("openvino_cpu.QuantizeLinear", "y", {{"x", x}}, set);
}

}  // namespace

TEST_CASE("openvino_cpu.QuantizeLinear parts from the quotient one ulp from a tie") {
  // Measured, openvino 2026.4.1.
  CHECK(codes("[-5.4500003,-4.4500003]", {{"y_scale", "0.1"}, {"y_zero_point", "128"}}) == "74 84");
  CHECK(codes("[-84.833336,-84.5]", {{"y_scale", "0.33333334"}, {"y_zero_point", "255"}}) == "0 2");
  CHECK(codes("[-2.4499998,-1.0499998]:float32",
              {{"y_scale", "0.7"}, {"y_zero_point", "8"}, {"output_dtype", "uint4"}}) == "4 6");
}

TEST_CASE("openvino_cpu.QuantizeLinear: NaN gives the lowest code, infinities saturate") {
  CHECK(codes("[nan,inf,-inf]", {{"y_scale", "0.1"}, {"y_zero_point", "-1"}, {"output_dtype", "int8"}}) ==
        "-128 127 -128");
}

TEST_CASE("openvino_cpu.QuantizeLinear: int8 without a shift goes to the even quotient again") {
  const Texts set{{"y_scale", "0.1"}, {"output_dtype", "int8"}};
  CHECK(codes("[-6.1499996,-5.1499996]", set) == "-62 -52");
  Texts transformed = set;
  transformed["lp_transforms_mode"] = "yes";
  CHECK(codes("[-6.1499996,-5.1499996]", transformed) == "-61 -51");
  // Measured, openvino 2026.4.1.
  CHECK(codes("[-12.1499996,-11.1499996]", transformed) == "-122 -112");
  CHECK(codes("[0.25]", {{"y_scale", "0.5"}, {"y_zero_point", "1"}, {"output_dtype", "int8"}}) == "2");
}

TEST_CASE("openvino_cpu.QuantizeLinear: a grid of 16 bits that is the type itself is taken out") {
  const Texts set{{"y_scale", "1"}, {"output_dtype", "uint16"}};
  CHECK(codes("[1.5,70000,-1,nan,inf]", set) == "1 4464 65535 0 0");
  CHECK(codes("[1.5,70000,-1]", {{"y_scale", "1"}, {"output_dtype", "uint16"}, {"y_zero_point", "1"}}) == "2 65535 0");
}

TEST_CASE("openvino_cpu.QuantizeLinear: scales without a finite grid") {
  CHECK(codes("[1]", {{"y_scale", "0"}, {"output_dtype", "int8"}}) == "0");
  CHECK(codes("[1]", {{"y_scale", "0"}, {"output_dtype", "int8"}, {"lp_transforms_mode", "yes"}}) == "-128");
  CHECK(unless_refused(
            [] {
              codes("[1]", {{"y_scale", "0"}, {"node", "jit"}});
            },
            ErrorKind::out_of_domain, {"openvino_cpu.QuantizeLinear", "y_scale", "node=snippets"}) == "");
}
