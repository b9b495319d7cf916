// From the hypotheses that are left to what is said about them.
#pragma once

#include <vector>

#include "tools/diagnosis/evidence.hpp"

namespace qassay {

/// What a diagnosis is about.
struct Subject {
  const Formula& expected;
  Settings settings;  ///< as given, in the formula's own words
  Type input_type;
  Family family;
};

/// The formulas given and all rules of the family's arithmetic, edges and surroundings as usual.
std::vector<Hypothesis> arithmetic_rules(const Formula& expected, Family family, std::vector<Hypothesis> named);

/// `fitting` agree with all evidence; `rivals` were the last to be tried, for when nothing fits.
Diagnosis conclude(const Subject& subject, const Evidence& evidence, std::vector<Hypothesis> fitting,
                   const std::vector<Hypothesis>& rivals);

}  // namespace qassay
