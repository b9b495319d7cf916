#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

Evaluation translated(const char* scale, const char* zero_point, const Texts& more = {}) {
  Texts set{{"scale", scale},      {"zero_point", zero_point}, {"axis", "0"},
            {"quant_min", "-128"}, {"quant_max", "127"},       {"rank", "1"}};
  for (const auto& [name, text] : more) set[name] = text;
  return formula("openvino.translate_fake_quantize_per_channel_affine")({}, settings(set));
}

}  // namespace

TEST_CASE("openvino.translate_fake_quantize_per_channel_affine: bounds from scale and zero point") {
  const Evaluation bounds = translated("[1,0.5,-0.25]", "[0,-128,127]");
  CHECK(shown(bounds, "input_low") == "-128 0 -0");
  CHECK(shown(bounds, "input_high") == "127 127.5 63.75");
  CHECK(shown(bounds, "output_low") == shown(bounds, "input_low"));
  CHECK(shown(bounds, "output_high") == shown(bounds, "input_high"));
  CHECK(shown(bounds, "levels") == "256");
}

TEST_CASE("openvino.translate_fake_quantize_per_channel_affine: one channel's axis in a larger rank") {
  CHECK(translated("[1,2]", "[0,0]", {{"rank", "3"}, {"axis", "1"}}).outputs.find("input_low")->second.shape() ==
        Shape{1, 2, 1});
  CHECK(unless_refused(
            [] {
              translated("[1]", "[0]", {{"axis", "1"}});
            },
            ErrorKind::axis_out_of_range, {"axis: 1", "rank 1"}) == "");
}
