#include "tools/harness/fingerprint.hpp"

#include <algorithm>

#include "interpreter/registry.hpp"
#include "tools/harness/known_differences.hpp"
#include "tools/harness/shown_element.hpp"
#include "tools/harness/translation.hpp"

namespace qassay {
namespace {

/// With what was filled in, where that was possible.
Settings settings_for(const CaseSpec& spec, const Case& made) {
  return made.arguments ? settings_of(*made.arguments) : spec.settings;
}

/// Takes out what was filled in and is the other formula's default too.
void drop_common_defaults(Settings& settings, const Arguments& arguments, const Signature& to) {
  for (const Parameter& target : to.parameters) {
    const Parameter* source = arguments.signature->parameter(target.role);
    const bool is_default = source != nullptr && !arguments[source->role].is_set && source->fallback == target.fallback;
    if (is_default) settings.erase(std::string(target.name));
  }
}

}  // namespace

std::vector<const Formula*> candidates_for(const Formula& formula, std::span<const Formula* const> causes) {
  std::vector<const Formula*> candidates{&formula};
  const auto add = [&](const Formula& one) {
    const bool is_new = std::ranges::none_of(candidates, [&](const Formula* known) { return known->id() == one.id(); });
    if (is_new && one.signature->outputs.size() == formula.signature->outputs.size()) candidates.push_back(&one);
  };
  for (const Formula* cause : causes) {
    if (op_of(cause->id()) == op_of(formula.id())) add(*cause);
  }
  for (const Formula& other : all_formulas()) {
    if (op_of(other.id()) == op_of(formula.id())) add(other);
  }
  for (const Formula& other : all_formulas()) {
    if (are_alike(*formula.signature, *other.signature)) add(other);
  }
  for (const Formula* cause : causes) add(*cause);
  return candidates;
}

FingerprintSearch::FingerprintSearch(const CaseSpec& spec, const Case& made,
                                     const std::vector<const Formula*>& candidates)
    : tried_(candidates.size()) {
  const Settings settings = settings_for(spec, made);
  for (const Formula* candidate : candidates) {
    if (auto outputs = outputs_by(*candidate, *spec.formula->signature, settings, made.inputs))
      given_.emplace_back(candidate, std::move(*outputs));
  }
}

Fingerprint FingerprintSearch::of(const std::vector<Tensor>& outputs) const {
  Fingerprint fingerprint{{}, tried_, {}};
  for (const auto& [formula, given] : given_) {
    if (are_same(given, outputs)) fingerprint.fitting.push_back(formula);
  }
  return fingerprint;
}

std::string explain_by(const Formula& other, const CaseSpec& spec, const Case& made, std::size_t element) {
  const Signature& from = *spec.formula->signature;
  const Signature& to = *other.signature;
  try {
    const Inputs inputs = translate(made.inputs, from, to);
    Settings settings = translate(settings_for(spec, made), from, to);
    if (made.arguments) drop_common_defaults(settings, *made.arguments, to);
    const Arguments arguments = other.arguments(inputs, settings);
    if (to.kind != FormulaKind::elementwise || inputs.empty()) return {};
    return explain_command(arguments, inputs, element);
  } catch (const RequestError&) {
    return {};
  }
}

}  // namespace qassay
