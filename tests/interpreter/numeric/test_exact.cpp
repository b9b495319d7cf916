#include "interpreter/numeric/exact.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "interpreter/awkward.hpp"
#include "interpreter/tally.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const Exact kPlus = Exact::of_kind(Exact::Kind::positive_infinity);
const Exact kMinus = Exact::of_kind(Exact::Kind::negative_infinity);
const Exact kNan = Exact::of_kind(Exact::Kind::nan);

Exact ratio(int numerator, int denominator) {
  return Rational(numerator, denominator);
}

}  // namespace

TEST_CASE("exact values of doubles") {
  CHECK(Exact(0.375) == ratio(3, 8));
  CHECK(Exact(-0.0) == Exact(0));
  CHECK(Exact(kInfinity) == kPlus);
  CHECK(Exact(-kInfinity) == kMinus);
  CHECK(is_nan(Exact(std::nan(""))));
  CHECK(Exact(0.1F) == Exact(Rational(13421773, 134217728)));
  CHECK(Exact(0x1p-1074).value() * (Rational(BigInteger(1) << 1074)) == 1);
  CHECK(Exact(std::int64_t{INT64_MIN}).value() == -(Rational(BigInteger(1) << 63)));
}

TEST_CASE("exact arithmetic with zeros, infinities and NaN") {
  CHECK(divide(Exact(1), Exact(3)) == ratio(1, 3));
  CHECK(divide(Exact(1), Exact(0)) == kPlus);
  CHECK(divide(Exact(-1), Exact(0)) == kMinus);
  CHECK(is_nan(divide(Exact(0), Exact(0))));
  CHECK(divide(Exact(1), kMinus) == Exact(0));
  CHECK(divide(kPlus, Exact(-2)) == kMinus);
  CHECK(divide(kMinus, Exact(0)) == kMinus);
  CHECK(is_nan(divide(kPlus, kPlus)));
  CHECK(multiply(kMinus, Exact(-2)) == kPlus);
  CHECK(multiply(kMinus, kPlus) == kMinus);
  CHECK(is_nan(multiply(kPlus, Exact(0))));
  CHECK(add(kPlus, Exact(1)) == kPlus);
  CHECK(add(Exact(1), kMinus) == kMinus);
  CHECK(add(kPlus, kPlus) == kPlus);
  CHECK(is_nan(add(kPlus, kMinus)));
  CHECK(is_nan(subtract(kPlus, kPlus)));
  CHECK(subtract(Exact(1), kPlus) == kMinus);
  CHECK(subtract(ratio(1, 2), ratio(1, 3)) == ratio(1, 6));
  CHECK(fused_multiply_add(ratio(1, 3), Exact(3), Exact(-1)) == Exact(0));
  CHECK(is_nan(fused_multiply_add(kPlus, Exact(1), kMinus)));
  CHECK(reciprocal(Exact(-4)) == ratio(-1, 4));
  for (const auto operation : {+[](const Exact&a, const Exact&b) { return divide(a, b); },
                               +[](const Exact&a, const Exact&b) { return multiply(a, b); },
                               +[](const Exact&a, const Exact&b) { return add(a, b); }}) {
    for (const Exact& other : {Exact(0), Exact(1), kPlus, kNan}) {
      CHECK(is_nan(operation(kNan, other)));
      CHECK(is_nan(operation(other, kNan)));
    }
  }
}

TEST_CASE("exact order and bounds") {
  CHECK(is_less(kNan, kMinus));
  CHECK(is_less(kMinus, Exact(-1)));
  CHECK(is_less(ratio(1, 3), ratio(1, 2)));
  CHECK(is_less(Exact(1), kPlus));
  CHECK_FALSE(is_less(kPlus, kPlus));
  CHECK_FALSE(is_less(Exact(1), Exact(1)));
  CHECK(Exact(0).sign() == 0);
  CHECK(ratio(-1, 3).sign() == -1);
  CHECK(kMinus.sign() == -1);
  CHECK(kNan.sign() == 0);
  CHECK(is_finite_and_positive(ratio(1, 9)));
  for (const Exact& bad : {Exact(0), Exact(-1), kPlus, kNan}) CHECK_FALSE(is_finite_and_positive(bad));
  CHECK(is_between(Exact(1), Exact(1), Exact(1)));
  CHECK_FALSE(is_between(kNan, kMinus, kPlus));
  CHECK_FALSE(is_equal(kNan, kNan));

  CHECK(saturate(ratio(511, 2), {0, 255}) == Exact(255));
  CHECK(saturate(kMinus, {-8, 7}) == Exact(-8));
  CHECK(saturate(kPlus, {-8, 7}) == Exact(7));
  CHECK(saturate(kNan, {-8, 7}) == Exact(-8));
  CHECK(truncate_to_int32(kNan) == Exact(INT32_MIN));
  CHECK(truncate_to_int64(kNan) == Exact(std::int64_t{INT64_MIN}));
}

TEST_CASE("exact bounds treat NaN as the compiled ones do, on either side") {
  const double values[] = {-kInfinity, -1.5, 0, 1.5, kInfinity, std::nan("")};
  for (const double a : values) {
    for (const double bound : values) {
      CAPTURE(a, bound);
      const auto agree = [](const Exact& exact, double native) { return exact == Exact(native); };
      CHECK(agree(at_least_or_bound_if_nan(Exact(a), Exact(bound)), at_least_or_bound_if_nan(a, bound)));
      CHECK(agree(at_most_or_bound_if_nan(Exact(a), Exact(bound)), at_most_or_bound_if_nan(a, bound)));
      CHECK(agree(at_least_keeping_nan(Exact(a), Exact(bound)), at_least_keeping_nan(a, bound)));
      CHECK(agree(at_most_keeping_nan(Exact(a), Exact(bound)), at_most_keeping_nan(a, bound)));
    }
  }
}

