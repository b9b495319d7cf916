#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

constexpr const char* kId = "quantized_decomposed.quantize_per_channel_group";

std::string codes(const Tensor& x, const Tensor& scales, const Tensor& zero_points, const Texts& more = {}) {
  Texts set{{"quant_min", "-128"}, {"quant_max", "127"}, {"dtype", "int8"}};
  for (const auto& [name, text] : more) set[name] = text;
  Settings given = settings(set);
  given.emplace("scales", Written::of(scales));
  given.emplace("zero_points", Written::of(zero_points));
  return shown(formula("quantized_decomposed.quantize_per_channel_group")({{"x", x}}, given), "q");
}

}  // namespace

TEST_CASE("quantized_decomposed.quantize_per_channel_group: groups lie in the rows") {
  const Tensor x = tensor("[8,8,8,8,8,8,8,8]", Shape{2, 4});
  CHECK(codes(x, tensor("[1,2,4,8]", Shape{2, 2}), tensor("[0,1,2,3]:int64", Shape{2, 2}), {{"group_size", "2"}}) ==
        "8 8 5 5 4 4 4 4");
}

TEST_CASE("quantized_decomposed.quantize_per_channel_group: a group wider than a row is the row") {
  const Tensor x = tensor("[8,8,8,8]", Shape{2, 2});
  CHECK(codes(x, tensor("[1,2]", Shape{2, 1}), tensor("[0,1]:int64", Shape{2, 1})) == "8 8 5 5");
}

TEST_CASE("quantized_decomposed.quantize_per_channel_group rounds the sum with the zero point") {
  CHECK(codes(tensor("[0.5,1.5,2.5]", Shape{1, 3}), tensor("[1]", Shape{1, 1}), tensor("[1]:int64", Shape{1, 1})) ==
        "2 2 4");
}

TEST_CASE("quantized_decomposed.quantize_per_channel_group does not check the range: codes keep their low bits") {
  CHECK(codes(tensor("[127,128,300]", Shape{1, 3}), tensor("[1]", Shape{1, 1}), tensor("[0]:int64", Shape{1, 1}),
              {{"quant_max", "299"}}) == "127 -128 43");
}

TEST_CASE("quantized_decomposed.quantize_per_channel_group takes a matrix and groups of two and more") {
  const Tensor one = tensor("[1]", Shape{1, 1});
  const Tensor zero = tensor("[0]:int64", Shape{1, 1});
  CHECK(unless_refused([&] { codes(tensor("[1,2]"), one, zero); }, ErrorKind::wrong_shape, {kId}) == "");
  CHECK(unless_refused(
            [&] {
              codes(tensor("[1,2]", Shape{1, 2}), one, zero, {{"group_size", "1"}});
            },
            ErrorKind::out_of_domain, {kId, "group_size"}) == "");
  CHECK(unless_refused(
            [&] {
              codes(tensor("[1,2,3]", Shape{1, 3}), one, zero, {{"group_size", "2"}});
            },
            ErrorKind::out_of_domain, {kId, "group_size"}) == "");
}
