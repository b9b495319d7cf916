#include "tools/harness/judge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "interpreter/parameter_layout.hpp"
#include "tools/harness/request.hpp"
#include "tools/harness/translation.hpp"

namespace qassay {
namespace {

/// The entry whose cause shows the same, if there is one.
template <class Shows>
const KnownDifference* find_known(const std::vector<KnownDifference>& known, std::string_view case_name, Shows shows) {
  const auto found = std::ranges::find_if(known, [&](const KnownDifference& entry) {
    return entry.cause && entry.covers(case_name) && shows(*entry.cause);
  });
  return found == known.end() ? nullptr : &*found;
}

/// The entry that says the process dies here, and by this signal.
const KnownDifference* find_known_crash(const std::vector<KnownDifference>& known, std::string_view case_name,
                                        const Answer& answer) {
  const auto found = std::ranges::find_if(known, [&](const KnownDifference& entry) {
    return !entry.crash.empty() && entry.covers(case_name) &&
           answer.message.find(entry.crash + " ") != std::string::npos;
  });
  return found == known.end() ? nullptr : &*found;
}

void judge_refusal(CaseResult& result, const CaseSpec& spec, const Case& made, const Answer& answer,
                   const std::vector<Tensor>& outputs, const std::vector<KnownDifference>& known) {
  const std::string_view kind = name(*made.expectation.error);
  if (answer.kind == Answer::Kind::refused) {
    result.verdict = Verdict::pass;
    result.message = fmt::format("refused, as it must be ({}): {}", kind, answer.message);
    return;
  }
  result.verdict = Verdict::mismatch;
  result.message = fmt::format("accepted what must be refused ({})", kind);
  const Signature& signature = *spec.formula->signature;
  result.known_difference = find_known(known, spec.name, [&](const Variant& cause) {
    return reproduces(cause, signature, spec.settings, made.inputs, outputs);
  });
  if (result.known_difference != nullptr) return;
  const auto accepts = [&](const KnownDifference& entry) { return entry.accepts == kind && entry.covers(spec.name); };
  if (const auto found = std::ranges::find_if(known, accepts); found != known.end()) result.known_difference = &*found;
}

/// Elements that are judged.
std::size_t compared(const CaseResult& result) {
  std::size_t sum = 0;
  for (const OutputResult& output : result.outputs) sum += output.comparison.compared();
  return sum;
}

void judge_given(CaseResult& result, const CaseSpec& spec, const Case& made, const std::vector<Tensor>& outputs,
                 const std::vector<KnownDifference>& known, const Judgement& judgement) {
  const Policy policy = judgement.policy        ? *judgement.policy
                        : spec.policy().empty() ? Policy()
                                                : Policy::parse(spec.policy());
  const std::vector<std::string> objections =
      judge_outputs(result, spec, made, made.expectation, outputs, policy, judgement);
  if (objections.empty()) {
    // A tensor without elements passes with its type and shape alone.
    const bool has_elements = std::ranges::any_of(outputs, [](const Tensor& output) { return output.size() > 0; });
    result.verdict = has_elements && compared(result) == 0 ? Verdict::unspecified : Verdict::pass;
    for (OutputResult& output : result.outputs) output.shown.clear();
    return;
  }
  result.verdict = Verdict::mismatch;
  result.message = fmt::format("{}", fmt::join(objections, "; "));
  const Settings settings = settings_of(*made.arguments);
  result.known_difference = find_known(known, spec.name, [&](const Variant& cause) {
    return reproduces(cause, *spec.formula->signature, settings, made.inputs, outputs);
  });
}

}  // namespace

Verdict verdict_of(Answer::Kind kind) {
  switch (kind) {
    case Answer::Kind::unsupported: return Verdict::unsupported;
    case Answer::Kind::crash: return Verdict::crash;
    case Answer::Kind::timeout: return Verdict::timeout;
    default: return Verdict::error;
  }
}

std::vector<std::string> judge_outputs(CaseResult& result, const CaseSpec& spec, const Case& made,
                                       const Expectation& expectation, const std::vector<Tensor>& outputs,
                                       const Policy& policy, const Judgement& judgement) {
  const Arguments* const arguments = made.arguments ? &*made.arguments : nullptr;
  std::vector<std::string> objections;
  result.policy = policy.text();
  result.is_bit_exact = true;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const std::string output(spec.formula->signature->outputs[o].name);
    policy.require_meaning_for(outputs[o].type());
    const ExpectedOutput& expected = expectation.outputs.find(output)->second;
    OutputResult compared_output;
    compared_output.comparison = compare(output, expected, outputs[o],
                                         arguments == nullptr ? Grid{} : grid_of(*arguments, o), judgement.most_shown);
    const OutputComparison& comparison = compared_output.comparison;
    result.is_bit_exact = result.is_bit_exact && comparison.mismatches == 0 && comparison.compared() > 0;
    if (const auto objection = policy.objection(comparison)) {
      objections.push_back(outputs.size() > 1 ? fmt::format("{}: {}", output, *objection) : *objection);
    }
    for (const Difference& difference : comparison.shown)
      compared_output.shown.push_back(show(difference, arguments, made.inputs, comparison.shape));
    if (judgement.tolerance != nullptr)
      compared_output.tolerance = check_tolerance(*judgement.tolerance, expected, outputs[o]);
    result.outputs.push_back(std::move(compared_output));
  }
  return objections;
}

