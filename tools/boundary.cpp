// Where a formula steps: bisection over the ordered values of the input's type, all intervals at once.
#include <fmt/format.h>

#include <algorithm>

#include "tools/cases.hpp"
#include "tools/generators.hpp"

namespace qassay {
namespace {

constexpr std::uint64_t kSampleSeed = 0x71617373'61790001;

/// Two values between which the output changes.
struct Interval {
  std::int64_t low;
  std::int64_t high;
  std::uint64_t low_output;
  std::uint64_t high_output;
};

/// The formula as a function of its first input alone. Further inputs are 1.
class Steps {
 public:
  Steps(const Formula& formula, const Settings& settings, Type type)
      : formula_(formula), settings_(settings), type_(type) {
    if (lies_along_axis(*formula.signature))
      settings_.insert_or_assign(std::string(formula.signature->parameter(Role::axis)->name), Written::scalar("0"));
  }

  /// A number for the outputs at each value; equal outputs have equal numbers.
  std::vector<std::uint64_t> outputs(const std::vector<std::int64_t>& orders) const {
    const Shape shape = needs_row(*formula_.signature) ? Shape{1, static_cast<std::int64_t>(orders.size())}
                                                       : Shape{static_cast<std::int64_t>(orders.size())};
    Inputs inputs;
    for (const Input& input : formula_.signature->inputs) {
      const bool is_first = &input == &formula_.signature->inputs.front();
      const Type type = is_first ? type_ : input.types.front();
      Tensor tensor(type, shape);
      const std::uint64_t one = parse_number("1", type);
      for (std::size_t i = 0; i < orders.size(); ++i) tensor.set_bits(i, is_first ? bits_at(type_, orders[i]) : one);
      inputs.emplace(input.name, std::move(tensor));
    }
    const Evaluation evaluation = formula_(inputs, settings_);
    std::vector<std::uint64_t> result(orders.size());
    for (const auto& [name, tensor] : evaluation.outputs) {
      if (tensor.size() != orders.size()) {
        throw RequestError(
            ErrorKind::wrong_shape,
            fmt::format("{}: is not elementwise, so it has no boundaries; use other generators", formula_.id()));
      }
      for (std::size_t i = 0; i < orders.size(); ++i) {
        result[i] = result[i] == 0 ? tensor.bits(i) : RandomBits(result[i] ^ tensor.bits(i)).next();
      }
    }
    return result;
  }

 private:
  const Formula& formula_;
  Settings settings_;
  Type type_;
};

/// Where the search starts: eight values of every binade, the powers of two of a wide integer, all of a narrow one.
std::vector<std::int64_t> partition(Type type) {
  const std::int64_t lowest = lowest_order(type);
  const std::int64_t highest = highest_order(type);
  std::vector<std::int64_t> orders;
  if (row(type).bits <= 16) {
    for (std::int64_t order = lowest; order <= highest; ++order) orders.push_back(order);
    return orders;
  }
  orders = {lowest, highest};
  if (is_floating(type)) {
    const int eighths = row(type).precision - 1 - 3;
    for (std::int64_t i = 0; (i << eighths) <= highest; ++i) {
      orders.push_back(i << eighths);
      orders.push_back(-1 - (i << eighths));  // the negative of it
    }
  } else {
    orders.push_back(0);
    for (int bit = 0; bit < row(type).bits - 1; ++bit) {
      for (const std::int64_t order : {std::int64_t{1} << bit, -(std::int64_t{1} << bit)}) {
        if (lowest <= order && order <= highest) orders.push_back(order);
      }
    }
  }
  std::ranges::sort(orders);
  orders.erase(std::unique(orders.begin(), orders.end()), orders.end());
  return orders;
}

/// Keeps `most` intervals: a quarter from the two ends, a quarter around zero, the others drawn by lot.
void keep(std::vector<Interval>& intervals, std::size_t most, std::uint64_t round) {
  const std::size_t size = intervals.size();
  if (size <= most) return;
  std::vector<char> is_kept(size, 0);
  const std::size_t at_an_end = std::max<std::size_t>(1, most / 8);
  std::fill_n(is_kept.begin(), at_an_end, 1);
  std::fill_n(is_kept.rbegin(), at_an_end, 1);

  const auto zero = static_cast<std::size_t>(std::ranges::lower_bound(intervals, std::int64_t{0}, {}, &Interval::high) -
                                             intervals.begin());
  const std::size_t near_zero = most / 4;
  const std::size_t first = zero > near_zero / 2 ? zero - near_zero / 2 : 0;
  for (std::size_t i = first; i < std::min(size, first + near_zero); ++i) is_kept[i] = 1;

  std::vector<std::pair<std::uint64_t, std::size_t>> lots;
  for (std::size_t i = 0; i < size; ++i) {
    if (is_kept[i] == 0) {
      lots.emplace_back(RandomBits((kSampleSeed + round) ^ static_cast<std::uint64_t>(intervals[i].low)).next(), i);
    }
  }
  const auto kept = size - lots.size();
  std::ranges::sort(lots);
  for (std::size_t i = 0; i < lots.size() && kept + i < most; ++i) is_kept[lots[i].second] = 1;

  std::size_t to = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if (is_kept[i] != 0) intervals[to++] = intervals[i];
  }
  intervals.resize(to);
}

}  // namespace

Tensor boundary_inputs(const Formula& formula, const Settings& settings, Type input_type, std::size_t most,
                       int neighbours) {
  const Steps steps(formula, settings, input_type);
  const std::vector<std::int64_t> starts = partition(input_type);
  const std::vector<std::uint64_t> outputs = steps.outputs(starts);
  std::vector<Interval> intervals;
  for (std::size_t i = 1; i < starts.size(); ++i) {
    if (outputs[i - 1] != outputs[i]) intervals.push_back({starts[i - 1], starts[i], outputs[i - 1], outputs[i]});
  }

  // Halve everything that is wider than one step until nothing is.
  for (std::uint64_t round = 0;; ++round) {
    keep(intervals, most, round);
    std::vector<std::int64_t> middles;
    for (const Interval& interval : intervals) {
      if (interval.high - interval.low > 1) middles.push_back(interval.low + (interval.high - interval.low) / 2);
    }
    if (middles.empty()) break;
    const std::vector<std::uint64_t> at_middles = steps.outputs(middles);
    std::vector<Interval> halves;
    std::size_t next = 0;
    for (const Interval& interval : intervals) {
      if (interval.high - interval.low <= 1) {
        halves.push_back(interval);
        continue;
      }
      const std::int64_t middle = middles[next];
      const std::uint64_t output = at_middles[next++];
      if (output != interval.low_output) halves.push_back({interval.low, middle, interval.low_output, output});
      if (output != interval.high_output) halves.push_back({middle, interval.high, output, interval.high_output});
    }
    intervals = std::move(halves);
  }

  std::vector<std::int64_t> orders;
  for (const Interval& interval : intervals) {
    const std::int64_t first = std::max(interval.low - neighbours, lowest_order(input_type));
    const std::int64_t last = std::min(interval.high + neighbours, highest_order(input_type));
    for (std::int64_t order = first; order <= last; ++order) orders.push_back(order);
  }
  std::ranges::sort(orders);
  orders.erase(std::unique(orders.begin(), orders.end()), orders.end());
  Tensor result(input_type, {static_cast<std::int64_t>(orders.size())});
  for (std::size_t i = 0; i < orders.size(); ++i) result.set_bits(i, bits_at(input_type, orders[i]));
  return result;
}

}  // namespace qassay
