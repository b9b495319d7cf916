#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

Inputs inputs(const char* a, const Shape& a_shape, const char* b, const Shape& b_shape) {
  return {{"A", tensor(a, a_shape)}, {"B", tensor(b, b_shape)}};
}

std::string product(const Inputs& given, const Texts& parameters) {
  return shown(formula("onnx.MatMulInteger")(given, settings(parameters)), "Y");
}

}  // namespace

TEST_CASE("onnx.MatMulInteger: the example of the specification") {
  const Inputs given = inputs("[11,7,3,10,6,2,9,5,1,8,4,0]:uint8", {4, 3}, "[1,4,2,5,3,6]:uint8", {3, 2});
  CHECK(product(given, {{"a_zero_point", "12"}, {"b_zero_point", "0"}}) == "-38 -83 -44 -98 -50 -113 -56 -128");
}

TEST_CASE("onnx.MatMulInteger takes differences that no code type holds") {
  CHECK(product(inputs("[0]:uint8", {1, 1}, "[-128]:int8", {1, 1}),
                {{"a_zero_point", "255"}, {"b_zero_point", "127"}}) == "65025");
}

TEST_CASE("onnx.MatMulInteger of no columns is a sum of nothing") {
  CHECK(product(inputs("[]:uint8", {2, 0}, "[]:int8", {0, 2}), {}) == "0 0 0 0");
}

TEST_CASE("onnx.MatMulInteger refuses shapes that do not go together") {
  const auto refused = [](const Inputs& given, std::string_view fragment) {
    return unless_refused([&] { formula("onnx.MatMulInteger")(given, {}); }, ErrorKind::wrong_shape, {fragment});
  };
  CHECK(refused(inputs("[1,2]:uint8", {1, 2}, "[1,2,3]:int8", {3, 1}), "expected [2, columns]").empty());
  CHECK(refused(inputs("[1,2]:uint8", {2}, "[1,2]:int8", {2, 1}), "expected two axes").empty());
}

TEST_CASE("onnx.MatMulInteger explains the sum that an element goes into") {
  const Formula& chosen = formula("onnx.MatMulInteger");
  const Inputs given = inputs("[1,2,3,4]:uint8", {2, 2}, "[5,6]:int8", {2, 1});
  const Arguments arguments = chosen.arguments(given, {});
  const Trace trace = chosen.trace(arguments, given, 3);
  REQUIRE(trace.size() == 1);
  CHECK(trace[0].result.value() == 39);
  CHECK(chosen.exact(arguments, given, 3).at(0) == Exact(39));
}
