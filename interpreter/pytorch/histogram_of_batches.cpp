// How a HistogramObserver's histogram follows batches. Every operation on floats is one rounding to binary32.
#include <algorithm>
#include <limits>

#include "interpreter/pytorch/histogram_observer.hpp"

namespace qassay::pytorch {

namespace {

/// The observer's upsample_rate: the parts that a bin is cut into before its count moves.
constexpr std::size_t kPartsOfBin = 16;

/// torch.linspace: the first half from the start, the second half from the end.
std::vector<float> linspace(Ends ends, std::size_t count, Contraction contraction) {
  const float step = (ends.highest - ends.lowest) / static_cast<float>(count - 1);
  const auto at = [&](float from, float by, std::size_t i) {
    const auto steps = static_cast<float>(i);
    return contraction == Contraction::fma ? fused_multiply_add(by, steps, from) : from + by * steps;
  };
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = i < count / 2 ? at(ends.lowest, step, i) : at(ends.highest, -step, count - 1 - i);
  }
  return values;
}

/// torch.histc makes a range of one value wider by 1 on both sides, at least by a step of binary32.
Ends range_with_width(Ends ends) {
  if (ends.lowest != ends.highest) return ends;
  constexpr float kLargest = std::numeric_limits<float>::max();
  const double value = ends.lowest;
  const double below = std::nextafter(ends.lowest, -kLargest);
  const double above = std::nextafter(ends.highest, kLargest);
  return {static_cast<float>(std::min(below, value - 1)), static_cast<float>(std::max(above, value + 1))};
}

/// torch.histc: how many elements fall into each bin.
std::vector<float> counts_of(std::span<const float> x, std::size_t bins, Ends ends) {
  const auto [lowest, highest] = range_with_width(ends);
  std::vector<float> counts(bins);
  const float span = highest - lowest;
  if (std::isinf(span)) return counts;  // linspace's edges are NaN: no element is between them
  for (const float value : x) {
    const double position = truncate_to_int64((value - lowest) * static_cast<float>(bins) / span);
    // Where the product overflows, the index is -2^63, and its byte offset modulo 2^64 is that of the first bin.
    const auto bin = position < 0 ? std::size_t{0} : static_cast<std::size_t>(position);
    counts[std::min(bin, bins - 1)] += 1;
  }
  return counts;
}

/// The number of edges that are not above the value, by halving: as torch.bucketize probes, for edges need not be in
/// order where a step is about as small as their distance in binary32.
std::size_t edges_up_to(const std::vector<float>& edges, float value) {
  std::size_t low = 0;
  std::size_t high = edges.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (edges[middle] > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/// The old counts in the bins of a wider range: each part of a bin goes where its middle lies.
std::vector<float> rebinned(const Histogram& seen, Ends ends, Contraction contraction) {
  const std::size_t bins = seen.counts.size();
  const std::size_t parts = bins * kPartsOfBin;
  const float half_part = 0.5F * ((seen.ends.highest - seen.ends.lowest) / static_cast<float>(parts));
  const std::vector<float> starts = linspace(seen.ends, parts + 1, contraction);
  const std::vector<float> edges = linspace(ends, bins + 1, contraction);
  std::vector<float> counts(bins);
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t behind = edges_up_to(edges, starts[part] + half_part);
    const std::size_t bin = std::clamp<std::size_t>(behind, 1, bins) - 1;
    counts[bin] += seen.counts[part / kPartsOfBin] / static_cast<float>(kPartsOfBin);
  }
  return counts;
}

/// The old counts in the bins of the range that holds the batch too.
std::vector<float> moved(const Histogram& seen, Ends ends, Contraction contraction) {
  if (ends.lowest == seen.ends.lowest && ends.highest == seen.ends.highest) return seen.counts;
  if (seen.ends.lowest != seen.ends.highest) return rebinned(seen, ends, contraction);
  // All counts were of one value, and go to its bin.
  const float all = sum_as_torch_does(seen.counts);
  std::vector<float> counts = counts_of(std::array{seen.ends.lowest}, seen.counts.size(), ends);
  for (float& count : counts) count *= all;
  return counts;
}

}  // namespace

Histogram observe(const Histogram& seen, std::span<const float> batch, std::size_t bins, Contraction contraction) {
  std::vector<float> finite;
  for (const float value : batch) {
    if (is_nan(value)) {
      throw RequestError(ErrorKind::out_of_domain, "pytorch.HistogramObserver: x holds NaN, and no histogram does");
    }
    if (!is_infinite(value)) finite.push_back(value);
  }
  if (finite.empty()) return seen;
  Ends ends = seen.is_empty() ? Ends{finite.front(), finite.front()} : seen.ends;
  for (const float value : finite) {
    ends.lowest = at_most_keeping_nan(ends.lowest, value);
    ends.highest = at_least_keeping_nan(ends.highest, value);
  }
  Histogram histogram{counts_of(finite, bins, ends), ends};
  if (seen.is_empty()) return histogram;
  const std::vector<float> old = moved(seen, ends, contraction);
  for (std::size_t i = 0; i < bins; ++i) histogram.counts[i] += old[i];
  return histogram;
}

}  // namespace qassay::pytorch