TEST_CASE("the nearest integer: ties to even on both sides of zero") {
  struct Row {
    int numerator;
    int denominator;
    int nearest;
    int floor;
  };
  const Row rows[] = {{1, 2, 0, 0},      {3, 2, 2, 1},        {5, 2, 2, 2},    {7, 2, 4, 3},   {-1, 2, 0, -1},
                      {-3, 2, -2, -2},   {-5, 2, -2, -3},     {-7, 2, -4, -4}, {4, 2, 2, 2},   {-4, 2, -2, -2},
                      {0, 1, 0, 0},      {1, 3, 0, 0},        {2, 3, 1, 0},    {-1, 3, 0, -1}, {-2, 3, -1, -1},
                      {499, 1000, 0, 0}, {-501, 1000, -1, -1}};
  for (const Row& row : rows) {
    CAPTURE(row.numerator, row.denominator);
    const Rational value(row.numerator, row.denominator);
    CHECK(nearest_integer(value) == row.nearest);
    CHECK(floor_integer(value) == row.floor);
    CHECK(round_half_even(Exact(value)) == Exact(row.nearest));
  }
  const BigInteger big = BigInteger(1) << 100;
  CHECK(nearest_integer(Rational(BigInteger(2 * big + 1), BigInteger(2))) == big);
  CHECK(nearest_integer(Rational(BigInteger(2 * big + 3), BigInteger(2))) == big + 2);
  CHECK(nearest_integer(Rational(BigInteger(-2 * big - 1), BigInteger(2))) == -big);
  CHECK(round_half_even(kPlus) == kPlus);
  CHECK(is_nan(round_half_even(kNan)));
}

TEST_CASE("rounding to binary32 agrees with the processor's conversion") {
  Dice dice(5);
  Tally tally;
  const auto expect = [&](double value) {
    const auto native = static_cast<double>(static_cast<float>(value));
    const double got = round_to(Type::float32, Exact(value));
    tally.expect(got == native || (got != got && native != native),
                 [&] { return fmt::format("{:a}: {:a}, expected {:a}", value, got, native); });
  };
  for (int i = 0; i < 20000; ++i) {
    expect(awkward_real(Type::float64, dice));
    // A tie between two binary32 values, and just off it.
    const double single = awkward_real(Type::float32, dice);
    const double next = static_cast<double>(std::nextafter(static_cast<float>(single), 0.0F));
    expect(single / 2 + next / 2);
    expect(std::nextafter(single / 2 + next / 2, 0.0));
  }
  for (const double edge : {0x1.ffffffp127, 0x1.fffffefffffffp127, 0x1p128, 0x1p-149, 0x1p-150, 0x1.0000000000001p-150,
                            0x1.8p-149, 0x1.fffffffffffffp-151}) {
    expect(edge);
    expect(-edge);
  }
  CHECK(tally.faults() == "");
}

TEST_CASE("rounding to binary64 agrees with the processor's arithmetic") {
  Dice dice(6);
  Tally tally;
  for (int i = 0; i < 6000; ++i) {
    const double a = awkward_real(Type::float64, dice);
    const double b = awkward_real(Type::float64, dice);
    const double c = awkward_real(Type::float64, dice);
    const auto expect = [&](const char* what, const Exact& exact, double native) {
      if (!exact.is_finite()) return;
      const double got = round_to(Type::float64, exact);
      tally.expect(got == native, [&] { return fmt::format("{} {:a} {:a} {:a}: {:a}", what, a, b, c, got); });
    };
    expect("add", add(Exact(a), Exact(b)), a + b);
    expect("multiply", multiply(Exact(a), Exact(b)), a * b);
    if (b != 0) expect("divide", divide(Exact(a), Exact(b)), a / b);
    expect("fma", fused_multiply_add(Exact(a), Exact(b), Exact(c)), std::fma(a, b, c));
  }
  CHECK(tally.faults() == "");
}

TEST_CASE("an exact value as text") {
  CHECK(to_text(ratio(3, 8)) == "3/8");
  CHECK(to_text(Exact(-5)) == "-5");
  CHECK(to_text(Exact(0)) == "0");
  CHECK(to_text(kPlus) == "inf");
  CHECK(to_text(kMinus) == "-inf");
  CHECK(to_text(kNan) == "nan");
  CHECK(to_text(Exact(0.1F)) == "13421773/134217728");
  CHECK(to_text(Exact(0.1)) == "~0.10000000000000000555");
  CHECK(to_text(Exact(-0.1)) == "~-0.10000000000000000555");
  CHECK(to_text(Exact(0x1p-100)) == "~7.8886090522101180541e-31");
  CHECK(to_text(Exact(0x1p100)) == "~1.2676506002282294014e30");
  CHECK(to_text(divide(Exact(12345678901234.0), Exact(1e-5))) == "~1.2345678901233998990e18");
  CHECK(to_text(multiply(Exact(0x1.8000000000001p+10), ratio(1, 7))) == "~219.42857142857146105");
  CHECK(to_text(Exact(Rational(BigInteger("99999999999999999999999999"), BigInteger(10)))).starts_with("~9.99"));
}
