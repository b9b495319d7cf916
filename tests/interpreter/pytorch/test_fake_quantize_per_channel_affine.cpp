#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

Evaluation faked(const std::string& x, const char* scale, const char* zero_point, const Texts& more = {}) {
  Texts set{{"scale", scale}, {"zero_point", zero_point}, {"axis", "0"}, {"quant_min", "-8"}, {"quant_max", "7"}};
  set.insert(more.begin(), more.end());
  const Tensor values = tensor(x);
  return formula("pytorch.fake_quantize_per_channel_affine")(
      {{"x", values.reshaped({1, static_cast<std::int64_t>(values.size())})}}, settings(set));
}

const Texts kFloating{{"zero_point_dtype", "float32"}};

}  // namespace

TEST_CASE("pytorch.fake_quantize_per_channel_affine: NaN, infinity and 2^63 give quant_min's value") {
  // Measured, torch 2.13.0.
  const char* x = "[0.25,nan,inf,1e30,1e10,-1e30]";
  const Evaluation integer = faked(x, "[0.5]", "[1]");
  CHECK(shown(integer, "y") == "0 -4.5 -4.5 -4.5 3 -4.5");
  CHECK(shown(integer, "mask") == "true false false false false false");
  const Evaluation floating = faked(x, "[0.5]", "[0.5]", kFloating);
  CHECK(shown(floating, "y") == "0.25 -4.25 -4.25 -4.25 3.25 -4.25");
  CHECK(shown(floating, "mask") == "true false false false false false");
}

TEST_CASE(
    "pytorch.fake_quantize_per_channel_affine: an integer zero point is added after rounding, a floating one before") {
  CHECK(shown(faked("[0.25,0.75,1.25]", "[0.5]", "[1]"), "y") == "0 1 1");
  CHECK(shown(faked("[0.25,0.75,1.25]", "[0.5]", "[1]", kFloating), "y") == "0.5 0.5 1.5");
}

TEST_CASE("pytorch.fake_quantize_per_channel_affine: product and sum are fused, or not") {
  // x * 10 + 0.3 is just below 1.5; the rounded product makes it 1.5.
  const auto with = [](const char* contraction) {
    return shown(faked("[0x1.eb851cp-4]", "[0x1.99999ap-4]", "[0x1.333334p-2]",
                       {{"zero_point_dtype", "float32"}, {"contraction", contraction}}),
                 "y");
  };
  CHECK(with("fma") == "0.07");
  CHECK(with("none") == "0.17");
}

TEST_CASE("pytorch.fake_quantize_per_channel_affine computes a binary64 x in binary64") {
  // Measured, torch 2.13.0.
  const Evaluation evaluation = faked("[0.1,0.37,1e-9]:float64", "[0x1.99999ap-4]", "[0x1.4cccccp+0]",
                                      {{"zero_point_dtype", "float32"}, {"quant_max", "127"}, {"quant_min", "-128"}});
  const Tensor& y = evaluation.outputs.find("y")->second;
  CHECK(y.real(0) == 0x1.1eb8537ae1480p-4);
  CHECK(y.real(1) == 0x1.7ae1485eb8520p-2);
  CHECK(y.real(2) == -0x1.eb851a147ae00p-6);
}

TEST_CASE("pytorch.fake_quantize_per_channel_affine: y has the type of x") {
  for (const char* type : {"float32", "float16", "bfloat16", "float64"}) {
    CAPTURE(type);
    const Evaluation evaluation = faked("[0.8,3.9]:" + std::string(type), "[0.5]", "[0]");
    CHECK(name(evaluation.outputs.find("y")->second.type()) == type);
    CHECK(shown(evaluation, "y") == "1 3.5");
    CHECK(shown(evaluation, "mask") == "true false");
  }
}
