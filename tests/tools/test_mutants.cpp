#include "tests/mutants/mutants.hpp"

#include <algorithm>
#include <random>

#include "catch.hpp"
#include "interpreter/registry.hpp"
#include "tools/harness/compare.hpp"

using namespace qassay;

namespace {

/// Ties, neighbours of thresholds, both ends, subnormals, and a length that no vector divides, over three channels.
Inputs revealing_inputs() {
  Tensor x(Type::float32, {3, 67});
  std::mt19937 random(1);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double quarter_steps = static_cast<double>(random() % 4000) - 2000;
    x.set_real(i, i % 5 == 0 ? 1.55 + quarter_steps * 0.1 : quarter_steps * 0.125);
  }
  x.set_bits(0, 0x00000003);
  x.set_bits(1, 0x3fc66666);  // 1.55: 15.499999 scales of 0.1, and 15.5 times its reciprocal
  return {{"x", std::move(x)}};
}

std::vector<Settings> revealing_settings() {
  return {
      {{"y_scale", Written::parse("0.1")}, {"y_zero_point", Written::parse("3")}},
      {{"y_scale", Written::parse("0.5")}, {"y_zero_point", Written::parse("-3:int8")}},
      {{"y_scale", Written::parse("0x1p-149")}, {"y_zero_point", Written::parse("0")}},
      {{"y_scale", Written::parse("[0.25,0.5,1]")},
       {"y_zero_point", Written::parse("[0,9,100]:uint8")},
       {"axis", Written::parse("0")}},
  };
}

}  // namespace

TEST_CASE("the rule without a mistake is ONNX's") {
  const Formula& right = formula("onnx.QuantizeLinear");
  const Inputs inputs = revealing_inputs();
  for (const Settings& settings : revealing_settings()) {
    const Tensor codes = quantize(right.arguments(inputs, settings), inputs.at("x"), QuantizeRule{});
    CHECK(is_same(codes, right(inputs, settings).outputs.at("y")));
  }
}

TEST_CASE("every mutant is wrong somewhere, and refuses what the formula refuses") {
  const Formula& right = formula("onnx.QuantizeLinear");
  const Inputs inputs = revealing_inputs();
  for (const mutants::Mutant& mutant : mutants::all()) {
    CAPTURE(mutant.name);
    REQUIRE(mutant.applies_to(*right.signature));
    const std::vector<Settings> all_settings = revealing_settings();
    CHECK(std::ranges::any_of(all_settings, [&](const Settings& settings) {
      return !is_same(mutant.evaluate(right, inputs, settings).at("y"), right(inputs, settings).outputs.at("y"));
    }));
    CHECK_THROWS_AS(mutant.evaluate(right, inputs, {{"y_scale", Written::parse("[1,2]")}}), RequestError);
    CHECK(mutants::find(mutant.name) == &mutant);
  }
  CHECK(mutants::find("no such mutant") == nullptr);
}

TEST_CASE("mistakes of quantization are made where formulas quantize") {
  const mutants::Mutant& truncate = *mutants::find("truncate");
  CHECK(truncate.applies_to(*formula("pytorch.quantize_per_tensor").signature));
  CHECK_FALSE(truncate.applies_to(*formula("onnx.DequantizeLinear").signature));
  CHECK_FALSE(mutants::find("wrong_axis")->applies_to(*formula("pytorch.quantize_per_tensor").signature));
}