CaseResult judge(const CaseSpec& spec, const Case& made, const Answer& answer, const std::vector<Tensor>& outputs,
                 const std::vector<KnownDifference>& known_differences, const Judgement& judgement) {
  CaseResult result;
  result.parameters = settings_as_text(spec.settings);
  result.message = answer.message;
  const bool must_refuse = made.expectation.error.has_value();
  const bool is_answered = answer.kind == Answer::Kind::done || answer.kind == Answer::Kind::refused;
  if (must_refuse && is_answered) {
    judge_refusal(result, spec, made, answer, outputs, known_differences);
  } else if (answer.kind == Answer::Kind::done) {
    judge_given(result, spec, made, outputs, known_differences, judgement);
  } else {
    result.verdict = verdict_of(answer.kind);
    if (answer.kind == Answer::Kind::crash)
      result.known_difference = find_known_crash(known_differences, spec.name, answer);
    if (answer.kind == Answer::Kind::refused) {
      const Settings settings = settings_of(*made.arguments);
      result.known_difference = find_known(known_differences, spec.name, [&](const Variant& cause) {
        return refuses(cause, *spec.formula->signature, settings, made.inputs);
      });
    }
  }
  if (result.known_difference != nullptr) result.verdict = Verdict::known_difference;
  return result;
}

void find_unexpected_passes(RunResults& results, const std::vector<std::string>& left_out) {
  for (std::size_t b = 0; b < results.backends.size(); ++b) {
    if (!results.backends[b].failure.empty()) continue;
    for (const KnownDifference& entry : results.backends[b].known_differences) {
      std::vector<CaseResult*> passed;
      bool is_gone = !std::ranges::any_of(left_out, [&](const std::string& name) { return entry.covers(name); });
      for (CaseResult& result : results.cases) {
        if (result.backend != b || !entry.covers(results.specs[result.spec].name)) continue;
        if (result.verdict == Verdict::pass) passed.push_back(&result);
        else if (result.verdict != Verdict::unsupported && result.verdict != Verdict::unspecified) is_gone = false;
      }
      if (!is_gone) continue;
      for (CaseResult* result : passed) {
        result->verdict = Verdict::unexpected_pass;
        result->known_difference = &entry;
        result->message = fmt::format("the known difference '{}' does not show in any case of {}; remove the entry",
                                      entry.cause_text(), entry.cases);
      }
    }
  }
}

}  // namespace qassay
