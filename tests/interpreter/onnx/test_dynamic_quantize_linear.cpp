#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string output(const char* name, const std::string& x) {
  return result("onnx.DynamicQuantizeLinear", name, {{"x", x}});
}

}  // namespace

TEST_CASE("onnx.DynamicQuantizeLinear: the example of the specification") {
  const char* x = "[0,2,-3,-2.5,1.34,0.5]";
  CHECK(output("y", x) == "153 255 0 26 221 179");
  CHECK(output("y_scale", x) == "0.019607844");
  CHECK(output("y_zero_point", x) == "153");
}

TEST_CASE("onnx.DynamicQuantizeLinear extends the range to hold zero") {
  CHECK(output("y", "[255,510]") == "128 255");
  CHECK(output("y_scale", "[255,510]") == "2");
  CHECK(output("y_zero_point", "[255,510]") == "0");
  CHECK(output("y_zero_point", "[-255,-510]") == "255");
  CHECK(output("y", "[-255,-510]") == "127 0");
}

TEST_CASE("onnx.DynamicQuantizeLinear leaves all of it open where the span is not finite and positive") {
  for (const char* x : {"[0,0]", "[0,-0]", "[nan,1]", "[1,inf]", "[-3e38,3e38]"}) {
    CAPTURE(x);
    CHECK(output("y_scale", x).ends_with("?"));
    CHECK(output("y_zero_point", x).ends_with("?"));
    const std::string y = output("y", x);
    CHECK(std::count(y.begin(), y.end(), '?') == 2);
  }
}

TEST_CASE("onnx.DynamicQuantizeLinear of no elements has a shape and no elements") {
  const Evaluation evaluation = formula("onnx.DynamicQuantizeLinear")({{"x", Tensor(Type::float32, {2, 0})}}, {});
  CHECK(evaluation.outputs.find("y")->second.shape() == Shape{2, 0});
  CHECK(evaluation.outputs.find("y_scale")->second.shape().empty());
}
