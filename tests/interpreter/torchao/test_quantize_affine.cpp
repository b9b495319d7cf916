#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

constexpr const char* kId = "torchao.quantize_affine";

std::string codes(const std::string& x, const Texts& more = {}) {
  Texts set{{"scale", "1"}, {"zero_point", "0"}, {"output_dtype", "int8"}};
  for (const auto& [name, text] : more) set[name] = text;
  return result(kId, "q", {{"x", x}}, set);
}

}  // namespace

TEST_CASE("torchao.quantize_affine rounds before the zero point is added, and multiplies with the inverse") {
  CHECK(codes("[0.5,1.5,2.5,-0.5]", {{"zero_point", "1"}}) == "1 3 3 1");
  CHECK(codes("[2.25]", {{"scale", "0.3"}}) == "8");
  CHECK(codes("[0,1]", {{"scale", "1e-40"}, {"zero_point", "3"}}) == "0 127");
}

TEST_CASE("torchao.quantize_affine: the range is the type's, or a part of it") {
  CHECK(codes("[-1000,1000]") == "-128 127");
  CHECK(codes("[-1000,1000]", {{"output_dtype", "uint8"}}) == "0 255");
  CHECK(codes("[-1000,1000]", {{"quant_min", "-8"}, {"quant_max", "7"}}) == "-8 7");
  CHECK(unless_refused(
            [] {
              codes("[1]", {{"quant_max", "128"}});
            },
            ErrorKind::out_of_domain, {kId, "128", "int8"}) == "");
}

TEST_CASE("torchao.quantize_affine: NaN gives 0 or INT_MIN; INT_MAX as a bound is 2^31") {
  CHECK(codes("[nan,inf,-inf]", {{"quant_min", "3"}}) == "0 127 3");
  CHECK(codes("[nan,inf,1]", {{"output_dtype", "int32"}}) == "-2147483648 -2147483648 1");
}

TEST_CASE("torchao.quantize_affine: a scale for each block") {
  Settings set = settings({{"output_dtype", "int8"}, {"block_size", "[1,2]"}});
  set.emplace("scale", Written::of(tensor("[1,2,4,8]", Shape{2, 2})));
  set.emplace("zero_point", Written::of(tensor("[0,1,2,3]:int64", Shape{2, 2})));
  const Tensor x = tensor("[8,8,8,8,8,8,8,8]", Shape{2, 4});
  CHECK(shown(formula(kId)({{"x", x}}, set), "q") == "8 8 5 5 4 4 4 4");
  set.insert_or_assign("block_size", Written::parse("[2,1]"));
  CHECK(unless_refused([&] { formula(kId)({{"x", x}}, set); }, ErrorKind::wrong_shape, {kId, "scale", "[1, 4]"}) == "");
  set.insert_or_assign("block_size", Written::parse("[1,3]"));
  CHECK(unless_refused([&] { formula(kId)({{"x", x}}, set); }, ErrorKind::out_of_domain, {kId, "block_size"}) == "");
}
