#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string output(const char* name, const std::string& x) {
  return result("onnx_reference.DynamicQuantizeLinear", name, {{"x", x}});
}

}  // namespace

TEST_CASE("onnx_reference.DynamicQuantizeLinear: the example of the specification") {
  const char* x = "[0,2,-3,-2.5,1.34,0.5]";
  CHECK(output("y", x) == "153 255 0 26 221 179");
  CHECK(output("y_scale", x) == "0.019607844");
  CHECK(output("y_zero_point", x) == "153");
}

TEST_CASE("onnx_reference.DynamicQuantizeLinear: an empty span counts as 1") {
  CHECK(output("y", "[0,0]") == "0 0");
  CHECK(output("y_scale", "[0,0]") == "0.003921569");
  CHECK(output("y_zero_point", "[0,0]") == "0");
}

TEST_CASE("onnx_reference.DynamicQuantizeLinear: NaN anywhere") {
  CHECK(output("y", "[1,nan,2]") == "0 0 0");
  CHECK(output("y_scale", "[1,nan,2]") == "nan");
  CHECK(output("y_zero_point", "[1,nan,2]") == "255");
}

TEST_CASE("onnx_reference.DynamicQuantizeLinear refuses no elements") {
  CHECK(unless_refused([] { output("y", "[]"); }, ErrorKind::out_of_domain,
                       {"onnx_reference.DynamicQuantizeLinear", "at least one"}) == "");
}
