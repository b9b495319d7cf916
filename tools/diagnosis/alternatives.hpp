// What other formulas and rules give for the element that is explained.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "interpreter/formula.hpp"
#include "tools/diagnosis/stored_number.hpp"

namespace qassay {

/// What another formula or rule gives for the same element.
struct Alternative {
  std::string name;
  std::string about;
  StoredNumber result;
  std::optional<Rational> difference;  ///< from the explained result, where both are finite
};

struct Alternatives {
  std::size_t agreeing = 0;
  std::vector<Alternative> differing;  ///< the closest first
};

/// Rules that change one choice of the rule that a formula follows.
struct RuleAlternatives : Alternatives {
  std::string base;  ///< "saturate(round_half_even(x / scale) + zero_point)"
};

/// What was asked for, in the words it was asked in, and the defaults beside it.
struct Question {
  const Formula& formula;
  const Arguments& arguments;
  const Inputs& inputs;
  const Settings& settings;
  std::size_t index;
};

/// Formulas that compute from the same roles, by their first output.
Alternatives other_formulas(const Question& question, const StoredNumber& result);
/// Of a quantization of real numbers.
RuleAlternatives other_rules(const Question& question, const StoredNumber& result);

}  // namespace qassay
