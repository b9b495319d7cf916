// The backends dialect:NAME and mutant:NAME: the interpreter itself, behind the same protocol as any other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <string>

#include "interpreter/nearest_names.hpp"
#include "interpreter/registry.hpp"
#include "tests/mutants/mutants.hpp"
#include "tools/backends/adapter.hpp"
#include "tools/harness/translation.hpp"

namespace {

using namespace qassay;

/// The dialect's formula for the same operator: its own id, the same version, then any.
const Formula* counterpart(const Formula& asked, std::string_view dialect) {
  if (dialect_of(asked.id()) == dialect) return &asked;
  const std::string id = fmt::format("{}.{}", dialect, op_of(asked.id()));
  const std::string_view version = version_of(asked.id());
  if (!version.empty()) {
    if (const Formula* found = find_formula(fmt::format("{}@{}", id, version))) return found;
  }
  return find_formula(id);
}

/// What `answering` gives, under the names of the formula asked for.
Outputs evaluate_as(const Formula& answering, const Signature& asked, const AdapterCase& given) {
  const Signature& own = *answering.signature;
  if (own.outputs.size() != asked.outputs.size())
    throw Unsupported(fmt::format("{} has other outputs than {}", own.id, asked.id));
  Evaluation evaluation = answering(translate(given.inputs(), asked, own), translate(given.parameters(), asked, own));
  Outputs outputs;
  for (std::size_t i = 0; i < own.outputs.size(); ++i) {
    outputs.emplace(asked.outputs[i].name, std::move(evaluation.outputs.find(own.outputs[i].name)->second));
  }
  return outputs;
}

int run_dialect(const std::string& backend, std::string_view dialect) {
  Adapter adapter(backend, QASSAY_VERSION);
  for (const Formula& asked : all_formulas()) {
    const Formula* const answering = counterpart(asked, dialect);
    if (answering == nullptr) continue;
    adapter.formula(asked.id(), [answering, &asked](const AdapterCase& given) {
      return evaluate_as(*answering, *asked.signature, given);
    });
  }
  return adapter.run();
}

int run_mutant(const std::string& backend, std::string_view name) {
  const mutants::Mutant* const mutant = mutants::find(name);
  if (mutant == nullptr) {
    std::vector<std::string> names;
    for (const mutants::Mutant& known : mutants::all()) names.emplace_back(known.name);
    fmt::print(stderr, "no mutant '{}'{}; there are {}\n", name, did_you_mean(name, names), fmt::join(names, ", "));
    return 2;
  }
  Adapter adapter(backend, QASSAY_VERSION);
  for (const Formula& formula : all_formulas()) {
    if (!mutant->applies_to(*formula.signature)) continue;
    adapter.formula(formula.id(), [mutant, &formula](const AdapterCase& given) {
      return mutant->evaluate(formula, given.inputs(), given.parameters());
    });
  }
  return adapter.run();
}

/// Every mutant with the formula in which its mistake is at home, for tests/mutants/write_matrix.py.
int print_mutants() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const mutants::Mutant& mutant : mutants::all()) {
    nlohmann::ordered_json changes;
    for (const mutants::Change& change : mutant.changes) changes[std::string(change.aspect)] = change.choice;
    list.push_back({{"name", mutant.name},
                    {"wrong", mutant.wrong},
                    {"formula", home(mutant).id()},
                    {"changes", changes},
                    {"shown_with", mutant.shown_with}});
  }
  fmt::print("{}\n", list.dump());
  return 0;
}

}  // namespace

int main(int argument_count, char** arguments) {
  const std::string backend = argument_count == 2 ? arguments[1] : "";
  const std::string_view name = std::string_view(backend).substr(std::min(backend.size(), backend.find(':') + 1));
  if (backend.starts_with("dialect:")) return run_dialect(backend, name);
  if (backend.starts_with("mutant:")) return run_mutant(backend, name);
  if (backend == "mutants") return print_mutants();
  fmt::print(stderr, "usage: qassay-dialect-adapter dialect:NAME|mutant:NAME|mutants\n");
  return 2;
}
