#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string output(const char* name, const std::string& x) {
  return result("onnxruntime.DynamicQuantizeLinear", name, {{"x", x}});
}

/// A list of `length` ones with a value at one place.
std::string ones_but(std::size_t length, std::size_t place, const char* value) {
  std::string list = "[";
  for (std::size_t i = 0; i < length; ++i) list += std::string(i > 0 ? "," : "") + (i == place ? value : "1");
  return list + "]";
}

}  // namespace

TEST_CASE("onnxruntime.DynamicQuantizeLinear: the example of the specification") {
  const char* x = "[0,2,-3,-2.5,1.34,0.5]";
  CHECK(output("y", x) == "153 255 0 26 221 179");
  CHECK(output("y_scale", x) == "0.019607844");
  CHECK(output("y_zero_point", x) == "153");
}

TEST_CASE("onnxruntime.DynamicQuantizeLinear: an empty span has the scale 1") {
  CHECK(output("y", "[0,0]") == "0 0");
  CHECK(output("y_scale", "[0,-0]") == "1");
  CHECK(output("y_zero_point", "[0,0]") == "0");
  CHECK(output("y_scale", "[]") == "1");
}

TEST_CASE("onnxruntime.DynamicQuantizeLinear: short tensors pass NaN over") {
  CHECK(output("y_scale", "[nan,510]") == "2");
  CHECK(output("y", "[nan,510,255]") == "0 255 128");
}

TEST_CASE("onnxruntime.DynamicQuantizeLinear: a NaN hides what its lane has seen before") {
  // Element 0 is in the lane of element 8: the NaN there hides it, and is itself hidden by element 16.
  std::string list = ones_but(24, 0, "510");
  CHECK(output("y_scale", list) == "2");
  Tensor x = tensor(list);
  x.set_bits(8, parse_number("nan", Type::float32));
  const Evaluation hidden = formula("onnxruntime.DynamicQuantizeLinear")({{"x", x}}, {});
  CHECK(shown(hidden, "y_scale") == "0.003921569");
  // In another lane it hides nothing.
  x = tensor(list);
  x.set_bits(9, parse_number("nan", Type::float32));
  CHECK(shown(formula("onnxruntime.DynamicQuantizeLinear")({{"x", x}}, {}), "y_scale") == "2");
}

TEST_CASE("onnxruntime.DynamicQuantizeLinear finds extremes at every place of every length") {
  for (std::size_t length = 1; length <= 70; ++length) {
    for (std::size_t place = 0; place < length; ++place) {
      if (output("y_scale", ones_but(length, place, "510")) != "2") FAIL_CHECK(length << " " << place);
      if (output("y_zero_point", ones_but(length, place, "-254")) != (length == 1 ? "255" : "254"))
        FAIL_CHECK(length << " " << place);
    }
  }
}
