// What a backend gave beside what it should have given: integers as integers, real numbers in ULP and steps of their
// grid, SQNR from exact sums.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "interpreter/arguments.hpp"
#include "tools/cases.hpp"
#include "tools/harness/sqnr.hpp"

namespace qassay {

/// One element that is not what it should be.
struct Difference {
  std::size_t element = 0;  ///< in C order
  std::uint64_t expected = 0;
  std::uint64_t got = 0;
  std::optional<double> lsb;
  std::optional<std::uint64_t> ulp;
};

/// Signed distances on the output's grid, got minus expected, over all elements that are judged and finite.
struct LsbSummary {
  std::map<std::int64_t, std::uint64_t> histogram;  ///< real distances to the nearest integer
  double max = 0;                                   ///< of the magnitudes
  double mean = 0;                                  ///< of the magnitudes
  double bias = 0;                                  ///< the mean with signs
  std::size_t unmeasured = 0;                       ///< mismatches where the scale is no usable unit
};

struct OutputComparison {
  std::string name;
  Type type = Type::float32;
  Shape shape;
  std::size_t elements = 0;
  std::size_t unspecified = 0;           ///< shown, never judged
  std::size_t mismatches = 0;            ///< among the others
  std::size_t nonfinite_mismatches = 0;  ///< among the mismatches: one side is an infinity or NaN
  std::optional<LsbSummary> lsb;         ///< absent where the output has no grid
  std::optional<std::uint64_t> max_ulp;  ///< of finite real outputs
  Sqnr sqnr;
  std::vector<Difference> shown;  ///< the first ones and the worst one

  std::size_t compared() const { return elements - unspecified; }
};

/// The grid that an output lies on.
struct Grid {
  std::function<double(std::size_t element)> scale;             ///< of a real output; empty: no grid
  std::function<std::int64_t(std::size_t element)> zero_point;  ///< of codes; empty: 0
};
Grid grid_of(const Arguments& arguments, std::size_t output);

/// The tensors have one type and one shape. Elements are equal if their bits are, or if both are NaN; -0 is not +0,
/// 0 ULP apart.
OutputComparison compare(std::string_view name, const ExpectedOutput& expected, const Tensor& got, const Grid& grid,
                         std::size_t most_shown);

/// Whether two numbers are the same: bit for bit, but for NaN.
bool is_same_value(Type type, std::uint64_t a, std::uint64_t b);

/// How far apart two numbers are, where both are finite.
Difference measured(Type type, std::size_t element, std::uint64_t expected, std::uint64_t got, const Grid& grid);

/// Whether an element is judged, and whether it is right.
bool is_judged(const ExpectedOutput& expected, std::size_t element);
bool is_right(const ExpectedOutput& expected, const Tensor& got, std::size_t element);

/// The number of representable values from one to the other, counting zeros of both signs as one; finite or infinite.
std::uint64_t ulp_distance(Type floating, std::uint64_t a, std::uint64_t b);

/// Whether two tensors have one type, shape and elements, NaN being equal to NaN.
bool is_same(const Tensor& a, const Tensor& b);

}  // namespace qassay
