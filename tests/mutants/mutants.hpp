// Backends that are wrong on purpose, each in one way. Every one must be caught by a case and named by `diagnose`.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "interpreter/formula.hpp"
#include "tools/diagnosis/rule_space.hpp"

namespace qassay::mutants {

/// An aspect of a rule and what is chosen there, by the names in tools/diagnosis/aspects.cpp.
struct Change {
  std::string_view aspect;
  std::string_view choice;
};

struct Mutant {
  std::string_view name;
  std::string_view wrong;  ///< in a sentence
  std::vector<Change> changes;
  std::string_view shown_with = {};  ///< the setting without which it does nothing in the formula it is tried in
  std::string_view home = {};        ///< the formula in which it shows, if it is not the first it applies to

  /// Whether the mistake can be made in this formula, and is one there.
  bool applies_to(const Signature& signature) const;
  /// The formula with the mistake in it. Where its arithmetic has nothing to do with the mistake nothing changes.
  Outputs evaluate(const Formula& formula, const Inputs& inputs, const Settings& settings) const;
};

std::span<const Mutant> all();
/// Or nullptr.
const Mutant* find(std::string_view name);

/// The formula in which a mutant is tried: a mistake of its arithmetic shows there.
const Formula& home(const Mutant& mutant);

/// The rule that a formula follows.
bool has_base_rule(const Signature& signature);
Rule base_rule(const Signature& signature);

}  // namespace qassay::mutants
