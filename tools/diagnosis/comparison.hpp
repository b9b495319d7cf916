// On which of all inputs two formulas differ.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/diagnosis/scalar_function.hpp"

namespace qassay {

/// Consecutive inputs on which both functions are constant and differ. By order; the last one included.
struct DifferingInterval {
  std::int64_t first;
  std::int64_t last;
  std::int64_t output_a;
  std::int64_t output_b;

  std::uint64_t count() const { return static_cast<std::uint64_t>(last - first) + 1; }
  friend bool operator==(const DifferingInterval&, const DifferingInterval&) = default;
};

/// The differences of two functions over all values of their input type.
struct Comparison {
  std::uint64_t inputs = 0;      ///< of the type, NaN included
  std::uint64_t differing = 0;   ///< without NaN inputs
  std::uint64_t nan_inputs = 0;  ///< of the type
  std::uint64_t differing_nan = 0;
  /// Differing inputs by output_b - output_a in steps; INT64_MIN where one output is NaN or infinite.
  std::map<std::int64_t, std::uint64_t> by_steps;
  std::vector<DifferingInterval> intervals;  ///< in the order of the inputs; after a sweep at most kMostIntervals
  bool is_complete = true;                   ///< false: a sweep was interrupted, and this is what it had seen

  static constexpr std::size_t kMostIntervals = 65536;

  /// The differing input nearest to zero, and the one with the fewest significant bits; positive before negative. By
  /// order.
  std::optional<std::int64_t> smallest() const;
  std::optional<std::int64_t> simplest(Type input_type) const;
};

/// From the segments of both functions; no input is tried but those that bisection needs. Exact for functions that
/// segments_of understands.
Comparison compare_by_segments(const ScalarFunction& a, const ScalarFunction& b);

/// By trying every input of a 16- or 32-bit type, on all processors. `progress` is told the share done, from any
/// thread. Stops early with what it has when interrupted.
Comparison compare_by_sweep(const ScalarFunction& a, const ScalarFunction& b,
                            const std::function<void(double)>& progress);

/// The inputs from the `first` pattern on: every one of a type once, block by block.
Tensor block_of(Type type, std::uint64_t first, std::uint64_t count);

/// The difference of two outputs in steps of the grid, rounded; INT64_MIN where one is NaN or infinite.
std::int64_t steps_between(const ScalarFunction& function, std::int64_t output_a, std::int64_t output_b);

}  // namespace qassay
