// One process of a backend at a time, asked case after case.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>

#include "tools/harness/adapter_process.hpp"
#include "tools/harness/program_run.hpp"

namespace qassay {

class BackendSession {
 public:
  /// Tensors are exchanged in `folder`, which is emptied for every case.
  BackendSession(Command command, std::chrono::milliseconds time_limit, std::filesystem::path folder);

  /// Starts the process, if there is none. Throws BackendFailure.
  const Hello& start();
  /// What the backend gives for a case, step by step for a program; a tensor that cannot be read is an answer of kind
  /// `broken`. A process that crashed or hung is started again. Throws BackendFailure.
  ProgramAnswer answer(const CaseSpec& spec, const Case& made);
  /// Lets the process end by itself.
  void finish();

 private:
  ProgramAnswer answer_alone(const CaseSpec& spec, const Case& made);
  Answer ask(const nlohmann::json& request);

  Command command_;
  std::chrono::milliseconds time_limit_;
  std::filesystem::path folder_;
  std::unique_ptr<AdapterProcess> process_;
};

}  // namespace qassay
