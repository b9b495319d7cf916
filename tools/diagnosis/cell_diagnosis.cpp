#include "tools/diagnosis/cell_diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

/// Whether something can be probed: a program says itself where it parts, and some formulas take no input.
bool can_be_probed(const CaseSpec& spec) {
  return spec.program() == nullptr && !spec.formula->signature->inputs.empty();
}

/// Sentences by backend and formula, each found once.
class Sentences {
 public:
  explicit Sentences(double most_seconds_each) : most_seconds_each_(most_seconds_each) {}

  const std::string& find(const Backend& backend, const std::string& name, const CaseSpec& spec) {
    const auto [cell, is_new] = sentences_.try_emplace({backend.name, spec.formula->id()});
    if (!is_new || !can_be_probed(spec)) return cell->second;
    const Case made = spec.materialise();
    if (made.arguments) cell->second = diagnosed(backend, name, spec, made.arguments->input_type, most_seconds_each_);
    return cell->second;
  }

 private:
  double most_seconds_each_;
  std::map<std::pair<std::string, std::string_view>, std::string> sentences_;
};

/// The rules of both sides of a pair, where the case's own formula is not what a side follows.
void diagnose_pair(CaseResult& result, const CaseSpec& spec, const std::array<const Backend*, 2>& backends,
                   const std::array<std::string_view, 2>& names, Sentences& sentences) {
  for (std::size_t s = 0; s < backends.size(); ++s) {
    Fingerprint& fingerprint = result.pair->sides[s].fingerprint;
    const bool follows_own = !fingerprint.fitting.empty() && fingerprint.fitting.front().formula == spec.formula;
    if (follows_own || !fingerprint.rule.empty()) continue;
    fingerprint.rule = sentences.find(*backends[s], std::string(names[s]), spec);
  }
}

}  // namespace

void diagnose_mismatches(RunResults& results, const RunOptions& run, double most_seconds_each) {
  Sentences sentences(most_seconds_each);
  for (CaseResult& result : results.cases) {
    if (is_interrupted()) return;
    if (!has_differing_outputs(result)) continue;
    const CaseSpec& spec = results.specs[result.spec];
    const Backend& backend = run.backends[result.backend];
    const std::string& name = results.backends[result.backend].name;
    if (result.pair) {
      diagnose_pair(result, spec, {&backend, &*run.against}, {name, results.against->name}, sentences);
    } else if (can_be_probed(spec)) {
      result.diagnosis = sentences.find(backend, name, spec);
    }
  }
}

}  // namespace qassay
