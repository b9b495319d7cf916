#include "tools/diagnosis/recovery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tools/diagnosis/conclusion.hpp"
#include "tools/diagnosis/probing.hpp"
#include "tools/generators.hpp"

namespace qassay {
namespace {

constexpr std::size_t kMostZeroPoints = 512;

struct Pair {
  std::uint64_t input;
  double x;
  double y;
};

/// An interval of scales as real numbers.
struct RealInterval {
  double low = 0;
  double high = INFINITY;

  bool is_empty() const { return !(low <= high); }
};

/// Pairs that say something about the scale: in range, and of each output the outermost inputs.
std::vector<Pair> telling_pairs(Family family, const Tensor& x, const Tensor& y) {
  std::map<double, std::vector<Pair>> by_output;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Pair pair{x.bits(i), x.real(i), y.real(i)};
    if (!std::isfinite(pair.x) || !std::isfinite(pair.y)) continue;
    if (family == Family::quantize && (y.integer(i) == lowest(y.type()) || y.integer(i) == highest(y.type()))) continue;
    if (is_floating(x.type()) && pair.x != 0 && std::abs(pair.x) < std::ldexp(1.0, lowest_exponent(x.type()))) continue;
    std::vector<Pair>& ends = by_output[pair.y];
    if (ends.empty()) ends.assign(2, pair);
    if (pair.x < ends[0].x) ends[0] = pair;
    if (pair.x > ends[1].x) ends[1] = pair;
  }
  std::vector<Pair> pairs;
  for (const auto& [output, ends] : by_output) {
    pairs.push_back(ends[0]);
    if (ends[1].input != ends[0].input) pairs.push_back(ends[1]);
  }
  return pairs;
}

/// Scales with which any rounding at all could give these pairs.
RealInterval feasible(Family family, const std::vector<Pair>& pairs, std::int64_t zero_point) {
  constexpr double kSlack = 1.01;
  RealInterval interval;
  for (const Pair& pair : pairs) {
    const auto offset = static_cast<double>(zero_point);
    if (family == Family::dequantize) {
      const double steps = pair.x - offset;
      if (steps == 0) {
        if (pair.y != 0) return {1, 0};
        continue;
      }
      const double scale = pair.y / steps;
      interval.low = std::max(interval.low, scale * (1 - 0x1p-8));
      interval.high = std::min(interval.high, scale * (1 + 0x1p-8));
      continue;
    }
    // |x| / scale lies within one step of the code, counted from the zero point on.
    const double steps = std::copysign(1.0, pair.x) * (pair.y - offset);
    const double magnitude = std::abs(pair.x);
    if (steps + kSlack < 0 || (magnitude == 0 && steps != 0)) return {1, 0};
    if (magnitude == 0) continue;
    interval.low = std::max(interval.low, magnitude / (steps + kSlack));
    if (steps > kSlack) interval.high = std::min(interval.high, magnitude / (steps - kSlack));
  }
  return interval;
}

/// Zero points worth a try: the outputs nearest to zero say which.
std::vector<std::int64_t> zero_points(Family family, const std::vector<Pair>& pairs, CodeRange range,
                                      const KnownParameters& known) {
  if (known.zero_point) return {*known.zero_point};
  for (const Pair& pair : pairs) {
    if (family == Family::quantize && pair.x == 0)
      range = {static_cast<std::int64_t>(pair.y), static_cast<std::int64_t>(pair.y)};
    if (family == Family::dequantize && pair.y == 0)
      range = {static_cast<std::int64_t>(pair.x), static_cast<std::int64_t>(pair.x)};
  }
  std::vector<std::int64_t> feasible_ones;
  for (std::int64_t zero_point = range.lowest; zero_point <= range.highest; ++zero_point) {
    if (!feasible(family, pairs, zero_point).is_empty()) feasible_ones.push_back(zero_point);
    if (feasible_ones.size() > kMostZeroPoints) break;
  }
  return feasible_ones;
}

/// One hypothesis with one zero point, as a function of the scale.
class OfScale {
 public:
  OfScale(const Formula& formula, const Settings& settings, const std::vector<Pair>& pairs, Type input_type,
          std::int64_t zero_point)
      : formula_(formula), settings_(settings), pairs_(pairs), zero_point_(zero_point) {
    std::vector<std::uint64_t> bits;
    for (const Pair& pair : pairs) bits.push_back(pair.input);
    inputs_ = shaped_inputs(*formula.signature, tensor_of(input_type, bits));
  }

  /// Whether the scale is too small, too large, or both for different pairs.
  struct Judgement {
    bool is_too_small = false;
    bool is_too_large = false;
  };
  Judgement judge(std::int64_t scale_order) const {
    const std::string scale = number_text(Type::float32, bits_at(Type::float32, scale_order));
    const Settings settings = with_parameters(settings_, *formula_.signature, scale, zero_point_);
    Judgement judgement;
    const Evaluation evaluation = formula_.evaluate(formula_.arguments(inputs_, settings), inputs_);
    const Tensor& y = evaluation.outputs.find(formula_.signature->outputs.front().name)->second;
    const bool is_to_codes = is_integer(y.type());
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const double got = y.real(i);
      if (got == pairs_[i].y) continue;
      // A larger scale makes a code smaller in magnitude, and a real number larger.
      const double side = is_to_codes ? pairs_[i].x : static_cast<double>(zero_point_) - pairs_[i].x;
      const bool is_above = got > pairs_[i].y;
      if ((side > 0) == is_above) judgement.is_too_small = true;
      else judgement.is_too_large = true;
    }
    return judgement;
  }

