#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

/// y of one number a channel, for codes in [-8, 7] with the scale 1.
std::string faked(const std::string& x, const char* zero_points, const Texts& more = {}) {
  Texts set{{"scale", "1"}, {"zero_point", zero_points}, {"axis", "0"}, {"quant_min", "-8"}, {"quant_max", "7"}};
  for (const auto& [name, text] : more) set[name] = text;
  return result("pytorch.fake_quantize_learnable_per_channel_affine", "y", {{"x", x}}, set);
}

}  // namespace

TEST_CASE("pytorch.fake_quantize_learnable_per_channel_affine rounds each zero point, then limits it") {
  CHECK(faked("[100,100,100,100,100,100]", "[2.5,3.5,0.6,-2.5,300,-inf]") == "5 3 6 9 0 15");
}

TEST_CASE("pytorch.fake_quantize_learnable_per_channel_affine: +inf, NaN and 2^63 give the lowest value") {
  CHECK(faked("[nan,inf,-inf,0x1p63,0x1p62]", "[1,1,1,1,1]") == "-9 -9 -9 -9 6");
}

TEST_CASE("pytorch.fake_quantize_learnable_per_channel_affine wants zero points that are codes in the end") {
  const auto refused = [](const char* zero_points, const Texts& more, ErrorKind kind) {
    return unless_refused([&] { faked("[1,1]", zero_points, more); }, kind, {"zero_point"});
  };
  CHECK(refused("[0,nan]", {}, ErrorKind::out_of_domain).empty());
  CHECK(refused("[0,0x1p26]", {{"quant_max", "33554431"}}, ErrorKind::zero_point_out_of_range).empty());
  // Measured, torch 2.13.0: here 2^31 becomes INT_MIN, which is a code.
  CHECK(faked("[1,1]", "[0,0x1p32]", {{"quant_min", "-2147483648"}, {"quant_max", "2147483647"}}) == "1 0");
}
