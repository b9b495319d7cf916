// One try of a smaller case: what the formula expects of it, what the backend gives, and how it fails.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/diagnosis/case_reduction.hpp"
#include "tools/harness/policy.hpp"

namespace qassay {

/// The way in which an element differs. A smaller case must fail in the same way, lest another mistake takes its place.
struct Manner {
  enum class Input : std::uint8_t { number, subnormal, infinity, nan };
  enum class Distance : std::uint8_t { below_a_step, one_step, more, without_measure };
  Input input = Input::number;
  Distance distance = Distance::one_step;

  friend bool operator==(const Manner&, const Manner&) = default;
};

struct Failing {
  std::size_t element = 0;
  Manner manner;
};

/// How a case fails: as a whole (crash, timeout, error, accepted though it must be refused), or in these elements.
struct Trial {
  Verdict verdict = Verdict::pass;
  std::string message;
  std::vector<Failing> failing;
};

/// An input and settings in place of a case's own.
struct Candidate {
  Tensor x;
  Settings settings;
};

class TrialRunner {
 public:
  TrialRunner(const CaseSpec& spec, const Respondent& respondent) : spec_(spec), respondent_(respondent) {}

  /// The case as it stands.
  Trial run(const Case& made) const;
  /// Nothing where the formula does not take the candidate, or, if it must be refused, does not refuse it in that way.
  std::optional<Case> make(const Candidate& candidate, std::optional<ErrorKind> refusal) const;
  Trial run(const Case& made, const Settings& settings) const;

 private:
  std::vector<Failing> failing_elements(const Case& made, const std::vector<Tensor>& outputs) const;

  const CaseSpec& spec_;
  const Respondent& respondent_;
};

}  // namespace qassay
