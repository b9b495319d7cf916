#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

Evaluation translated(const char* scale, const char* zero_point, const char* axis, const char* quant_min,
                      const char* quant_max, const Texts& more = {}) {
  Texts set{{"scale", scale},         {"zero_point", zero_point}, {"axis", axis},
            {"quant_min", quant_min}, {"quant_max", quant_max},   {"rank", "2"}};
  for (const auto& [name, text] : more) set[name] = text;
  return formula("openvino.translate_fake_quantize_learnable_per_channel_affine")({}, settings(set));
}

}  // namespace

TEST_CASE("openvino.translate_fake_quantize_learnable_per_channel_affine: plain, rounded, limited and negative") {
  const Evaluation baseline = translated("[0.005,0.7]", "[0,0]", "1", "0", "255");
  CHECK(shown(baseline, "input_low") == "0 0");
  CHECK(shown(baseline, "input_high") == "1.275 178.5");
  CHECK(shown(baseline, "levels") == "256");
  const Evaluation rounding = translated("[0.5,0.25]", "[1.4,2.6]", "1", "0", "255");
  CHECK(shown(rounding, "output_low") == "-0.5 -0.75");
  CHECK(shown(rounding, "output_high") == "127 63");
  const Evaluation clamping = translated("[0.5,0.25]", "[-3,400]", "1", "0", "255");
  CHECK(shown(clamping, "input_low") == "0 -63.75");
  CHECK(shown(clamping, "input_high") == "127.5 0");
  const Evaluation negative = translated("[1.5,-0.7,-0.1]", "[1,0,-1]", "0", "-128", "127");
  CHECK(shown(negative, "input_low") == "-193.5 -88.9 -12.8");
  CHECK(shown(negative, "input_high") == "189 89.6 12.7");
}

TEST_CASE("openvino.translate_fake_quantize_learnable_per_channel_affine: ties of the zero point to even") {
  CHECK(shown(translated("[1,1,1]", "[0.5,1.5,2.5]", "0", "0", "7"), "input_low") == "0 -2 -2");
}

TEST_CASE("openvino.translate_fake_quantize_learnable_per_channel_affine: shapes, and a factor without effect") {
  const Evaluation bounds = translated("[1,1,1]", "[0,0,0]", "-2", "0", "7", {{"rank", "4"}, {"grad_factor", "5"}});
  CHECK(bounds.outputs.find("input_low")->second.shape() == Shape{1, 1, 3, 1});
  CHECK(bounds.outputs.find("levels")->second.shape().empty());
  CHECK(shown(bounds, "input_high") == "7 7 7");
}

TEST_CASE("openvino.translate_fake_quantize_learnable_per_channel_affine refuses an axis outside the rank") {
  CHECK(unless_refused([] { translated("[1]", "[0]", "2", "0", "7"); }, ErrorKind::axis_out_of_range,
                       {"axis: 2", "rank 2"}) == "");
  CHECK(unless_refused([] { translated("[1]", "[0]", "0", "-2147483648", "2147483647"); }, ErrorKind::out_of_domain,
                       {"quant_max - quant_min + 1", "4294967296"}) == "");
}
