#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string codes(const Tensor& x, const Tensor& scales, const Tensor& zero_points) {
  Settings set = settings({{"quant_min", "-128"}, {"quant_max", "127"}, {"dtype", "int8"}, {"axis", "0"}});
  set.insert_or_assign("scales", Written::of(scales));
  set.insert_or_assign("zero_points", Written::of(zero_points));
  return shown(formula("executorch.quantize_per_channel")({{"x", x}}, set), "q");
}

}  // namespace

TEST_CASE("executorch.quantize_per_channel: a scale and zero point for each channel, added after rounding") {
  const Shape shape{2};
  const Tensor scales = tensor("[1,2]", shape);
  CHECK(codes(tensor("[6,0.5,6,1]", Shape{2, 2}), scales, tensor("[1,10]:int64", shape)) == "7 1 13 10");
}

TEST_CASE("executorch.quantize_per_channel rounds scales to binary32") {
  const Shape one{1};
  const Tensor x = tensor("[0,1e-40]", Shape{1, 2});
  CHECK(codes(x, tensor("[1e-40]:float64", one), tensor("[3]:int64", one)) == "-128 -128");
}

TEST_CASE("executorch.quantize_per_channel wants as many scales as channels") {
  const auto call = [] { codes(tensor("[0,0]", Shape{2, 1}), tensor("1", Shape{}), tensor("0:int64", Shape{})); };
  CHECK(unless_refused(call, ErrorKind::wrong_shape, {"scales", "1", "2"}) == "");
}
