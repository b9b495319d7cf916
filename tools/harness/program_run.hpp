// Runs the steps of a program on a backend, each on what the backend gave before.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tools/harness/adapter_process.hpp"

namespace qassay {

struct Case;
struct CaseSpec;
class Tensor;

struct ProgramAnswer {
  Answer answer;
  std::vector<Tensor> outputs;  ///< of a `done` answer: every value, in the order of the program's signature
  std::string first_parting;    ///< the first step that gives something else than its formula does of the same inputs
};

/// `ask` sends one request. A step that is not done ends the program; its message names the step.
ProgramAnswer run_program(const CaseSpec& spec, const Case& made, const std::filesystem::path& folder,
                          const std::function<Answer(const nlohmann::json&)>& ask);

}  // namespace qassay
