#include <cmath>
#include <limits>

#include "catch.hpp"
#include "interpreter/registry.hpp"
#include "tools/harness/compare.hpp"

using namespace qassay;

namespace {

Tensor reals(Type type, const std::vector<double>& values) {
  Tensor tensor(type, {static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i) tensor.set_real(i, values[i]);
  return tensor;
}

Tensor codes(Type type, const std::vector<std::int64_t>& values) {
  Tensor tensor(type, {static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i) tensor.set_integer(i, values[i]);
  return tensor;
}

OutputComparison compare_codes(const std::vector<std::int64_t>& expected, const std::vector<std::int64_t>& got,
                               const Grid& grid = {}, Type type = Type::int8) {
  return compare("y", {codes(type, expected), {}, {}}, codes(type, got), grid, 10);
}

OutputComparison compare_reals(const std::vector<double>& expected, const std::vector<double>& got,
                               const Grid& grid = {}, Type type = Type::float32) {
  return compare("y", {reals(type, expected), {}, {}}, reals(type, got), grid, 10);
}

Grid steps_of(double scale) {
  return {[scale](std::size_t) { return scale; }, {}};
}

/// Equal but for the rounding of the expectation written here.
bool is_near(double a, double b) {
  return std::abs(a - b) <= 1e-14 * std::abs(b);
}

const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("codes are compared as integers") {
  const OutputComparison result = compare_codes({0, 10, -128, 127, 5}, {0, 11, 127, 125, 5});
  CHECK(result.elements == 5);
  CHECK(result.mismatches == 3);
  CHECK(result.nonfinite_mismatches == 0);
  REQUIRE(result.lsb);
  CHECK(result.lsb->histogram == std::map<std::int64_t, std::uint64_t>{{-2, 1}, {0, 2}, {1, 1}, {255, 1}});
  CHECK(result.lsb->max == 255);
  CHECK(result.lsb->mean == (2 + 1 + 255) / 5.0);
  CHECK(result.lsb->bias == (-2 + 1 + 255) / 5.0);
  CHECK_FALSE(result.max_ulp);
}

TEST_CASE("codes of every width keep their sign and their size") {
  CHECK(compare_codes({-2}, {1}, {}, Type::int2).lsb->max == 3);
  CHECK(compare_codes({0}, {15}, {}, Type::uint4).lsb->bias == 15);
  CHECK(compare_codes({65535}, {0}, {}, Type::uint16).lsb->bias == -65535);
  CHECK(compare_codes({INT32_MIN}, {INT32_MAX}, {}, Type::int32).lsb->bias == 4294967295.0);
  CHECK(compare_codes({INT64_MIN}, {0}, {}, Type::int64).lsb->bias == 0x1p63);
}

TEST_CASE("the first elements and the worst one are shown") {
  std::vector<std::int64_t> expected(20, 0);
  std::vector<std::int64_t> got(20, 1);
  got[17] = -90;
  const auto result = compare("y", {codes(Type::int8, expected), {}, {}}, codes(Type::int8, got), {}, 3);
  REQUIRE(result.shown.size() == 3);
  CHECK(result.shown[0].element == 0);
  CHECK(result.shown[1].element == 1);
  CHECK(result.shown[2].element == 17);
  CHECK(result.shown[2].lsb == -90);
  CHECK(compare("y", {codes(Type::int8, expected), {}, {}}, codes(Type::int8, got), {}, 0).shown.empty());
}

TEST_CASE("NaN equals NaN, whatever its payload; other infinities and NaN are counted apart") {
  Tensor expected = reals(Type::float32, {kNan, kNan, kInfinity, kInfinity, 1, 2});
  Tensor got = reals(Type::float32, {kNan, 1, kInfinity, -kInfinity, kNan, 2});
  got.set_bits(0, 0xffc01234);
  const OutputComparison result = compare("y", {expected, {}, {}}, got, steps_of(1), 10);
  CHECK(result.mismatches == 3);
  CHECK(result.nonfinite_mismatches == 3);
  CHECK(result.max_ulp == 0);
  CHECK(result.sqnr.kind == Sqnr::Kind::exact);  // over the finite elements
  CHECK_FALSE(result.shown.at(0).lsb);
  CHECK_FALSE(result.shown.at(0).ulp);
}

TEST_CASE("zeros of different signs differ by 0 ulp") {
  const OutputComparison result = compare_reals({0.0, 1}, {-0.0, 1});
  CHECK(result.mismatches == 1);
  CHECK(result.max_ulp == 0);
  CHECK(result.shown.at(0).ulp == 0);
  CHECK(result.sqnr.kind == Sqnr::Kind::exact);
}

TEST_CASE("ulp counts representable values across binades and signs") {
  const auto bits = [](float value) { return encode(Type::float32, static_cast<double>(value)); };
  constexpr float kSmallest = std::numeric_limits<float>::denorm_min();
  CHECK(ulp_distance(Type::float32, bits(1), bits(std::nextafter(1.0F, 2.0F))) == 1);
  CHECK(ulp_distance(Type::float32, bits(1), bits(std::nextafter(1.0F, 0.0F))) == 1);
  CHECK(ulp_distance(Type::float32, bits(kSmallest), bits(-kSmallest)) == 2);
  CHECK(ulp_distance(Type::float32, bits(0.0F), bits(-0.0F)) == 0);
  CHECK(ulp_distance(Type::float32, bits(std::numeric_limits<float>::max()), bits(INFINITY)) == 1);
  CHECK(ulp_distance(Type::float32, bits(1), bits(2)) == 1U << 23U);
  CHECK(ulp_distance(Type::bfloat16, 0x3f80, 0x3f82) == 2);
  CHECK(ulp_distance(Type::float16, 0x8001, 0x0001) == 2);
  CHECK(ulp_distance(Type::float64, 0xffefffffffffffff, 0x7fefffffffffffff) == 2 * 0x7fefffffffffffffU);
}

TEST_CASE("real outputs are counted in steps of their scale, their rounding aside") {
  const float step = 0.1F;
  const auto at = [&](int k) { return static_cast<double>(static_cast<float>(k) * step); };
  const OutputComparison off = compare_reals({at(3), at(7), at(41)}, {at(4), at(7), at(39)}, steps_of(step));
  REQUIRE(off.lsb);
  CHECK(off.lsb->max == 2);
  CHECK(off.lsb->histogram == std::map<std::int64_t, std::uint64_t>{{-2, 1}, {0, 1}, {1, 1}});
  CHECK(is_near(off.lsb->bias, -1 / 3.0));

  const double next = static_cast<double>(std::nextafter(static_cast<float>(at(3)), 1.0F));
  const OutputComparison rounding = compare_reals({at(3)}, {next}, steps_of(step));
  CHECK(rounding.mismatches == 1);
  CHECK(rounding.lsb->max == 0);
  CHECK(rounding.max_ulp == 1);

  CHECK(compare_reals({0}, {0.25}, steps_of(0.5)).lsb->max == 0.5);
  CHECK_FALSE(compare_reals({0}, {1}).lsb);
  CHECK(compare_reals({0}, {1}, steps_of(0)).lsb->unmeasured == 1);
  CHECK(compare_reals({0}, {1}, steps_of(kInfinity)).lsb->unmeasured == 1);
}

TEST_CASE("a formula's arguments give the grid of its output") {
  const Formula& dequantize = formula("onnx.DequantizeLinear");
  const Inputs x{{"x", codes(Type::uint8, {0, 1, 2, 3}).reshaped({2, 2})}};
  const Arguments arguments = dequantize.arguments(x, {{"x_scale", Written::parse("[0.5,0.25]")}});
  const Grid grid = grid_of(arguments, 0);
  REQUIRE(grid.scale);
  CHECK(grid.scale(2) == 0.5);
  CHECK(grid.scale(3) == 0.25);
  CHECK_FALSE(grid.zero_point);

  const Formula& quantize = formula("onnx.QuantizeLinear");
  const Inputs real{{"x", reals(Type::float32, {0, 1})}};
  const Arguments to_codes =
      quantize.arguments(real, {{"y_scale", Written::parse("1")}, {"y_zero_point", Written::parse("7")}});
  const Grid code_grid = grid_of(to_codes, 0);
  CHECK_FALSE(code_grid.scale);
  REQUIRE(code_grid.zero_point);
  CHECK(code_grid.zero_point(1) == 7);
}

TEST_CASE("sqnr: known values and edges") {
  using Kind = Sqnr::Kind;
  CHECK(compare_codes({3, 4}, {3, 4}).sqnr.kind == Kind::exact);
  CHECK(compare_codes({0, 0}, {0, 0}).sqnr.kind == Kind::exact);
  CHECK(compare_codes({0, 0}, {0, 1}).sqnr.kind == Kind::no_signal);
  CHECK(compare_codes({}, {}).sqnr.kind == Kind::nothing);
  CHECK(compare_codes({10, 0}, {9, 0}).sqnr == Sqnr{Kind::decibels, 20.0});
  CHECK(compare_codes({10}, {0}).sqnr == Sqnr{Kind::decibels, 0.0});
  CHECK(compare_codes({1}, {11}).sqnr == Sqnr{Kind::decibels, -20.0});
  // The zero point is what stands for 0.
  CHECK(compare_codes({17}, {16}, {{}, [](std::size_t) { return 7; }}).sqnr == Sqnr{Kind::decibels, 20.0});
  CHECK(compare_codes({7}, {8}, {{}, [](std::size_t) { return 7; }}).sqnr.kind == Kind::no_signal);
}

TEST_CASE("sqnr: sums are exact from subnormals to the largest numbers") {
  const double tiny = 0x1p-149;
  CHECK(compare_reals({10 * tiny}, {9 * tiny}).sqnr == Sqnr{Sqnr::Kind::decibels, 20.0});
  const double smallest = 0x1p-1074;
  CHECK(compare_reals({10 * smallest}, {9 * smallest}, {}, Type::float64).sqnr == Sqnr{Sqnr::Kind::decibels, 20.0});
  const double largest = std::numeric_limits<double>::max();
  CHECK(is_near(compare_reals({largest}, {-largest}, {}, Type::float64).sqnr.decibels, -20 * std::log10(2.0)));
  // 1e20 swallows 1 in binary64 sums; the error of 1 must still be seen.
  const OutputComparison mixed = compare_reals({0x1p100, 1}, {0x1p100, 2});
  CHECK(is_near(mixed.sqnr.decibels, 20 * std::log10(0x1p100)));
  // What cancels must cancel exactly: (a-b)^2 from a^2 + b^2 - 2ab.
  CHECK(is_near(compare_reals({16777216, 1}, {16777215, 1}).sqnr.decibels, 20 * std::log10(16777216.0)));
}

TEST_CASE("sqnr does not depend on the order of the elements") {
  std::vector<double> expected;
  std::vector<double> got;
  for (int i = 0; i < 500; ++i) {
    expected.push_back(std::ldexp(i % 7 - 3, i % 90 - 40));
    got.push_back(i % 3 == 0 ? expected.back() : std::ldexp(i % 5 - 2, i % 80 - 45));
  }
  const Sqnr forwards = compare_reals(expected, got).sqnr;
  std::vector<double> expected_reversed(expected.rbegin(), expected.rend());
  std::vector<double> got_reversed(got.rbegin(), got.rend());
  CHECK(forwards.kind == Sqnr::Kind::decibels);
  CHECK(compare_reals(expected_reversed, got_reversed).sqnr == forwards);
}

TEST_CASE("unspecified elements are counted and not judged") {
  const OutputComparison result =
      compare("y", {codes(Type::int8, {1, 2, 3}), {0, 1, 0}, {}}, codes(Type::int8, {1, 99, 4}), {}, 10);
  CHECK(result.unspecified == 1);
  CHECK(result.compared() == 2);
  CHECK(result.mismatches == 1);
  CHECK(result.lsb->histogram == std::map<std::int64_t, std::uint64_t>{{0, 1}, {1, 1}});
  CHECK(result.sqnr == Sqnr{Sqnr::Kind::decibels, 10.0});  // (1 + 9) / 1
}

TEST_CASE("either and between allow what they say") {
  const auto bits = [](std::int64_t code) { return codes(Type::int8, {code}).bits(0); };
  ExpectedOutput expected{codes(Type::int8, {1, 1, 1, 1, 1}), {}, {}};
  for (const std::size_t i : {0U, 1U}) expected.freedoms[i].either = {bits(-1), bits(1)};
  for (const std::size_t i : {2U, 3U, 4U}) expected.freedoms[i].between = {bits(-3), bits(1)};
  const OutputComparison result = compare("y", expected, codes(Type::int8, {-1, 0, -3, 1, 2}), {}, 10);
  REQUIRE(result.mismatches == 2);
  CHECK(result.shown[0].element == 1);
  CHECK(result.shown[1].element == 4);

  ExpectedOutput real{reals(Type::float32, {1, 1}), {}, {}};
  for (const std::size_t i : {0U, 1U}) real.freedoms[i].between = {encode(Type::float32, -1), encode(Type::float32, 1)};
  CHECK(compare("y", real, reals(Type::float32, {-0.5, 1.5}), {}, 10).mismatches == 1);
  CHECK(compare("y", real, reals(Type::float32, {kNan, 0}), {}, 10).nonfinite_mismatches == 1);
}

TEST_CASE("an allowed value is no error in the sqnr") {
  ExpectedOutput expected{codes(Type::int8, {10, 10}), {}, {}};
  const auto bits = [](std::int64_t code) { return codes(Type::int8, {code}).bits(0); };
  expected.freedoms[0].either = {bits(10), bits(20)};
  const OutputComparison result = compare("y", expected, codes(Type::int8, {20, 9}), {}, 10);
  CHECK(is_near(result.sqnr.decibels, 10 * std::log10(500.0)));
}
