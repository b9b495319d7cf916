#include "tools/harness/compare.hpp"

#include <algorithm>
#include <cmath>

#include "interpreter/parameter_layout.hpp"

namespace qassay {
namespace {

bool is_nan(Type type, std::uint64_t bits) {
  return is_floating(type) && std::isnan(decode(type, bits));
}

bool is_finite(Type type, std::uint64_t bits) {
  return !is_floating(type) || std::isfinite(decode(type, bits));
}

bool is_allowed(Type type, const Freedom& freedom, std::uint64_t got) {
  if (freedom.between) {
    const auto value = [&](std::uint64_t bits) {
      const Dyadic exact = dyadic(type, bits);
      return std::ldexp(static_cast<double>(exact.significand), exact.exponent);
    };
    const auto as_ordered = [&](std::uint64_t bits) { return is_floating(type) ? decode(type, bits) : value(bits); };
    return as_ordered(freedom.between->first) <= as_ordered(got) &&
           as_ordered(got) <= as_ordered(freedom.between->second);
  }
  return std::ranges::any_of(freedom.either, [&](std::uint64_t bits) { return is_same_value(type, bits, got); });
}

/// The distance between neighbours at a finite value.
double ulp_at(Type floating, double value) {
  const int exponent = value == 0 ? lowest_exponent(floating) : std::max(std::ilogb(value), lowest_exponent(floating));
  return std::ldexp(1.0, exponent - row(floating).precision + 1);
}

/// The signed distance in steps of the grid. Real outputs were rounded to their type: a distance that this rounding
/// explains as a whole number of steps is that whole number.
std::optional<double> lsb_distance(Type type, const Difference& difference, const Grid& grid) {
  if (!is_floating(type)) {
    return static_cast<double>(dyadic(type, difference.got).significand) -
           static_cast<double>(dyadic(type, difference.expected).significand);
  }
  const double scale = std::abs(grid.scale(difference.element));
  if (!std::isfinite(scale) || scale == 0) return std::nullopt;
  const double expected = decode(type, difference.expected);
  const double got = decode(type, difference.got);
  const double steps = got / scale - expected / scale;
  if (!std::isfinite(steps)) return std::nullopt;
  const double whole = std::rint(steps);
  const double rounding = (ulp_at(type, expected) + ulp_at(type, got)) / 2 / scale;
  return std::abs(steps - whole) <= rounding ? whole : steps;
}

bool has_grid(Type type, const Grid& grid) {
  return is_floating(type) ? static_cast<bool>(grid.scale) : type != Type::boolean;
}

/// The elements that differ, one after the other, with what is known of each.
class Comparison {
 public:
  Comparison(const ExpectedOutput& expected, const Tensor& got, const Grid& grid, std::size_t most_shown)
      : expected_(expected), got_(got), grid_(grid), type_(got.type()), most_shown_(most_shown) {}

  OutputComparison run() {
    result_.type = type_;
    result_.shape = got_.shape();
    result_.elements = got_.size();
    if (has_grid(type_, grid_)) result_.lsb.emplace();
    if (is_floating(type_)) result_.max_ulp = 0;
    find_differences();
    if (result_.lsb) finish_lsb();
    finish_sqnr();
    show_worst();
    return std::move(result_);
  }

 private:
  void find_differences() {
    const bool all_same = std::ranges::equal(expected_.values.bytes(), got_.bytes()) && expected_.freedoms.empty();
    for (std::size_t i = 0; i < got_.size(); ++i) {
      if (!is_judged(expected_, i)) ++result_.unspecified;
      else if (!all_same && !is_right(expected_, got_, i)) note(i);
    }
  }

  void note(std::size_t element) {
    const Difference difference = measured(type_, element, expected_.values.bits(element), got_.bits(element), grid_);
    ++result_.mismatches;
    const bool is_measurable = is_finite(type_, difference.expected) && is_finite(type_, difference.got);
    if (!is_measurable) ++result_.nonfinite_mismatches;
    if (difference.ulp) result_.max_ulp = std::max(*result_.max_ulp, *difference.ulp);
    if (is_measurable && result_.lsb) note_lsb(difference);
    const double badness = !is_measurable   ? INFINITY
                           : difference.lsb ? std::abs(*difference.lsb)
                           : difference.ulp ? static_cast<double>(*difference.ulp)
                                            : 0;
    if (result_.mismatches == 1 || badness > worst_badness_) {
      worst_ = difference;
      worst_badness_ = badness;
    }
    if (result_.shown.size() < most_shown_) result_.shown.push_back(difference);
  }

  void note_lsb(const Difference& difference) {
    if (!difference.lsb) {
      ++result_.lsb->unmeasured;
      return;
    }
    const double steps = *difference.lsb;
    constexpr double kFarthestBin = 0x1p62;
    ++result_.lsb->histogram[static_cast<std::int64_t>(std::rint(std::clamp(steps, -kFarthestBin, kFarthestBin)))];
    result_.lsb->max = std::max(result_.lsb->max, std::abs(steps));
    magnitudes_ += std::abs(steps);
    signed_sum_ += steps;
  }

  void finish_lsb() {
    const std::size_t measured = result_.compared() - result_.nonfinite_mismatches - result_.lsb->unmeasured;
    const std::size_t right = result_.compared() - result_.mismatches;
    if (right > 0) result_.lsb->histogram[0] += right;
    if (measured == 0) return;
    result_.lsb->mean = magnitudes_ / static_cast<double>(measured);
    result_.lsb->bias = signed_sum_ / static_cast<double>(measured);
  }

