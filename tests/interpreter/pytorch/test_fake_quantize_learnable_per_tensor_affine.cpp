#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

constexpr std::string_view kId = "pytorch.fake_quantize_learnable_per_tensor_affine";

/// y for codes in [-8, 7] with the scale 1.
std::string faked(const std::string& x, const char* zero_point, const Texts& more = {}) {
  Texts set{{"scale", "1"}, {"zero_point", zero_point}, {"quant_min", "-8"}, {"quant_max", "7"}};
  for (const auto& [name, text] : more) set[name] = text;
  return result(kId, "y", {{"x", x}}, set);
}

std::string unless_refused_for(const char* zero_point, const Texts& more, ErrorKind kind) {
  return unless_refused([&] { faked("[1]", zero_point, more); }, kind, {"zero_point"});
}

}  // namespace

TEST_CASE("pytorch.fake_quantize_learnable_per_tensor_affine rounds the zero point, then limits it") {
  // What is left of 100 is the highest code less the zero point.
  CHECK(faked("[100]", "2.5") == "5");
  CHECK(faked("[100]", "3.5") == "3");
  CHECK(faked("[100]", "0.6") == "6");
  CHECK(faked("[100]", "-2.5") == "9");
  CHECK(faked("[100]", "300") == "0");
  CHECK(faked("[100]", "-inf") == "15");
}

TEST_CASE("pytorch.fake_quantize_learnable_per_tensor_affine rounds before the zero point is added") {
  CHECK(faked("[0.5,1.5,-0.5]", "1") == "0 2 0");
  CHECK(faked("[nan,inf,-inf]", "1") == "-9 6 -9");
  CHECK(faked("[0.5,1.5,-0.5,-0]", "-0.5") == "0 2 0 0");  // never -0
}

TEST_CASE("pytorch.fake_quantize_learnable_per_tensor_affine: the range of codes need not hold 0") {
  CHECK(faked("[0,1,4]", "6", {{"quant_min", "5"}, {"quant_max", "9"}}) == "0 1 3");
}

TEST_CASE("pytorch.fake_quantize_learnable_per_tensor_affine wants a zero point that is a code in the end") {
  CHECK(unless_refused_for("nan", {}, ErrorKind::out_of_domain).empty());
  // Measured, torch 2.13.0: the end is 2^25 in binary32.
  const Texts wide{{"quant_max", "33554431"}};
  CHECK(unless_refused_for("0x1p26", wide, ErrorKind::zero_point_out_of_range).empty());
  CHECK(faked("[1]", "3", wide) == "1");
  CHECK(faked("[100]", "0x1p26", {{"quant_max", "16777217"}}) == "1");
}
