#include "tools/summation.hpp"

#include <bit>
#include <random>

#include "catch.hpp"

using namespace qassay;

namespace {

float as_float(std::uint64_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

/// Many sums of the same terms, each in an order and bracketing of its own.
std::vector<float> sums_in_many_orders(std::vector<float> terms, std::mt19937& dice) {
  std::vector<float> sums;
  for (int order = 0; order < 200; ++order) {
    std::vector<float> rest = terms;
    while (rest.size() > 1) {
      const std::size_t a = dice() % rest.size();
      const float taken = rest[a];
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(a));
      rest[dice() % rest.size()] += taken;
    }
    sums.push_back(rest.front());
  }
  return sums;
}

}  // namespace

TEST_CASE("no order of additions leaves the interval, and it is not much wider than they are") {
  std::mt19937 dice(1);
  std::uniform_real_distribution<float> number(-1, 1);
  for (const std::size_t count : {2U, 3U, 17U, 100U}) {
    CAPTURE(count);
    std::vector<float> terms;
    for (std::size_t i = 0; i < count; ++i) terms.push_back(std::ldexp(number(dice), static_cast<int>(dice() % 20)));
    const SumFreedom freedom = freedom_of_sum(terms);
    REQUIRE(freedom.kind == SumFreedom::Kind::between);
    const float low = as_float(freedom.between.first);
    const float high = as_float(freedom.between.second);
    float magnitude = 0;
    for (const float term : terms) magnitude += std::fabs(term);
    CHECK(high - low < 2.1F * static_cast<float>(count) * 0x1p-24F * magnitude);
    for (const float sum : sums_in_many_orders(terms, dice)) {
      CHECK(low <= sum);
      CHECK(sum <= high);
    }
  }
}

TEST_CASE("two terms have one sum, and the interval is what one rounding may reach") {
  const SumFreedom freedom = freedom_of_sum({1.0F, 0x1p-30F});
  REQUIRE(freedom.kind == SumFreedom::Kind::between);
  CHECK(as_float(freedom.between.first) <= 1.0F);
  CHECK(as_float(freedom.between.second) >= 1.0F);
  CHECK(as_float(freedom.between.second) <= std::nextafter(1.0F, 2.0F));
  CHECK(as_float(freedom.between.first) >= std::nextafter(1.0F, 0.0F));
}

TEST_CASE("sums without freedom") {
  CHECK(freedom_of_sum({}).kind == SumFreedom::Kind::fixed);
  CHECK(freedom_of_sum({3.0F}).kind == SumFreedom::Kind::fixed);
  CHECK(freedom_of_sum({0.0F, -0.0F}).kind == SumFreedom::Kind::fixed);
  CHECK(freedom_of_sum({1.0F, INFINITY}).kind == SumFreedom::Kind::fixed);
  CHECK(freedom_of_sum({1.0F, NAN, 2.0F}).kind == SumFreedom::Kind::fixed);
}

TEST_CASE("a sum that may overflow on the way is not judged") {
  CHECK(freedom_of_sum({3e38F, 3e38F, -3e38F}).kind == SumFreedom::Kind::open);
}
