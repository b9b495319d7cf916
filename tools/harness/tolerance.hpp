// Checks that other test suites make of the same outputs, to be set beside ours. They never decide a verdict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "tools/harness/compare.hpp"

namespace qassay {

/// By how much outputs of some types may differ.
struct Allowance {
  std::span<const Type> types;
  double least = 0;  ///< the threshold, whatever is expected
  double share = 0;  ///< of what is expected; how it goes in is the criterion's
};

/// What a tensor must keep to.
enum class Criterion : std::uint8_t {
  /// The largest difference, or the mean relative one, is at most max(least, share of the median magnitude expected).
  largest_or_mean,
  /// No element is further off than least + share of the magnitude expected.
  every_element,
};

/// A check by name.
struct Tolerance {
  std::string_view name;
  std::string_view about;
  Criterion criterion;
  std::span<const Allowance> allowances;  ///< one for every type
};

std::span<const Tolerance> all_tolerances();
/// The one of this name. Throws RequestError(bad_value) that lists them.
const Tolerance& tolerance_named(std::string_view name);

/// What a tolerance says of an output. Elements that are not judged are left out; NaN must meet NaN; an infinity, of
/// either sign, and the value at the end of the type count as one.
struct ToleranceFinding {
  const Tolerance* tolerance = nullptr;
  bool passes = true;
  double threshold = 0;  ///< of an element, the smallest where each has its own
  double largest_difference = 0;
  double mean_relative_difference = 0;
};
ToleranceFinding check_tolerance(const Tolerance& tolerance, const ExpectedOutput& expected, const Tensor& got);

}  // namespace qassay
