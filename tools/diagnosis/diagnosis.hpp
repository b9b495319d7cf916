// Which rule does a backend follow? Hypotheses are tried on elements that tell them apart, until those left agree.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/diagnosis/comparison.hpp"
#include "tools/diagnosis/rule_space.hpp"

namespace qassay {

/// What a backend gave for tensors, or why it gave nothing.
struct OracleAnswer {
  std::optional<Outputs> outputs;
  std::string why;
};
/// Inputs and settings are the expected formula's, checked; settings hold every parameter.
using Oracle = std::function<OracleAnswer(const Inputs& inputs, const Settings& settings)>;

/// One request and what came of it.
struct Batch {
  Arguments arguments;
  Inputs inputs;
  Outputs observed;
  std::vector<std::uint8_t> ignored = {};  ///< 1 for elements that are not looked at; empty: none

  std::size_t elements() const { return inputs.begin()->second.size(); }
};

/// How far a hypothesis is from what was observed.
struct Misfit {
  std::size_t mismatches = 0;        ///< elements
  std::optional<std::size_t> batch;  ///< the first one with a mismatch
  std::size_t element = 0;
};

/// What the formula gives for each batch must be what was observed; what its text leaves open is not looked at.
Misfit misfit_of(const Formula& formula, const std::vector<Batch>& batches, std::size_t enough = SIZE_MAX);

/// One element that shows a difference.
struct Witness {
  Settings settings;
  Type input_type = Type::float32;
  std::uint64_t input = 0;
  Type output_type = Type::float32;
  std::uint64_t expected = 0;
  std::uint64_t got = 0;
};

/// A hypothesis that was not taken.
struct Rejected {
  std::string name;
  std::string about;
  std::size_t mismatches = 0;
  std::optional<Witness> first;
};

/// One aspect's choices among the rules that fit.
struct Settled {
  std::string_view aspect;
  std::vector<std::string_view> choices;
};

/// Parameters that explain outputs: any scale of the interval, with this zero point.
struct Recovered {
  std::int64_t zero_point = 0;
  double lowest_scale = 0;  ///< binary32 values, both included
  double highest_scale = 0;
  std::uint64_t scales = 0;    ///< how many binary32 values the interval has
  std::string simplest_scale;  ///< the shortest decimal of the interval
  std::vector<Hypothesis> rules;
};

struct Diagnosis {
  enum class Verdict : std::uint8_t { follows_expected, follows_another, none_fits };

  Verdict verdict = Verdict::none_fits;
  const Formula* expected = nullptr;
  Settings settings;                       ///< as given, in the formula's own words
  std::vector<std::string_view> formulas;  ///< of the registry that reproduce every output
  std::vector<Hypothesis> fitting;         ///< everything that reproduces every output
  std::vector<Settled> fingerprint;
  std::string cause;                  ///< in a few words: "reciprocal"
  std::string sentence;               ///< the difference from the expected formula
  std::optional<Comparison> touched;  ///< with the settings given, against the rule found
  std::string uncounted;              ///< why `touched` is absent
  std::optional<Witness> witness;     ///< the smallest
  std::optional<Rejected> runner_up;  ///< where something fits
  std::optional<Rejected> best;       ///< where nothing fits
  std::size_t elements = 0;
  std::size_t requests = 0;
  double seconds = 0;
  std::vector<Recovered> recovered;  ///< where scale or zero point were not given, or fit nothing
  std::vector<std::string> notes;    ///< parameters that the backend did not take
};

struct DiagnosisOptions {
  std::size_t most_elements = 5000;
  double most_seconds = 60;
  bool varies_parameters = true;        ///< tries parameters of its own beside those given
  std::optional<Type> input_type = {};  ///< if not the first that the formula takes
};

/// Asks the oracle. Throws RequestError for settings that are refused, and for a backend that answers nothing.
Diagnosis diagnose(const Formula& expected, const Settings& settings, const Oracle& oracle,
                   const DiagnosisOptions& options = {});

/// From one input and one output that were recorded; nothing more can be asked. A scale and a zero point that are not
/// given are recovered. Throws RequestError where that cannot be done.
Diagnosis diagnose_observed(const Formula& expected, const Settings& settings, const Tensor& x, const Tensor& y);

/// Values for parameters that a formula cannot do without, where none are given: the bank varies them anyway.
Settings with_usual_values(const Settings& settings, const Signature& signature);

}  // namespace qassay
