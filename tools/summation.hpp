// What a sum of binary32 numbers may be when nobody says in which order it is taken.
#pragma once

#include <vector>

#include "tools/cases.hpp"

namespace qassay {

/// Every binary32 value that some order of n - 1 rounded additions can give lies within
///   gamma * (the sum of the terms' magnitudes),  gamma = (n - 1) u / (1 - (n - 1) u),  u = 2^-24
/// of the exact sum (Higham, Accuracy and Stability of Numerical Algorithms, section 4.2; additions that end below the
/// normal numbers are exact). The interval's ends are exact rationals, taken to the values inside.
/// Nothing: the sum is fixed (one term, or one that is not finite); an overflow on the way is possible: not judged.
struct SumFreedom {
  enum class Kind : std::uint8_t { fixed, between, open };
  Kind kind = Kind::fixed;
  std::pair<std::uint64_t, std::uint64_t> between;
};
SumFreedom freedom_of_sum(const std::vector<float>& terms);

/// Lets the outputs that are sums (Output::sum_of) be what any order of additions may give.
void allow_orders_of_addition(const Arguments& arguments, Expectation& expectation);

}  // namespace qassay