  Dyadic value(std::size_t element, std::uint64_t bits) const {
    Dyadic value = dyadic(type_, bits);
    if (!is_floating(type_) && grid_.zero_point) value.significand -= grid_.zero_point(element);
    return value;
  }

  void finish_sqnr() {
    if (result_.compared() == 0) return;
    result_.sqnr.kind = Sqnr::Kind::exact;
    if (result_.mismatches == result_.nonfinite_mismatches) return;
    ExactSum signal;
    ExactSum noise;
    for (std::size_t i = 0; i < got_.size(); ++i) {
      if (!is_judged(expected_, i)) continue;
      const bool is_free = expected_.freedoms.contains(i);
      const std::uint64_t b = got_.bits(i);
      const std::uint64_t r = is_free && is_right(expected_, got_, i) ? b : expected_.values.bits(i);
      if (!is_finite(type_, r) || !is_finite(type_, b)) continue;
      const Dyadic reference = value(i, r);
      signal.add(reference, reference);
      if (r == b) continue;
      const Dyadic got = value(i, b);
      noise.add(reference, reference);
      noise.add(got, got);
      noise.subtract(reference, got, 1);
    }
    result_.sqnr = sqnr(signal, noise);
  }

  void show_worst() {
    if (result_.shown.empty()) return;
    const bool is_shown = std::ranges::find(result_.shown, worst_.element, &Difference::element) != result_.shown.end();
    if (!is_shown) result_.shown.back() = worst_;
  }

  const ExpectedOutput& expected_;
  const Tensor& got_;
  const Grid& grid_;
  Type type_;
  std::size_t most_shown_;
  OutputComparison result_;
  double magnitudes_ = 0;
  double signed_sum_ = 0;
  Difference worst_;
  double worst_badness_ = 0;
};

}  // namespace

Grid grid_of(const Arguments& arguments, std::size_t output) {
  const Signature& signature = *arguments.signature;
  const Output& described = signature.outputs[output];
  const bool is_per_element = signature.kind == FormulaKind::elementwise;
  const Type type = arguments.output_type(output);
  Grid grid;
  if (!is_per_element) return grid;
  const ParameterLayout layout = parameter_layout(arguments);
  if (const Parameter* scale = signature.parameter(Role::scale);
      is_floating(type) && scale != nullptr && arguments.is_real(*scale)) {
    grid.scale = [&arguments, layout](std::size_t i) { return arguments.real(Role::scale, layout.position(i)); };
  }
  if (is_floating(type) && signature.parameter(Role::output_low) != nullptr) {
    grid.scale = [&arguments, layout](std::size_t i) {
      const Position at = layout.position(i);
      const double span = arguments.real(Role::output_high, at) - arguments.real(Role::output_low, at);
      return span / static_cast<double>(arguments.whole(Role::levels) - 1);
    };
  }
  if (const Parameter* zero_point = signature.parameter(Role::zero_point);
      is_integer(type) && described.rule == OutputRule::of_dtype && zero_point != nullptr &&
      !arguments.is_real(*zero_point)) {
    grid.zero_point = [&arguments, layout](std::size_t i) {
      return arguments.integer(Role::zero_point, layout.position(i));
    };
  }
  return grid;
}

bool is_same_value(Type type, std::uint64_t a, std::uint64_t b) {
  return a == b || (is_nan(type, a) && is_nan(type, b));
}

Difference measured(Type type, std::size_t element, std::uint64_t expected, std::uint64_t got, const Grid& grid) {
  Difference difference{element, expected, got, std::nullopt, std::nullopt};
  if (!is_finite(type, expected) || !is_finite(type, got)) return difference;
  if (is_floating(type)) difference.ulp = ulp_distance(type, expected, got);
  if (has_grid(type, grid)) difference.lsb = lsb_distance(type, difference, grid);
  return difference;
}

bool is_judged(const ExpectedOutput& expected, std::size_t element) {
  return expected.unspecified.empty() || expected.unspecified[element] == 0;
}

bool is_right(const ExpectedOutput& expected, const Tensor& got, std::size_t element) {
  const Type type = got.type();
  const std::uint64_t bits = got.bits(element);
  if (const auto freedom = expected.freedoms.find(element); freedom != expected.freedoms.end())
    return is_allowed(type, freedom->second, bits);
  return is_same_value(type, expected.values.bits(element), bits);
}

OutputComparison compare(std::string_view name, const ExpectedOutput& expected, const Tensor& got, const Grid& grid,
                         std::size_t most_shown) {
  OutputComparison result = Comparison(expected, got, grid, most_shown).run();
  result.name = name;
  return result;
}

std::uint64_t ulp_distance(Type floating, std::uint64_t a, std::uint64_t b) {
  const int width = row(floating).bits;
  const std::uint64_t sign = std::uint64_t{1} << static_cast<unsigned>(width - 1);
  const std::uint64_t magnitude_a = a & (sign - 1);
  const std::uint64_t magnitude_b = b & (sign - 1);
  if ((a & sign) != (b & sign)) return magnitude_a + magnitude_b;
  return magnitude_a > magnitude_b ? magnitude_a - magnitude_b : magnitude_b - magnitude_a;
}

bool is_same(const Tensor& a, const Tensor& b) {
  if (a.type() != b.type() || a.shape() != b.shape()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!is_same_value(a.type(), a.bits(i), b.bits(i))) return false;
  }
  return true;
}

}  // namespace qassay
