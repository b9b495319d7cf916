#include "tools/harness/fingerprint.hpp"

#include <algorithm>

#include "interpreter/registry.hpp"
#include "tools/harness/known_differences.hpp"
#include "tools/harness/shown_element.hpp"
#include "tools/harness/translation.hpp"

namespace qassay {
namespace {

/// With what was filled in, where that was possible.
Settings settings_of_case(const CaseSpec& spec, const Case& made) {
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

std::vector<Variant> candidates_for(const Formula& formula, std::span<const Variant> causes) {
  std::vector<Variant> candidates{formula};
  const auto add_variant = [&](const Variant& one) {
    const bool is_new = std::ranges::find(candidates, one) == candidates.end();
    if (is_new && one.formula->signature->outputs.size() == formula.signature->outputs.size())
      candidates.push_back(one);
  };
  const auto add = [&](const Formula& one) {
    for (const Variant& variant : variants_of(one, *formula.signature)) add_variant(variant);
  };
  for (const Variant& cause : causes) {
    if (op_of(cause.formula->id()) == op_of(formula.id())) add_variant(cause);
  }
  for (const Formula& other : all_formulas()) {
    if (op_of(other.id()) == op_of(formula.id())) add(other);
  }
  for (const Formula& other : all_formulas()) {
    if (are_alike(*formula.signature, *other.signature)) add(other);
  }
  for (const Variant& cause : causes) add_variant(cause);
  return candidates;
}

FingerprintSearch::FingerprintSearch(const CaseSpec& spec, const Case& made, const std::vector<Variant>& candidates)
    : tried_(candidates.size()) {
  const Settings settings = settings_of_case(spec, made);
  for (const Variant& candidate : candidates) {
    if (auto outputs = outputs_by(candidate, *spec.formula->signature, settings, made.inputs))
      given_.emplace_back(candidate, std::move(*outputs));
  }
}

Fingerprint FingerprintSearch::of(const std::vector<Tensor>& outputs) const {
  Fingerprint fingerprint{{}, tried_, {}};
  for (const auto& [variant, given] : given_) {
    if (are_same(given, outputs)) fingerprint.fitting.push_back(variant);
  }
  return fingerprint;
}

std::string explain_by(const Variant& other, const CaseSpec& spec, const Case& made, std::size_t element) {
  const Signature& from = *spec.formula->signature;
  const Signature& to = *other.formula->signature;
  try {
    const Inputs inputs = translate(made.inputs, from, to);
    Settings settings = settings_for(other, from, settings_of_case(spec, made));
    if (made.arguments) drop_common_defaults(settings, *made.arguments, to);
    const Arguments arguments = other.formula->arguments(inputs, settings);
    if (to.kind != FormulaKind::elementwise || inputs.empty()) return {};
    return explain_command(arguments, inputs, element);
  } catch (const RequestError&) {
    return {};
  }
}

}  // namespace qassay
