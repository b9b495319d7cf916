// Backends that are wrong on purpose, each in one way. Every one must be caught by a case and named by `diagnose`.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <variant>

#include "interpreter/formula.hpp"
#include "tools/diagnosis/hypothesis.hpp"

namespace qassay::mutants {

/// Changes what goes into the right formula.
using BeforeFormula = std::function<void(const Signature&, Inputs&, Settings&)>;
/// Changes what comes out of it.
using AfterFormula = std::function<void(const Signature&, const Inputs&, Outputs&)>;

/// Which formulas a change around the right formula can be made to.
enum class Needs : std::uint8_t { nothing, an_axis };

struct Mutant {
  std::string_view name;
  std::string_view wrong;  ///< in a sentence
  std::variant<QuantizeRule, BeforeFormula, AfterFormula> how;
  Needs needs = Needs::nothing;

  /// Whether the mistake can be made in this formula.
  bool applies_to(const Signature& signature) const;
  Outputs evaluate(const Formula& formula, Inputs inputs, Settings settings) const;
};

std::span<const Mutant> all();
/// Or nullptr.
const Mutant* find(std::string_view name);

}  // namespace qassay::mutants
