// The cause of mismatches, named in a run's results.
#pragma once

#include <vector>

#include "tools/harness/backend.hpp"
#include "tools/harness/results.hpp"

namespace qassay {

/// Diagnoses every formula on every backend that shows mismatches, once, with the first such case's parameters, and
/// notes the sentence with all of them. `backends` are the run's, in order. What cannot be diagnosed stays unsaid.
void diagnose_mismatches(RunResults& results, const std::vector<Backend>& backends, double most_seconds_each);

}  // namespace qassay
