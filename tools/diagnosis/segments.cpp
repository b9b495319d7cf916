#include "tools/diagnosis/segments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tools/generators.hpp"

namespace qassay {
namespace {

/// The ends of binades, or powers of two, with both neighbours: between two of them the function is taken to be
/// monotone.
std::vector<std::int64_t> partition(Type type) {
  const std::int64_t lowest = lowest_order(type);
  const std::int64_t highest = highest_order(type);
  std::vector<std::int64_t> orders{lowest, highest};
  const auto add = [&](std::int64_t order) {
    for (const std::int64_t near : {order - 1, order}) {
      if (lowest <= near && near <= highest) orders.push_back(near);
    }
  };
  if (is_floating(type)) {
    const int fraction_bits = row(type).precision - 1;
    for (std::int64_t binade = 0; (binade << fraction_bits) <= highest; ++binade) {
      add(binade << fraction_bits);
      add(-(binade << fraction_bits));
    }
  } else {
    add(0);
    for (int bit = 0; bit < row(type).bits; ++bit) {
      add(std::int64_t{1} << bit);
      add(-(std::int64_t{1} << bit));
    }
  }
  std::ranges::sort(orders);
  orders.erase(std::unique(orders.begin(), orders.end()), orders.end());
  return orders;
}

/// Two inputs with different outputs.
struct Gap {
  std::int64_t low;
  std::int64_t high;
  std::int64_t low_output;
  std::int64_t high_output;
};

}  // namespace

std::vector<Segment> segments_of(const ScalarFunction& function, std::size_t most) {
  const std::vector<std::int64_t> starts = partition(function.input_type());
  std::vector<std::int64_t> outputs;
  function.evaluate(starts, outputs);
  std::vector<Gap> gaps;
  for (std::size_t i = 1; i < starts.size(); ++i) {
    if (outputs[i - 1] != outputs[i]) gaps.push_back({starts[i - 1], starts[i], outputs[i - 1], outputs[i]});
  }

  // Every round halves all gaps; those between neighbours are steps.
  std::vector<Segment> segments{{starts.front(), outputs.front()}};
  std::vector<std::int64_t> middles;
  std::vector<Gap> halves;
  while (!gaps.empty()) {
    middles.clear();
    halves.clear();
    for (const Gap& gap : gaps) {
      if (gap.high - gap.low == 1) segments.push_back({gap.high, gap.high_output});
      else middles.push_back(gap.low + (gap.high - gap.low) / 2);
    }
    if (segments.size() + middles.size() > most) {
      throw RequestError(
          ErrorKind::out_of_domain,
          fmt::format("{}: has more than {} steps with these parameters; use --sweep", function.formula().id(), most));
    }
    function.evaluate(middles, outputs);
    std::size_t next = 0;
    for (const Gap& gap : gaps) {
      if (gap.high - gap.low == 1) continue;
      const std::int64_t middle = middles[next];
      const std::int64_t output = outputs[next++];
      if (output != gap.low_output) halves.push_back({gap.low, middle, gap.low_output, output});
      if (output != gap.high_output) halves.push_back({middle, gap.high, output, gap.high_output});
    }
    std::swap(gaps, halves);
  }
  std::ranges::sort(segments, {}, &Segment::first);
  return segments;
}

}  // namespace qassay
