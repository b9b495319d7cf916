// From a backend's answer to a verdict.
#pragma once

#include <optional>

#include "tools/harness/policy.hpp"
#include "tools/harness/results.hpp"

namespace qassay {

/// How strictly, and how much of what differs is kept.
struct Judgement {
  std::optional<Policy> policy;  ///< in place of the case's own
  std::size_t most_shown = 3;
  const Tolerance* tolerance = nullptr;  ///< another suite's check beside ours
};

/// Judges one case. `answer` and the tensors of a `done` answer are the backend's; a tensor that could not be read has
/// become an answer of kind `broken` before.
CaseResult judge(const CaseSpec& spec, const Case& made, const Answer& answer, const std::vector<Tensor>& outputs,
                 const std::vector<KnownDifference>& known_differences, const Judgement& judgement);

/// Compares outputs with what is expected of them and notes it in the result. Why they are not good enough; nothing if
/// they are.
std::vector<std::string> judge_outputs(CaseResult& result, const CaseSpec& spec, const Case& made,
                                       const Expectation& expectation, const std::vector<Tensor>& outputs,
                                       const Policy& policy, const Judgement& judgement);

Verdict verdict_of(Answer::Kind kind);

/// Turns passes into unexpected passes where an entry's cases ran and nowhere showed the difference. `left_out` are the
/// names of cases that did not run: an entry that covers one of them is not judged.
void find_unexpected_passes(RunResults& results, const std::vector<std::string>& left_out);

}  // namespace qassay
