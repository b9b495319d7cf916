#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string reals(const Tensor& q, const Tensor& scales, const Tensor& zero_points) {
  Settings set;
  set.insert_or_assign("scales", Written::of(scales));
  set.insert_or_assign("zero_points", Written::of(zero_points));
  return shown(formula("executorch.dequantize_per_token")({{"q", q}}, set), "y");
}

}  // namespace

TEST_CASE("executorch.dequantize_per_token: a scale and zero point for each token") {
  const Shape shape{2, 1};
  const Tensor q = tensor("[127,0,127,0]:int8", Shape{2, 2});
  CHECK(reals(q, tensor("[1,2]", shape), tensor("[-128,1]:int64", shape)) == "255 128 252 -2");
}

TEST_CASE("executorch.dequantize_per_token refuses what the process ends at") {
  const Tensor q = tensor("[0,0]:int8", Shape{2, 1});
  const Shape shape{2, 1};
  const auto zero_point = [&] { reals(q, tensor("[1,1]", shape), tensor("[0,-129]:int64", shape)); };
  CHECK(unless_refused(zero_point, ErrorKind::out_of_domain, {"-129"}) == "");
  const auto count = [&] { reals(q, tensor("1", Shape{}), tensor("0:int64", Shape{})); };
  CHECK(unless_refused(count, ErrorKind::wrong_shape, {"scales"}) == "");
}
