// A run: many cases on several backends.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tools/harness/backend.hpp"
#include "tools/harness/judge.hpp"
#include "tools/harness/progress.hpp"

namespace qassay {

struct RunOptions {
  std::vector<Backend> backends;
  std::optional<Backend> against;  ///< what it gives stands in place of what the cases expect
  std::vector<CaseSpec> cases;
  std::vector<std::string> left_out;                    ///< names of cases that were loaded but not chosen
  bool only_claimed = false;                            ///< leave out what a backend does not claim, without a verdict
  std::size_t jobs = 1;                                 ///< processes of one backend at a time
  std::optional<std::chrono::milliseconds> time_limit;  ///< in place of the backends' own
  Judgement judgement;
};

/// Runs the backends one after another, each beside `against` where that is given. A backend that cannot be run is
/// noted in the results; the others go on. Throws RequestError for a case that contradicts its formula and for a policy
/// without meaning.
RunResults run_cases(const RunOptions& options, Progress& progress);

}  // namespace qassay
