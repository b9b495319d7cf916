// A backend as something that can be asked: its adapter in a process of its own.
#pragma once

#include "tools/cases.hpp"
#include "tools/diagnosis/diagnosis.hpp"
#include "tools/harness/backend.hpp"
#include "tools/harness/session.hpp"
#include "tools/harness/temporary_folder.hpp"

namespace qassay {

class BackendOracle {
 public:
  /// Starts the adapter. One that claims another version of the formula is asked for that. Throws BackendFailure, also
  /// where it claims neither; RequestError where its environment is missing.
  BackendOracle(const Backend& backend, const Formula& expected);

  /// A process that crashed or hung is started again for the next question.
  OracleAnswer operator()(const Inputs& inputs, const Settings& settings);

  /// The same of any formula that the adapter claims; the outputs have its names.
  OracleAnswer ask(const Formula& formula, const Inputs& inputs, const Settings& settings);
  /// The formula itself, or another version of it that the adapter claims. Throws BackendFailure where it claims
  /// neither.
  const Formula& claimed(const Formula& formula) const;

  /// One case of the formula asked for: how the request ended, and the outputs of one that is done.
  std::pair<Answer, std::vector<Tensor>> ask(const CaseSpec& spec, const Case& made);

  const Hello& hello() const { return hello_; }
  /// The formula the adapter is asked for: the expected one, or another version of it.
  const Formula& asked() const { return *asked_; }
  void finish();

 private:
  Backend backend_;
  const Formula& expected_;
  const Formula* asked_;
  TemporaryFolder folder_;
  BackendSession session_;
  Hello hello_;
};

}  // namespace qassay
