// Where the computations of two formulas part.
#pragma once

#include <string>
#include <utility>

#include "tools/diagnosis/scalar_function.hpp"

namespace qassay {

/// The first steps in which two functions part at an input: "step 2: multiply (0.05, 10) = 0.5" of each. These are the
/// steps that feed the first rounding both do of different numbers; where there is none, the first of each that
/// makes something of x that the other never has.
std::pair<std::string, std::string> parting_steps(const ScalarFunction& a, const ScalarFunction& b,
                                                  std::uint64_t input);

}  // namespace qassay
