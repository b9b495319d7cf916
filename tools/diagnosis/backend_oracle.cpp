#include "tools/diagnosis/backend_oracle.hpp"

#include <fmt/format.h>

#include "interpreter/registry.hpp"
#include "tools/cases.hpp"

namespace qassay {
namespace {

std::string_view name(Answer::Kind kind) {
  switch (kind) {
    case Answer::Kind::done: return "done";
    case Answer::Kind::unsupported: return "unsupported";
    case Answer::Kind::refused: return "refused";
    case Answer::Kind::broken: return "broken adapter";
    case Answer::Kind::crash: return "crash";
    case Answer::Kind::timeout: return "timeout";
    case Answer::Kind::interrupted: return "interrupted";
  }
  return "";
}

}  // namespace

BackendOracle::BackendOracle(const Backend& backend, const Formula& expected)
    : backend_(backend),
      expected_(expected),
      asked_(&expected),
      session_(command_of(backend), backend.time_limit, folder_.path() / "case"),
      hello_(session_.start()) {
  asked_ = &claimed(expected);
}

const Formula& BackendOracle::claimed(const Formula& formula) const {
  if (hello_.claims(formula.id())) return formula;
  const auto stem = [](std::string_view id) { return id.substr(0, id.find('@')); };
  for (const Formula& other : all_formulas()) {
    if (stem(other.id()) == stem(formula.id()) && hello_.claims(other.id())) return other;
  }
  throw BackendFailure(fmt::format("'{}' does not claim {}", backend_.name, formula.id()));
}

std::pair<Answer, std::vector<Tensor>> BackendOracle::ask(const CaseSpec& spec, const Case& made) {
  ProgramAnswer given = session_.answer(spec, made);
  return {std::move(given.answer), std::move(given.outputs)};
}

OracleAnswer BackendOracle::ask(const Formula& formula, const Inputs& inputs, const Settings& settings) {
  CaseSpec spec;
  spec.name = fmt::format("{}/diagnose", formula.id());
  spec.formula = &formula;
  spec.settings = settings;
  Case made;
  made.inputs = inputs;
  made.arguments = formula.arguments(inputs, settings);
  // Types and shapes of the outputs are what the formula gives.
  for (auto& [output, tensor] : formula.evaluate(*made.arguments, inputs).outputs)
    made.expectation.outputs.emplace(output, ExpectedOutput{std::move(tensor), {}, {}});
  auto [answer, tensors] = ask(spec, made);
  if (answer.kind != Answer::Kind::done)
    return {std::nullopt, fmt::format("{}: {}", name(answer.kind), answer.message)};
  Outputs outputs;
  for (std::size_t o = 0; o < tensors.size(); ++o)
    outputs.emplace(formula.signature->outputs[o].name, std::move(tensors[o]));
  return {std::move(outputs), {}};
}

OracleAnswer BackendOracle::operator()(const Inputs& inputs, const Settings& settings) {
  OracleAnswer answer = ask(*asked_, inputs, settings);
  if (asked_ == &expected_ || !answer.outputs) return answer;
  Outputs renamed;
  for (std::size_t o = 0; o < asked_->signature->outputs.size(); ++o) {
    renamed.emplace(expected_.signature->outputs[o].name,
                    std::move(answer.outputs->find(asked_->signature->outputs[o].name)->second));
  }
  return {std::move(renamed), {}};
}

void BackendOracle::finish() {
  session_.finish();
}

}  // namespace qassay
