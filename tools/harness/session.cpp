#include "tools/harness/session.hpp"

#include <nlohmann/json.hpp>

#include "tools/cases.hpp"
#include "tools/harness/request.hpp"

namespace qassay {

BackendSession::BackendSession(Command command, std::chrono::milliseconds time_limit, std::filesystem::path folder)
    : command_(std::move(command)), time_limit_(time_limit), folder_(std::move(folder)) {}

const Hello& BackendSession::start() {
  if (process_ == nullptr || !process_->is_usable()) process_ = std::make_unique<AdapterProcess>(command_, time_limit_);
  return process_->hello();
}

Answer BackendSession::ask(const nlohmann::json& request) {
  start();
  return process_->ask(request);
}

ProgramAnswer BackendSession::answer(const CaseSpec& spec, const Case& made) {
  std::filesystem::remove_all(folder_);  // no output of another case can be taken for this one's
  std::filesystem::create_directories(folder_);
  if (spec.program() == nullptr || !made.arguments) return answer_alone(spec, made);
  return run_program(spec, made, folder_, [this](const nlohmann::json& request) { return ask(request); });
}

ProgramAnswer BackendSession::answer_alone(const CaseSpec& spec, const Case& made) {
  const nlohmann::json request = make_request(spec, made, folder_);
  ProgramAnswer given{ask(request), {}, {}};
  if (given.answer.kind != Answer::Kind::done) return given;
  try {
    given.outputs = read_outputs(*spec.formula->signature, request);
  } catch (const RequestError& error) {
    given.answer = {Answer::Kind::broken, error.what()};
  }
  return given;
}

void BackendSession::finish() {
  if (process_ != nullptr && process_->is_usable()) process_->finish();
}

}  // namespace qassay
