// Two backends on every value of an input's type.
#pragma once

#include <functional>

#include "tools/harness/run.hpp"

namespace qassay {

/// Sweeps the parameters of every case on which both backends gave outputs, each set of parameters once, and notes what
/// it finds with all cases that have them; or why there is nothing to sweep. `jobs` processes of either backend at a
/// time. `progress` is told the share done of all sweeps, from any thread. An interrupted sweep keeps what it has.
void sweep_pairs(RunResults& results, const RunOptions& run, const std::function<void(double)>& progress);

}  // namespace qassay
