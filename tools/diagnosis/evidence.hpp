// What was asked of a backend, what it answered, and which hypotheses agree with it.
#pragma once

#include <array>
#include <chrono>
#include <string>
#include <vector>

#include "tools/diagnosis/diagnosis.hpp"

namespace qassay {

/// Batches by the stage that they are evidence for.
class Evidence {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Evidence(const DiagnosisOptions& options) : options_(options), start_(Clock::now()) {}

  /// Asks and keeps the answer. False if there is none, or if the limits are reached.
  bool ask(const Formula& expected, const Oracle& oracle, Stage stage, Inputs inputs, const Settings& settings);
  void add(Stage stage, Batch batch);

  /// Those that reproduce everything that was observed in the stage, from batch `first` on.
  std::vector<Hypothesis> fitting(std::vector<Hypothesis> hypotheses, const Formula& expected, Stage stage,
                                  std::size_t first = 0) const;
  /// The same requests, answered by the expected formula.
  Evidence answered_by(const Formula& formula) const;

  const std::vector<Batch>& of(Stage stage) const { return batches_[static_cast<std::size_t>(stage)]; }
  std::vector<Batch> all() const;
  std::size_t elements() const { return elements_; }
  std::size_t requests() const { return requests_; }
  std::size_t requests_answered() const;
  std::size_t elements_left() const { return options_.most_elements - std::min(elements_, options_.most_elements); }
  bool is_out_of_time() const { return seconds() > options_.most_seconds; }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void note(std::string text);

  DiagnosisOptions options_;
  Clock::time_point start_;
  std::array<std::vector<Batch>, kStageCount> batches_;
  std::size_t elements_ = 0;
  std::size_t requests_ = 0;
  std::vector<std::string> notes_;
};

/// An element of a batch that `misfit_of` found.
Witness witness_of(const Batch& batch, std::size_t element, const Tensor& expected, const Tensor& got);

/// "scale=0.1 zero_point=3", of one element where parameters are vectors.
std::string settings_text(const Arguments& arguments);

}  // namespace qassay
