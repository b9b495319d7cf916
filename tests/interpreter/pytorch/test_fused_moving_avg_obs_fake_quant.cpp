#include "catch.hpp"
#include "interpreter/request.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

constexpr std::string_view kId = "pytorch.fused_moving_avg_obs_fake_quant";

Evaluation run(const Tensor& x, const Texts& more = {}) {
  Texts set{{"quant_min", "-8"}, {"quant_max", "7"}};
  for (const auto& [name, text] : more) set[name] = text;
  return formula(kId)({{"x", x}}, settings(set));
}

std::string state(const Evaluation& evaluation) {
  return shown(evaluation, "running_min") + ", " + shown(evaluation, "running_max") + ", " +
         shown(evaluation, "scale") + ", " + shown(evaluation, "zero_point");
}

}  // namespace

TEST_CASE("pytorch.fused_moving_avg_obs_fake_quant: the first batch, then an average") {
  const Evaluation first = run(tensor("[-8,7,2.25]"));
  CHECK(state(first) == "-8, 7, 1, 0");
  CHECK(shown(first, "y") == "-8 7 2");
  CHECK(shown(first, "mask") == "true true true");
  const Texts before{{"running_min", "-8"}, {"running_max", "7"}, {"averaging_const", "0.5"}};
  const Evaluation second = run(tensor("[-8,23,0.9]"), before);
  CHECK(state(second) == "-8, 15, 1.5333333, -3");
  CHECK(shown(second, "mask") == "true false true");
}

TEST_CASE("pytorch.fused_moving_avg_obs_fake_quant: each end that is infinite begins anew") {
  CHECK(state(run(tensor("[-1,3]"), {{"running_min", "-5"}, {"fake_quant_on", "false"}})) == "-4.96, 3, 1, 0");
  CHECK(state(run(tensor("[-1,3]"), {{"running_min", "-inf"}, {"running_max", "3"}, {"fake_quant_on", "false"}})) ==
        "-1, 3, 1, 0");
}

TEST_CASE("pytorch.fused_moving_avg_obs_fake_quant computes scale and zero point with the observer off too") {
  const Texts off{
      {"observer_on", "false"}, {"running_min", "-8"}, {"running_max", "7"}, {"scale", "5"}, {"zero_point", "3"}};
  CHECK(state(run(tensor("[100]"), off)) == "-8, 7, 1, 0");
  CHECK(shown(run(tensor("[100]"), off), "y") == "7");
  CHECK(state(run(tensor("[100]"), {{"observer_on", "false"}})) == "inf, -inf, 0.1, 7");
}

TEST_CASE("pytorch.fused_moving_avg_obs_fake_quant: with both off nothing happens, and nothing to an empty x") {
  const Texts off{{"observer_on", "false"}, {"fake_quant_on", "false"}, {"scale", "5"}, {"zero_point", "3"}};
  CHECK(state(run(tensor("[100]"), off)) == "inf, -inf, 5, 3");
  CHECK(shown(run(tensor("[100]"), off), "y") == "100");
  CHECK(state(run(tensor("[]"), {{"scale", "5"}, {"zero_point", "3"}})) == "inf, -inf, 5, 3");
}

TEST_CASE("pytorch.fused_moving_avg_obs_fake_quant by row") {
  const Texts by_row{{"per_row_fake_quant", "true"}, {"ch_axis", "0"}, {"symmetric_quant", "true"}};
  const Evaluation evaluation = run(tensor("[-8,1,-1,7,15,0]", Shape{3, 2}), by_row);
  // The last row has nothing below 0 and an affine grid.
  CHECK(state(evaluation) == "-8 -1 0, 1 7 15, 1 1 1, 0 0 -8");
  const auto refused = [&](const Tensor& x, const Texts& more, ErrorKind kind) {
    Texts set = by_row;
    for (const auto& [name, text] : more) set[name] = text;
    return unless_refused([&] { run(x, set); }, kind, {});
  };
  CHECK(refused(tensor("[1,2]"), {}, ErrorKind::axis_out_of_range).empty());
  CHECK(refused(tensor("[1,2]", Shape{1, 2}), {{"ch_axis", "1"}}, ErrorKind::axis_out_of_range).empty());
  CHECK(refused(tensor("[1,nan]", Shape{1, 2}), {}, ErrorKind::zero_point_out_of_range).empty());
}

TEST_CASE("pytorch.fused_moving_avg_obs_fake_quant: symmetric is not what the observers have") {
  // Measured, torch 2.13.0: 0.3 here, 0.28 there.
  CHECK(shown(run(tensor("[-0.9,2.1]"), {{"symmetric_quant", "true"}}), "scale") == "0.29999998");
}

TEST_CASE("pytorch.fused_moving_avg_obs_fake_quant: NaN ruins a tensor") {
  const Evaluation evaluation = run(tensor("[1,nan]"));
  CHECK(state(evaluation) == "nan, nan, nan, -2147483648");
  CHECK(shown(evaluation, "y") == "nan nan");
}
