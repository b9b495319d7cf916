// A failing case shrunk to one element and the simplest parameters that still fail, by asking the backend again and
// again.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/cases.hpp"
#include "tools/harness/results.hpp"

namespace qassay {

/// Answers a case: how the request ended, and the outputs of one that is done, in the order of the signature.
using Respondent = std::function<std::pair<Answer, std::vector<Tensor>>(const CaseSpec& spec, const Case& made)>;

struct ReductionOptions {
  std::size_t most_calls = 500;
  double most_seconds = 300;
  /// Called after every call, with what was tried.
  std::function<void(std::size_t calls, const std::string& what)> progress = {};
};

struct Reduction {
  Verdict verdict = Verdict::pass;  ///< of the case as it was given
  std::string message;
  Tensor x;                    ///< what is left of the input
  Settings settings;           ///< those that are not the defaults
  std::size_t elements = 0;    ///< of the case as it was given
  std::size_t calls = 0;       ///< of the backend
  bool was_cut_short = false;  ///< by a limit; simpler parameters may fail too
};

/// Of a case that does not fail the verdict alone. Throws RequestError for formulas of more than one input.
Reduction reduce_case(const CaseSpec& spec, const Respondent& respondent, const ReductionOptions& options = {});

}  // namespace qassay
