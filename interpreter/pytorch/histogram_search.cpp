// The search for the bins worth quantizing. Every operation on floats is one rounding to binary32; what the observer
// does in Python is binary64.
#include <algorithm>
#include <bit>
#include <limits>

#include "interpreter/pytorch/histogram_observer.hpp"

namespace qassay::pytorch {

namespace {

/// torch.div with rounding_mode="floor", by a divisor that is not negative.
float floor_divide(float a, float b) {
  const float quotient = a / b;
  if (b == 0) return quotient;
  const float remainder = std::fmod(a, b);
  float whole = (is_infinite(quotient) && !is_infinite(a) ? a : a - remainder) / b;
  if (remainder < 0) whole -= 1;
  if (whole == 0) return std::copysign(0.0F, quotient);
  const float floor = std::floor(whole);
  return whole - floor > 0.5F ? floor + 1 : floor;
}

/// density * the integral of x^2 from begin to end.
float norm(float begin, float end, float density) {
  return density * ((end * end * end - begin * begin * begin) / 3.0F);
}

/// The squared error of all values, had the codes the range of these bins: bins are taken for evenly filled, and what
/// is outside goes to the first or the last code.
double quantization_error(const Histogram& histogram, double codes, Bins bins) {
  const auto count = static_cast<std::int64_t>(histogram.counts.size());
  const double exact_width =
      (static_cast<double>(histogram.ends.highest) - static_cast<double>(histogram.ends.lowest)) /
      static_cast<double>(count);
  const double exact_step = exact_width * static_cast<double>(bins.last - bins.first + 1) / codes;
  if (exact_step == 0) return 0;
  const auto width = static_cast<float>(exact_width);
  const auto step = static_cast<float>(exact_step);
  const auto half_step = static_cast<float>(exact_step / 2);
  const auto last_code = static_cast<float>(codes - 1);
  const auto code_at = [&](float distance) {
    return at_most_keeping_nan(at_least_keeping_nan(floor_divide(distance, step), 0.0F), last_code);
  };
  std::vector<float> norms(histogram.counts.size());
  for (std::int64_t bin = 0; bin < count; ++bin) {
    const float begin = static_cast<float>(bin - bins.first) * width;
    const float end = begin + width;
    const float code_of_begin = code_at(begin);
    const float code_of_end = code_at(end);
    const float density = histogram.counts[static_cast<std::size_t>(bin)] / width;
    const float from_begin = norm(begin - (code_of_begin + 0.5F) * step, half_step, density);
    const float between = (code_of_end - code_of_begin - 1.0F) * norm(-half_step, half_step, density);
    const float to_end = norm(-half_step, end - (code_of_end * step + half_step), density);
    norms[static_cast<std::size_t>(bin)] = from_begin + between + to_end;
  }
  return sum_as_torch_does(norms);
}

/// torch.cumsum: added in binary64, each sum rounded to binary32.
std::vector<float> running_sums(const std::vector<float>& counts) {
  std::vector<float> sums;
  double sum = 0;
  for (const float count : counts) {
    sum += static_cast<double>(count);
    sums.push_back(static_cast<float>(sum));
  }
  return sums;
}

}  // namespace

Bins bins_worth_quantizing(const Histogram& histogram, int bits) {
  constexpr double kStep = 1e-5;
  const double codes = std::ldexp(1.0, bits);
  const double total = sum_as_torch_does(histogram.counts);
  const std::vector<float> sums = running_sums(histogram.counts);
  Bins bins{0, static_cast<std::int64_t>(sums.size()) - 1};
  double below = 0;  // the share of the counts that may go at either end
  double above = 1;
  double smallest = std::numeric_limits<double>::infinity();
  while (below < above) {
    const double next_below = below + kStep;
    const double next_above = above - kStep;
    // A tensor's element is compared in binary32.
    const auto least = static_cast<float>(next_below * total);
    const auto most = static_cast<float>(next_above * total);
    Bins inner = bins;
    while (inner.first < bins.last && sums[static_cast<std::size_t>(inner.first)] < least) ++inner.first;
    while (inner.last > bins.first && sums[static_cast<std::size_t>(inner.last)] > most) --inner.last;
    Bins next = bins;
    if (inner.first - bins.first > bins.last - inner.last) {
      next.first = inner.first;
      below = next_below;
    } else {
      next.last = inner.last;
      above = next_above;
    }
    if (next.first == bins.first && next.last == bins.last) continue;
    const double error = quantization_error(histogram, codes, next);
    if (error > smallest) break;
    smallest = error;
    bins = next;
  }
  return bins;
}

namespace {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kRowsAtOnce = 4;

void add_to(std::span<float> sums, std::span<const float> terms) {
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += terms[i];
}

/// The sum of rows, column by column: in a tower of sums, each of which takes over what the one below has gathered from
/// a power of two of additions.
std::vector<float> sum_of_rows(std::span<const float> rows, std::size_t columns) {
  constexpr std::size_t kLevels = 4;
  const std::size_t count = rows.size() / columns;
  const int height =
      count > 1 ? std::max(4, static_cast<int>(std::bit_width(count - 1)) / static_cast<int>(kLevels)) : 4;
  const std::size_t run = std::size_t{1} << height;
  std::array<std::vector<float>, kLevels> tower;
  tower.fill(std::vector<float>(columns));
  for (std::size_t row = 0; row < count;) {
    add_to(tower[0], rows.subspan(row * columns, columns));
    ++row;
    if (row % run != 0) continue;
    for (std::size_t level = 1; level < kLevels; ++level) {
      add_to(tower[level], tower[level - 1]);
      std::ranges::fill(tower[level - 1], 0.0F);
      if ((row & ((run - 1) << (level * static_cast<std::size_t>(height)))) != 0) break;
    }
  }
  for (std::size_t level = 1; level < kLevels; ++level) add_to(tower[0], tower[level]);
  return tower[0];
}

/// The sum of rows that are taken four at once.
std::vector<float> sum_by_fours(std::span<const float> rows, std::size_t columns) {
  const std::size_t whole = rows.size() / (kRowsAtOnce * columns) * kRowsAtOnce * columns;
  const std::vector<float> fours = sum_of_rows(rows.first(whole), kRowsAtOnce * columns);
  const auto part = [&](std::size_t i) { return std::span(fours).subspan(i * columns, columns); };
  std::vector<float> sums(part(0).begin(), part(0).end());
  for (std::size_t at = whole; at < rows.size(); at += columns) add_to(sums, rows.subspan(at, columns));
  for (std::size_t i = 1; i < kRowsAtOnce; ++i) add_to(sums, part(i));
  return sums;
}

}  // namespace

float sum_as_torch_does(std::span<const float> terms) {
  if (terms.size() < kLanes) return 0.0F + sum_by_fours(terms, 1)[0];
  const std::size_t whole = terms.size() / kLanes * kLanes;
  const std::vector<float> lanes = sum_by_fours(terms.first(whole), kLanes);
  float sum = 0;
  for (const float term : terms.subspan(whole)) sum += term;
  for (const float lane : lanes) sum += lane;
  return sum;
}

}  // namespace qassay::pytorch
