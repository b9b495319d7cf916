// Which formulas compute exactly what a backend gave.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/cases.hpp"
#include "tools/harness/variant.hpp"

namespace qassay {

struct Fingerprint {
  std::vector<Variant> fitting;  ///< reproduce every element, the case's own formula first
  std::size_t tried = 0;         ///< formulas
  std::string rule;              ///< the rule that the backend follows, in a sentence, where that was found
};

/// The formulas that may stand behind a case's outputs, each once, in all their variants: its own, `causes`, those of
/// the same operator in any dialect, those that compute from the same roles.
std::vector<Variant> candidates_for(const Formula& formula, std::span<const Variant> causes);

/// What each candidate gives for a case, computed once for all who ask.
class FingerprintSearch {
 public:
  FingerprintSearch(const CaseSpec& spec, const Case& made, const std::vector<Variant>& candidates);
  Fingerprint of(const std::vector<Tensor>& outputs) const;

 private:
  std::vector<std::pair<Variant, std::vector<Tensor>>> given_;
  std::size_t tried_;
};

/// The command that shows the steps of an element by another formula; nothing where that cannot be said.
std::string explain_by(const Variant& other, const CaseSpec& spec, const Case& made, std::size_t element);

}  // namespace qassay