 private:
  const Formula& formula_;
  const Settings& settings_;
  const std::vector<Pair>& pairs_;
  std::int64_t zero_point_;
  Inputs inputs_;
};

/// Orders of the lowest and the highest scale that explain all pairs.
std::optional<std::pair<std::int64_t, std::int64_t>> interval_of(const OfScale& function, RealInterval around) {
  const auto order = [](double value) {
    return order_of(Type::float32, encode(Type::float32, std::clamp(value, 0x1p-149, 0x1.fffffep127)));
  };
  std::int64_t low = std::max<std::int64_t>(order(around.low) - 1, 1);
  const std::int64_t last = order(around.high) + 1;
  std::int64_t high = last;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (function.judge(middle).is_too_small) low = middle + 1;
    else high = middle;
  }
  const std::int64_t first = low;
  const OfScale::Judgement at_first = function.judge(first);
  if (at_first.is_too_small || at_first.is_too_large) return std::nullopt;
  high = last;
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (function.judge(middle).is_too_large) high = middle - 1;
    else low = middle;
  }
  return std::pair(first, low);
}

/// A scale that was given fits, or does not.
std::optional<std::pair<std::int64_t, std::int64_t>> only_scale(const OfScale& function, double scale) {
  const std::int64_t order = order_of(Type::float32, encode(Type::float32, scale));
  const OfScale::Judgement judgement = function.judge(order);
  if (judgement.is_too_small || judgement.is_too_large) return std::nullopt;
  return std::pair(order, order);
}

std::string simplest_between(double low, double high) {
  for (int digits = 1; digits < 12; ++digits) {
    for (const double value : {low, low + (high - low) / 2, high}) {
      std::string text = fmt::format("{:.{}g}", value, digits);
      const double back = decode(Type::float32, parse_number(text, Type::float32));
      if (low <= back && back <= high) return text;
    }
  }
  return fmt::format("{}", low);
}

}  // namespace

Settings with_parameters(const Settings& settings, const Signature& signature, const std::string& scale,
                         std::int64_t zero_point) {
  Settings result = settings;
  result.insert_or_assign(std::string(signature.parameter(Role::scale)->name), Written::scalar(scale));
  result.insert_or_assign(std::string(signature.parameter(Role::zero_point)->name),
                          Written::scalar(std::to_string(zero_point)));
  return result;
}

std::vector<Recovered> recover(const Formula& expected, const Settings& settings, const Tensor& x, const Tensor& y,
                               const KnownParameters& known) {
  const Signature& signature = *expected.signature;
  const Family family = family_of(signature);
  if (family != Family::quantize && family != Family::dequantize) {
    throw RequestError(ErrorKind::missing_parameter,
                       fmt::format("{}: give scale and zero point; they are recovered for quantizations and "
                                   "dequantizations only",
                                   signature.id));
  }
  const std::vector<Pair> pairs = telling_pairs(family, x, y);
  const auto tells_scale = [&](const Pair& pair) { return family == Family::quantize ? pair.x != 0 : pair.y != 0; };
  if (std::ranges::count_if(pairs, tells_scale) < 2) {
    throw RequestError(ErrorKind::missing_parameter,
                       fmt::format("too few elements to recover a scale: {} of {} are finite and not limited; give "
                                   "--set scale=…, or more data",
                                   pairs.size(), x.size()));
  }
  const CodeRange range = code_range(family == Family::quantize ? y.type() : x.type());
  std::vector<Recovered> recovered;
  for (const std::int64_t zero_point : zero_points(family, pairs, range, known)) {
    const RealInterval around = feasible(family, pairs, zero_point);
    if (around.is_empty()) continue;
    std::optional<std::pair<std::int64_t, std::int64_t>> own;
    std::optional<std::pair<std::int64_t, std::int64_t>> of_all;
    std::vector<Hypothesis> rules;
    for (const Hypothesis& hypothesis : arithmetic_rules(expected, family, named_hypotheses(expected))) {
      const Formula formula = formula_of(hypothesis, expected);
      std::optional<std::pair<std::int64_t, std::int64_t>> interval;
      try {
        const OfScale function(formula, settings, pairs, x.type(), zero_point);
        interval = known.scale ? only_scale(function, *known.scale) : interval_of(function, around);
      } catch (const RequestError&) {
        continue;  // a formula that does not take these parameters
      }
      if (!interval) continue;
      rules.push_back(hypothesis);
      if (hypothesis.named == &expected) own = interval;
      of_all = of_all ? std::pair(std::min(of_all->first, interval->first), std::max(of_all->second, interval->second))
                      : *interval;
    }
    if (rules.empty()) continue;
    const auto [low, high] = own ? *own : *of_all;
    Recovered one;
    one.zero_point = zero_point;
    one.lowest_scale = decode(Type::float32, bits_at(Type::float32, low));
    one.highest_scale = decode(Type::float32, bits_at(Type::float32, high));
    one.scales = static_cast<std::uint64_t>(high - low) + 1;
    one.simplest_scale = simplest_between(one.lowest_scale, one.highest_scale);
    one.rules = std::move(rules);
    recovered.push_back(std::move(one));
  }
  return recovered;
}

}  // namespace qassay
