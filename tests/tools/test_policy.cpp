#include "catch.hpp"
#include "interpreter/error.hpp"
#include "tools/harness/policy.hpp"

using namespace qassay;
using testing::contains;

namespace {

OutputComparison codes(const std::vector<std::int64_t>& expected, const std::vector<std::int64_t>& got) {
  const auto tensor = [](const std::vector<std::int64_t>& values) {
    Tensor result(Type::uint8, {static_cast<std::int64_t>(values.size())});
    for (std::size_t i = 0; i < values.size(); ++i) result.set_integer(i, values[i]);
    return result;
  };
  return compare("y", {tensor(expected), {}, {}}, tensor(got), {}, 3);
}

OutputComparison reals(const std::vector<double>& expected, const std::vector<double>& got) {
  const auto tensor = [](const std::vector<double>& values) {
    Tensor result(Type::float32, {static_cast<std::int64_t>(values.size())});
    for (std::size_t i = 0; i < values.size(); ++i) result.set_real(i, values[i]);
    return result;
  };
  return compare("y", {tensor(expected), {}, {}}, tensor(got), {}, 3);
}

bool accepts(const char* policy, const OutputComparison& output) {
  return !Policy::parse(policy).objection(output);
}

std::string refusal(const char* text) {
  try {
    Policy::parse(text);
    return "accepted";
  } catch (const RequestError& error) {
    return error.what();
  }
}

const OutputComparison kSame = codes({10, 20, 30, 40}, {10, 20, 30, 40});
const OutputComparison kOneOffByOne = codes({10, 20, 30, 40}, {10, 21, 30, 40});
const OutputComparison kTwoOffByOne = codes({10, 20, 30, 40}, {10, 21, 29, 40});
const OutputComparison kOneOffByTwo = codes({10, 20, 30, 40}, {10, 22, 30, 40});

}  // namespace

TEST_CASE("the exact policy accepts nothing but equality") {
  CHECK(accepts("exact", kSame));
  CHECK_FALSE(accepts("exact", kOneOffByOne));
  CHECK_FALSE(Policy().objection(kSame));
  CHECK(Policy().objection(kOneOffByOne) == "1 of 4 elements differ");
}

TEST_CASE("within N lsb looks at the worst element") {
  CHECK(accepts("within 1 lsb", kTwoOffByOne));
  CHECK_FALSE(accepts("within 1 lsb", kOneOffByTwo));
  CHECK(accepts("within 2 lsb", kOneOffByTwo));
  CHECK(accepts("  Within   2 LSB ", kOneOffByTwo));
  CHECK_FALSE(accepts("within 1.5 lsb", kOneOffByTwo));
}

TEST_CASE("at most P% off by one lsb looks at the share, equality included, and at the worst") {
  CHECK(accepts("at most 25% off by one lsb", kOneOffByOne));
  CHECK_FALSE(accepts("at most 24.999% off by one lsb", kOneOffByOne));
  CHECK(accepts("at most 50 % off by one lsb", kTwoOffByOne));
  CHECK_FALSE(accepts("at most 49% off by one lsb", kTwoOffByOne));
  CHECK_FALSE(accepts("at most 99% off by one lsb", kOneOffByTwo));
}

TEST_CASE("sqnr has a floor, equality included") {
  const OutputComparison twenty = codes({10}, {9});
  CHECK(accepts("sqnr >= 20 dB", twenty));
  CHECK_FALSE(accepts("sqnr >= 20.000001 dB", twenty));
  CHECK(accepts("sqnr >= 1000 dB", kSame));
  CHECK_FALSE(accepts("sqnr >= 1 dB", codes({0, 0}, {0, 1})));
}

TEST_CASE("clauses joined by and must all hold") {
  CHECK(accepts("within 1 lsb and sqnr >= 30 dB", kTwoOffByOne));
  CHECK_FALSE(accepts("within 1 lsb and sqnr >= 40 dB", kTwoOffByOne));
  CHECK_FALSE(accepts("within 1 lsb and sqnr >= 20 dB", kOneOffByTwo));
  CHECK_FALSE(accepts("exact and within 1 lsb", kOneOffByOne));
}

TEST_CASE("no allowance covers infinities and NaN") {
  const OutputComparison lost = reals({1, 2}, {1, INFINITY});
  CHECK_FALSE(accepts("sqnr >= 1 dB", lost));
  CHECK_FALSE(accepts("within 3 lsb", lost));
}

TEST_CASE("lsb policies do not accept what has no grid") {
  CHECK_THAT(*Policy::parse("within 1 lsb").objection(reals({1}, {1.5})), contains("no grid"));
  CHECK_THAT(*Policy::parse("at most 50% off by one lsb").objection(reals({1}, {1.5})), contains("no grid"));
}

TEST_CASE("policies that nothing could fail are refused") {
  CHECK_THAT(refusal("at most 100% off by one lsb"), contains("cannot be exceeded"));
  CHECK_THAT(refusal("at most 150% off by one lsb"), contains("cannot be exceeded"));
  CHECK_THAT(refusal("sqnr >= -inf dB"), contains("finite"));
  CHECK_THAT(refusal("sqnr >= 0 dB"), contains("nothing but zeros has 0 dB"));
  CHECK_THAT(refusal("sqnr >= -3.5 dB"), contains("nothing but zeros has 0 dB"));
  CHECK_NOTHROW(Policy::parse("within 254 lsb").require_meaning_for(Type::uint8));
  CHECK_THROWS_WITH(Policy::parse("within 255 lsb").require_meaning_for(Type::uint8),
                    contains("no two codes of uint8"));
  CHECK_THROWS_AS(Policy::parse("within 255 lsb").require_meaning_for(Type::int4), RequestError);
  CHECK_NOTHROW(Policy::parse("within 255 lsb").require_meaning_for(Type::int16));
  CHECK_NOTHROW(Policy::parse("within 255 lsb").require_meaning_for(Type::float32));
}

TEST_CASE("policies that mean exact, and other words, are refused") {
  CHECK_THAT(refusal("within 0 lsb"), contains("'exact'"));
  CHECK_THAT(refusal("within 0.5 lsb"), contains("'exact'"));
  CHECK_THAT(refusal("at most 0% off by one lsb"), contains("'exact'"));
  for (const char* text : {"", "close enough", "within lsb", "within 1 ulp", "sqnr > 3 dB", "exact and",
                           "within 1 lsb, exact", "within -1e3 lsb", "sqnr >= nan dB"}) {
    CAPTURE(text);
    CHECK_THAT(refusal(text), contains("is not understood"));
  }
}

TEST_CASE("a policy keeps its words") {
  CHECK(Policy().text() == "exact");
  CHECK(Policy::parse(" within 1 LSB  and sqnr >= 50 dB").text() == "within 1 LSB and sqnr >= 50 dB");
}
