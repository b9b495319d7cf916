#include "tools/diagnosis/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <mutex>
#include <numeric>
#include <thread>
#include <tuple>

#include "tools/diagnosis/segments.hpp"
#include "tools/generators.hpp"
#include "tools/harness/interrupt.hpp"

namespace qassay {
namespace {

/// How many bit patterns of a type are NaN.
std::uint64_t nan_patterns(Type type) {
  return is_floating(type) ? (std::uint64_t{1} << static_cast<unsigned>(row(type).precision)) - 2 : 0;
}

std::uint64_t patterns(Type type) {
  return std::uint64_t{1} << static_cast<unsigned>(row(type).bits);
}

void check_comparable(const ScalarFunction& a, const ScalarFunction& b) {
  if (a.input_type() != b.input_type()) {
    throw RequestError(ErrorKind::wrong_type,
                       fmt::format("{} takes {}, {} takes {}: nothing to compare", a.formula().id(),
                                   name(a.input_type()), b.formula().id(), name(b.input_type())));
  }
  if (is_floating(a.output_type()) != is_floating(b.output_type())) {
    throw RequestError(ErrorKind::wrong_type,
                       fmt::format("{} gives {}, {} gives {}: nothing to compare", a.formula().id(),
                                   name(a.output_type()), b.formula().id(), name(b.output_type())));
  }
}

void add_nan_inputs(Comparison& comparison, const ScalarFunction& a, const ScalarFunction& b) {
  comparison.nan_inputs = nan_patterns(a.input_type());
  if (comparison.nan_inputs == 0) return;
  // No formula looks at a payload, so one NaN speaks for all; a sweep tries every one.
  Tensor nan(a.input_type(), {1});
  nan.set_real(0, NAN);
  const Tensor of_a = a.evaluate(nan);
  const Tensor of_b = b.evaluate(nan);
  if (of_a.real(0) != of_b.real(0) && !(std::isnan(of_a.real(0)) && std::isnan(of_b.real(0))))
    comparison.differing_nan = comparison.nan_inputs;
}

/// The value of the interval [first, last] with the fewest significant bits, by order; both of one sign.
std::int64_t simplest_in(std::int64_t first, std::int64_t last) {
  if (first < 0) return -1 - simplest_in(-1 - last, -1 - first);
  for (int zeros = 62; zeros > 0; --zeros) {
    const std::int64_t unit = std::int64_t{1} << zeros;
    const std::int64_t candidate = ((first + unit - 1) / unit) * unit;
    if (candidate <= last) return candidate;
  }
  return first;
}

/// Magnitude by order: how far from zero.
std::int64_t magnitude(std::int64_t order) {
  return order < 0 ? -1 - order : order;
}

}  // namespace

std::optional<std::int64_t> Comparison::smallest() const {
  std::optional<std::int64_t> best;
  for (const DifferingInterval& interval : intervals) {
    for (const std::int64_t order : {interval.first, interval.last}) {
      if (!best || magnitude(order) < magnitude(*best) || (magnitude(order) == magnitude(*best) && order > *best))
        best = order;
    }
  }
  return best;
}

std::optional<std::int64_t> Comparison::simplest(Type input_type) const {
  std::optional<std::int64_t> best;
  for (DifferingInterval interval : intervals) {
    if (interval.first < 0 && interval.last >= 0) interval.first = 0;
    const std::int64_t order = is_floating(input_type) ? simplest_in(interval.first, interval.last) : interval.first;
    // Trailing zeros of the pattern are trailing zeros of the significand.
    const auto cost = [](std::int64_t o) {
      return std::tuple(-std::countr_zero(static_cast<std::uint64_t>(magnitude(o))), magnitude(o), o < 0);
    };
    if (!best || cost(order) < cost(*best)) best = order;
  }
  return best;
}

std::int64_t steps_between(const ScalarFunction& function, std::int64_t output_a, std::int64_t output_b) {
  if (output_a == ScalarFunction::kNanOutput || output_b == ScalarFunction::kNanOutput) return INT64_MIN;
  const Type type = function.output_type();
  if (!is_floating(type)) return output_b - output_a;
  const double distance =
      (decode(type, bits_at(type, output_b)) - decode(type, bits_at(type, output_a))) / function.step_size();
  return std::isfinite(distance) ? std::llround(distance) : INT64_MIN;
}

Comparison compare_by_segments(const ScalarFunction& a, const ScalarFunction& b) {
  check_comparable(a, b);
  const std::vector<Segment> of_a = segments_of(a);
  const std::vector<Segment> of_b = segments_of(b);
  Comparison comparison;
  comparison.inputs = patterns(a.input_type());
  const std::int64_t end = highest_order(a.input_type()) + 1;
  std::size_t i = 0;
  std::size_t j = 0;
  std::int64_t first = of_a.front().first;
  while (first < end) {
    const std::int64_t end_of_a = i + 1 < of_a.size() ? of_a[i + 1].first : end;
    const std::int64_t end_of_b = j + 1 < of_b.size() ? of_b[j + 1].first : end;
    const std::int64_t next = std::min(end_of_a, end_of_b);
    if (of_a[i].output != of_b[j].output) {
      const DifferingInterval interval{first, next - 1, of_a[i].output, of_b[j].output};
      comparison.intervals.push_back(interval);
      comparison.differing += interval.count();
      comparison.by_steps[steps_between(a, interval.output_a, interval.output_b)] += interval.count();
    }
    if (end_of_a == next) ++i;
    if (end_of_b == next) ++j;
    first = next;
  }
  add_nan_inputs(comparison, a, b);
  return comparison;
}

namespace {

/// Neighbouring bit patterns of the input with the same two, different outputs.
struct Run {
  std::uint64_t first;
  std::uint64_t count;
  std::uint64_t output_a;  ///< bits
  std::uint64_t output_b;
  bool is_nan_input;
};

/// The runs of one block of patterns from `first` on.
template <class Bits>
void find_runs(const Tensor& of_a, const Tensor& of_b, std::uint64_t first, Type input, std::vector<Run>& runs) {
  const Bits* a = of_a.as<Bits>();
  const Bits* b = of_b.as<Bits>();
  const std::uint64_t sign = std::uint64_t{1} << static_cast<unsigned>(row(input).bits - 1);
  const std::uint64_t infinity = is_floating(input) ? encode(input, INFINITY) : sign;
  for (std::size_t k = 0; k < of_a.size(); ++k) {
    if (a[k] == b[k]) continue;
    const std::uint64_t pattern = first + k;
    const bool is_nan_input = is_floating(input) && (pattern & (sign - 1)) > infinity;
    const bool continues = !runs.empty() && runs.back().first + runs.back().count == pattern &&
                           runs.back().output_a == a[k] && runs.back().output_b == b[k] &&
                           runs.back().is_nan_input == is_nan_input;
    if (continues) ++runs.back().count;
    else runs.push_back({pattern, 1, a[k], b[k], is_nan_input});
  }
}

void find_runs(const Tensor& of_a, const Tensor& of_b, std::uint64_t first, Type input, std::vector<Run>& runs) {
  switch (row(of_a.type()).storage_bytes) {
    case 1: return find_runs<std::uint8_t>(of_a, of_b, first, input, runs);
    case 2: return find_runs<std::uint16_t>(of_a, of_b, first, input, runs);
    case 4: return find_runs<std::uint32_t>(of_a, of_b, first, input, runs);
    default: return find_runs<std::uint64_t>(of_a, of_b, first, input, runs);
  }
}

void add_run(Comparison& comparison, const Run& run, const ScalarFunction& a, const ScalarFunction& b) {
  if (run.is_nan_input) {
    comparison.differing_nan += run.count;
    return;
  }
  const Type type = a.input_type();
  const std::int64_t output_a = output_order(a.output_type(), run.output_a);
  const std::int64_t output_b = output_order(b.output_type(), run.output_b);
  comparison.differing += run.count;
  comparison.by_steps[steps_between(a, output_a, output_b)] += run.count;
  if (comparison.intervals.size() >= Comparison::kMostIntervals) return;
  const bool is_pattern = row(type).bits == 32 || is_floating(type);
  const auto order = [&](std::uint64_t place) {
    return is_pattern ? order_of(type, place) : lowest_order(type) + static_cast<std::int64_t>(place);
  };
  const auto [low, high] = std::minmax({order(run.first), order(run.first + run.count - 1)});
  comparison.intervals.push_back({low, high, output_a, output_b});
}

/// Sorts, and joins intervals that a block's end has cut.
void join_intervals(std::vector<DifferingInterval>& intervals) {
  std::ranges::sort(intervals, {}, &DifferingInterval::first);
  std::vector<DifferingInterval> joined;
  for (const DifferingInterval& interval : intervals) {
    const bool continues = !joined.empty() && joined.back().last + 1 == interval.first &&
                           joined.back().output_a == interval.output_a && joined.back().output_b == interval.output_b;
    if (continues) joined.back().last = interval.last;
    else joined.push_back(interval);
  }
  intervals = std::move(joined);
}

}  // namespace

Tensor block_of(Type type, std::uint64_t first, std::uint64_t count) {
  Tensor x = Tensor::uncleared(type, {static_cast<std::int64_t>(count)});
  if (row(type).bits == 32) {
    std::iota(x.as<std::uint32_t>(), x.as<std::uint32_t>() + count, static_cast<std::uint32_t>(first));
  } else {
    for (std::uint64_t k = 0; k < count; ++k) {
      x.set_bits(
          k, is_floating(type) ? first + k : bits_at(type, lowest_order(type) + static_cast<std::int64_t>(first + k)));
    }
  }
  return x;
}

Comparison compare_by_sweep(const ScalarFunction& a, const ScalarFunction& b,
                            const std::function<void(double)>& progress) {
  check_comparable(a, b);
  if (a.output_type() != b.output_type()) {
    throw RequestError(ErrorKind::wrong_type, fmt::format("a sweep compares outputs of one type, not {} and {}",
                                                          name(a.output_type()), name(b.output_type())));
  }
  const Type type = a.input_type();
  constexpr std::uint64_t kBlock = 1U << 14U;
  const std::uint64_t total = patterns(type);
  const std::uint64_t blocks = (total + kBlock - 1) / kBlock;

  Comparison comparison;
  comparison.inputs = total;
  comparison.nan_inputs = nan_patterns(type);
  std::mutex mutex;
  std::atomic<std::uint64_t> next_block{0};
  std::atomic<std::uint64_t> done{0};
  const auto work = [&] {
    std::vector<Run> runs;
    for (;;) {
      const std::uint64_t block = next_block.fetch_add(1);
      if (block >= blocks || is_interrupted()) return;
      const std::uint64_t first = block * kBlock;
      Tensor x = block_of(type, first, std::min(kBlock, total - first));
      const Tensor of_a = a.evaluate(x);
      const Tensor of_b = b.evaluate(std::move(x));
      if (!std::ranges::equal(of_a.bytes(), of_b.bytes())) {
        runs.clear();
        find_runs(of_a, of_b, first, type, runs);
        const std::scoped_lock lock(mutex);
        for (const Run& run : runs) add_run(comparison, run, a, b);
      }
      progress(static_cast<double>(done.fetch_add(1) + 1) / static_cast<double>(blocks));
    }
  };
  std::vector<std::jthread> threads;
  for (unsigned t = 0; t < std::max(1U, std::thread::hardware_concurrency()); ++t) threads.emplace_back(work);
  threads.clear();

  comparison.is_complete = done.load() == blocks;
  join_intervals(comparison.intervals);
  return comparison;
}

}  // namespace qassay
