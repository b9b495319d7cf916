#include "tools/summation.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "interpreter/numeric/exact_sum.hpp"
#include "interpreter/program.hpp"
#include "tools/generators.hpp"

namespace qassay {
namespace {

std::uint64_t bits_of(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

/// The smallest binary32 value not below a bound; the largest not above it.
float at_least(const Rational& bound) {
  const auto nearest = static_cast<float>(round_to(Type::float32, Exact(bound)));
  return Exact(nearest).value() < bound ? std::nextafter(nearest, INFINITY) : nearest;
}
float at_most(const Rational& bound) {
  const auto nearest = static_cast<float>(round_to(Type::float32, Exact(bound)));
  return Exact(nearest).value() > bound ? std::nextafter(nearest, -INFINITY) : nearest;
}

}  // namespace

SumFreedom freedom_of_sum(const std::vector<float>& terms) {
  if (terms.size() < 2) return {};
  ExactSum sum;
  ExactSum magnitudes;
  for (const float term : terms) {
    if (!std::isfinite(term)) return {};
    sum.add(dyadic(static_cast<double>(term)), {1, 0});
    magnitudes.add(dyadic(static_cast<double>(std::fabs(term))), {1, 0});
  }
  const Rational additions = static_cast<std::int64_t>(terms.size()) - 1;
  const Rational unit = Rational(1, 1 << 24);
  const Rational reach = additions * unit / (1 - additions * unit) * magnitudes.value();
  const Rational largest = Exact(std::numeric_limits<float>::max()).value();
  if (magnitudes.value() + reach >= largest) return {SumFreedom::Kind::open, {}};
  // A sum of nothing but zeros begins at +0 and stays there.
  if (magnitudes.is_zero()) return {};
  const Rational exact = sum.value();
  return {SumFreedom::Kind::between, {bits_of(at_least(exact - reach)), bits_of(at_most(exact + reach))}};
}

void allow_orders_of_addition(const Arguments& arguments, Expectation& expectation) {
  for (const Output& output : arguments.signature->outputs) {
    if (output.sum_of.empty()) continue;
    ExpectedOutput& sums = expectation.outputs.find(output.name)->second;
    const Tensor& terms = expectation.outputs.find(output.sum_of)->second.values;
    std::vector<std::vector<float>> slices(sums.values.size());
    for (std::size_t i = 0; i < terms.size(); ++i) {
      slices[place_in(sums.values.shape(), arguments, i)].push_back(static_cast<float>(terms.real(i)));
    }
    for (std::size_t slice = 0; slice < slices.size(); ++slice) {
      const SumFreedom freedom = freedom_of_sum(slices[slice]);
      switch (freedom.kind) {
        case SumFreedom::Kind::fixed: break;
        case SumFreedom::Kind::between: sums.freedoms[slice].between = freedom.between; break;
        case SumFreedom::Kind::open:
          sums.unspecified.resize(sums.values.size(), 0);
          sums.unspecified[slice] = 1;
          break;
      }
    }
  }
}

}  // namespace qassay
