// One adapter in one process: the protocol of tools/backends/README.md, and what every way of breaking it means.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "tools/harness/child_process.hpp"

namespace qassay {

/// A backend that cannot be run at all: nothing it does is a verdict.
class BackendFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What an adapter says of itself before it reads anything.
struct Hello {
  std::string backend;
  std::string version;
  std::map<std::string, std::string> packages;
  std::vector<std::string> formulas;

  bool claims(std::string_view formula_id) const;
};

/// How a request ended. `refused` is an answer (the backend rejects the request); `broken` is an adapter that breaks
/// the protocol.
struct Answer {
  enum class Kind { done, unsupported, refused, broken, crash, timeout, interrupted };
  Kind kind = Kind::done;
  std::string message;
};

class AdapterProcess {
 public:
  /// Starts the program and waits for its hello, three time limits long. Throws BackendFailure.
  AdapterProcess(const Command& command, std::chrono::milliseconds time_limit);

  const Hello& hello() const { return hello_; }
  /// Sends a request and judges the answer. Afterwards the process may be unusable.
  Answer ask(const nlohmann::json& request);
  /// Whether another request can be sent.
  bool is_usable() const { return is_usable_; }
  /// Lets the program end by itself.
  void finish();

 private:
  Answer judge(ChildProcess::Event event, const std::string& line, const std::string& case_name);
  Answer give_up(Answer::Kind kind, const std::string& what);
  std::string with_error_lines(std::string message) const;

  std::chrono::milliseconds time_limit_;
  ChildProcess process_;
  Hello hello_;
  bool is_usable_ = true;
};

}  // namespace qassay
