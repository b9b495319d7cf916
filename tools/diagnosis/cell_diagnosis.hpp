// The cause of mismatches, named in a run's results.
#pragma once

#include "tools/harness/run.hpp"

namespace qassay {

/// Diagnoses every formula on every backend that shows mismatches, once, with the first such case's parameters, and
/// notes the sentence with all of them; in pairs that of each side that does not follow the case's own formula. `run`
/// is what the results came from. What cannot be diagnosed stays unsaid.
void diagnose_mismatches(RunResults& results, const RunOptions& run, double most_seconds_each);

}  // namespace qassay
