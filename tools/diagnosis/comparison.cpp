#include "tools/diagnosis/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <mutex>
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

Comparison compare_by_sweep(const ScalarFunction& a, const ScalarFunction& b,
                            const std::function<void(double)>& progress) {
  check_comparable(a, b);
  const Type type = a.input_type();
  constexpr std::uint64_t kBlock = 1U << 16U;
  const std::uint64_t total = patterns(type);
  const std::uint64_t blocks = (total + kBlock - 1) / kBlock;

  Comparison comparison;
  comparison.inputs = total;
  comparison.nan_inputs = nan_patterns(type);
  std::mutex mutex;
  std::atomic<std::uint64_t> next_block{0};
  std::atomic<std::uint64_t> done{0};
  std::vector<std::pair<std::int64_t, std::pair<std::int64_t, std::int64_t>>> found;

  const auto work = [&] {
    for (;;) {
      const std::uint64_t block = next_block.fetch_add(1);
      if (block >= blocks || is_interrupted()) return;
      const std::uint64_t first = block * kBlock;
      const std::uint64_t count = std::min(kBlock, total - first);
      Tensor x = Tensor::uncleared(type, {static_cast<std::int64_t>(count)});
      if (type == Type::float32 || type == Type::int32) {
        auto* bits = x.as<std::uint32_t>();
        for (std::uint64_t k = 0; k < count; ++k) bits[k] = static_cast<std::uint32_t>(first + k);
      } else {
        for (std::uint64_t k = 0; k < count; ++k) x.set_bits(k, first + k);
      }
      const Tensor of_a = a.evaluate(x);
      const Tensor of_b = b.evaluate(x);
      const bool same = of_a.type() == of_b.type() && std::ranges::equal(of_a.bytes(), of_b.bytes());
      if (!same) {
        const std::scoped_lock lock(mutex);
        for (std::uint64_t k = 0; k < count; ++k) {
          const bool nan_a = std::isnan(of_a.real(k));
          const bool nan_b = std::isnan(of_b.real(k));
          const std::uint64_t bits_a = of_a.bits(k);
          const std::uint64_t bits_b = of_b.bits(k);
          if ((nan_a && nan_b) || (of_a.type() == of_b.type() ? bits_a == bits_b : of_a.real(k) == of_b.real(k)))
            continue;
          if (is_floating(type) && std::isnan(x.real(k))) {
            ++comparison.differing_nan;
            continue;
          }
          const std::int64_t output_a = nan_a ? ScalarFunction::kNanOutput : order_of(of_a.type(), bits_a);
          const std::int64_t output_b = nan_b ? ScalarFunction::kNanOutput : order_of(of_b.type(), bits_b);
          ++comparison.differing;
          ++comparison.by_steps[steps_between(a, output_a, output_b)];
          if (found.size() < Comparison::kMostIntervals)
            found.push_back({order_of(type, x.bits(k)), {output_a, output_b}});
        }
      }
      progress(static_cast<double>(done.fetch_add(1) + 1) / static_cast<double>(blocks));
    }
  };
  std::vector<std::jthread> threads;
  for (unsigned t = 0; t < std::max(1U, std::thread::hardware_concurrency()); ++t) threads.emplace_back(work);
  threads.clear();

  comparison.is_complete = done.load() == blocks;
  std::ranges::sort(found);
  for (const auto& [order, outputs] : found) {
    const bool continues = !comparison.intervals.empty() && comparison.intervals.back().last + 1 == order &&
                           comparison.intervals.back().output_a == outputs.first &&
                           comparison.intervals.back().output_b == outputs.second;
    if (continues) comparison.intervals.back().last = order;
    else comparison.intervals.push_back({order, order, outputs.first, outputs.second});
  }
  return comparison;
}

}  // namespace qassay
