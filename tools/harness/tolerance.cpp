#include "tools/harness/tolerance.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "interpreter/nearest_names.hpp"

namespace qassay {
namespace {

constexpr std::array kTruthValues{Type::boolean};
constexpr std::array kOneByteCodes{Type::int2, Type::uint2, Type::int4, Type::uint4, Type::int8, Type::uint8};
constexpr std::array kWiderCodes{Type::int16, Type::uint16, Type::int32, Type::uint32, Type::int64};
constexpr std::array kCodes{Type::boolean, Type::int2,  Type::uint2,  Type::int4,  Type::uint4,  Type::int8,
                            Type::uint8,   Type::int16, Type::uint16, Type::int32, Type::uint32, Type::int64};
constexpr std::array kReals{Type::float32, Type::float64};
constexpr std::array kNarrow{Type::float16, Type::bfloat16};
constexpr std::array kBinary16{Type::float16};
constexpr std::array kBfloat16{Type::bfloat16};
constexpr std::array kBinary32{Type::float32};
constexpr std::array kBinary64{Type::float64};

constexpr std::array kByMedian{
    Allowance{kTruthValues, 0, 0}, Allowance{kOneByteCodes, 1, 0}, Allowance{kWiderCodes, 1, 0},
    Allowance{kReals, 1e-5, 0.05}, Allowance{kNarrow, 1e-3, 0.05},
};
constexpr std::array kByElement{
    Allowance{kCodes, 0, 0},
    Allowance{kBinary16, 0x1p-10, 1e-3},
    Allowance{kBfloat16, 0x1p-7, 1e-2},
    Allowance{kBinary32, 0x1p-23, 1e-4},
    Allowance{kBinary64, 0x1p-52, 1e-8},
};

constexpr std::array kTolerances{
    Tolerance{"openvino", "what OpenVINO's tests allow a tensor by default: its median rule",
              Criterion::largest_or_mean, kByMedian},
    Tolerance{"openvino-by-element", "what later versions of OpenVINO's tests allow each element by default",
              Criterion::every_element, kByElement},
};

const Allowance& allowance_of(const Tolerance& tolerance, Type type) {
  return *std::ranges::find_if(tolerance.allowances, [type](const Allowance& allowance) {
    return std::ranges::find(allowance.types, type) != allowance.types.end();
  });
}

/// Of an even number of values the mean of the two in the middle; 0 of none.
double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

/// The last finite value.
double largest(Type type) {
  if (type == Type::boolean) return 1;
  if (!is_floating(type)) return static_cast<double>(highest(type));
  return std::ldexp(2 - std::ldexp(1.0, 1 - row(type).precision), highest_exponent(type));
}

/// Whether both are infinite, or as far out as the type goes on one side.
bool are_both_at_an_end(double a, double b, double end) {
  const auto is_out = [end](double value) { return std::isinf(value) || value >= end; };
  return (is_out(a) && is_out(b)) || (is_out(-a) && is_out(-b));
}

}  // namespace

std::span<const Tolerance> all_tolerances() {
  return kTolerances;
}

const Tolerance& tolerance_named(std::string_view name) {
  const auto* const found = std::ranges::find(kTolerances, name, &Tolerance::name);
  if (found != kTolerances.end()) return *found;
  std::vector<std::string> names;
  for (const Tolerance& known : kTolerances) names.emplace_back(known.name);
  throw RequestError(ErrorKind::bad_value, fmt::format("--tolerance {}: no such tolerance{}; there is {}", name,
                                                       did_you_mean(name, names), fmt::join(names, ", ")));
}

ToleranceFinding check_tolerance(const Tolerance& tolerance, const ExpectedOutput& expected, const Tensor& got) {
  const Type type = got.type();
  ToleranceFinding finding{.tolerance = &tolerance};
  std::vector<std::pair<double, double>> judged;  // expected, got
  std::vector<double> magnitudes;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!is_judged(expected, i)) continue;
    const double value = got.real(i);
    // What a case allows is what it expects.
    const double wanted = is_right(expected, got, i) ? value : expected.values.real(i);
    judged.emplace_back(wanted, value);
    if (!std::isnan(wanted)) magnitudes.push_back(std::abs(wanted));
  }
  const Allowance& allowance = allowance_of(tolerance, type);
  const bool is_by_element = tolerance.criterion == Criterion::every_element;
  const double share = is_by_element || allowance.share == 0 ? 0 : allowance.share * median(std::move(magnitudes));
  finding.threshold = std::max(allowance.least, share);
  const double end = largest(type);
  double sum_of_relative = 0;
  bool are_all_within = true;
  for (const auto& [wanted, value] : judged) {
    if (std::isnan(wanted) != std::isnan(value)) finding.passes = false;
    if (std::isnan(wanted) || std::isnan(value) || are_both_at_an_end(wanted, value, end)) continue;
    const double difference = std::abs(wanted - value);
    finding.largest_difference = std::max(finding.largest_difference, difference);
    if (wanted != 0 && value != 0 && std::isfinite(wanted)) sum_of_relative += difference / std::abs(wanted);
    are_all_within = are_all_within && difference <= allowance.least + allowance.share * std::abs(wanted);
  }
  if (!judged.empty()) finding.mean_relative_difference = sum_of_relative / static_cast<double>(judged.size());
  const bool is_within = is_by_element ? are_all_within
                                       : finding.largest_difference <= finding.threshold ||
                                             finding.mean_relative_difference <= finding.threshold;
  finding.passes = finding.passes && is_within;
  return finding;
}

}  // namespace qassay
