#include "tools/diagnosis/cell_diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tools/diagnosis/backend_oracle.hpp"
#include "tools/harness/interrupt.hpp"

namespace qassay {
namespace {

bool has_differing_outputs(const CaseResult& result) {
  return result.verdict == Verdict::mismatch && std::ranges::any_of(result.outputs, [](const OutputResult& output) {
           return output.comparison.mismatches > 0;
         });
}

std::string sentence_of(const Diagnosis& diagnosis, const std::string& backend) {
  switch (diagnosis.verdict) {
    case Diagnosis::Verdict::follows_another: return fmt::format("{} {}", backend, diagnosis.sentence);
    case Diagnosis::Verdict::none_fits:
      return fmt::format("{} {}{}", backend, diagnosis.sentence,
                         diagnosis.best
                             ? fmt::format("; the nearest is {}, with {} mismatches in {} elements",
                                           diagnosis.best->name, diagnosis.best->mismatches, diagnosis.elements)
                             : "");
    case Diagnosis::Verdict::follows_expected: break;
  }
  return {};  // it shows only in this case, so nothing is claimed
}

std::string diagnosed(const Backend& backend, const std::string& name, const CaseSpec& spec, Type input_type,
                      double most_seconds) {
  try {
    BackendOracle oracle(backend, *spec.formula);
    const Diagnosis diagnosis = diagnose(*spec.formula, with_usual_values(spec.settings, *spec.formula->signature),
                                         std::ref(oracle), {.most_seconds = most_seconds, .input_type = input_type});
    oracle.finish();
    return sentence_of(diagnosis, name);
  } catch (const BackendFailure&) {
    return {};
  } catch (const RequestError&) {
    return {};
  }
}

}  // namespace

void diagnose_mismatches(RunResults& results, const std::vector<Backend>& backends, double most_seconds_each) {
  std::map<std::pair<std::size_t, std::string_view>, std::string> sentences;
  for (CaseResult& result : results.cases) {
    if (is_interrupted()) return;
    if (!has_differing_outputs(result)) continue;
    const CaseSpec& spec = results.specs[result.spec];
    // A program says itself where it parts, and nothing can be probed that takes no input.
    if (spec.program() != nullptr || spec.formula->signature->inputs.empty()) continue;
    const auto [cell, is_new] = sentences.try_emplace({result.backend, spec.formula->id()});
    if (is_new) {
      const Case made = spec.materialise();
      cell->second = diagnosed(backends[result.backend], results.backends[result.backend].name, spec,
                               made.arguments->input_type, most_seconds_each);
    }
    result.diagnosis = cell->second;
  }
}

}  // namespace qassay
