#include "tools/harness/program_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "tools/case_program.hpp"
#include "tools/cases.hpp"
#include "tools/harness/compare.hpp"
#include "tools/harness/request.hpp"

namespace qassay {
namespace {

/// One step as a case of its own: the callee on what there is.
Case case_of(const ProgramState::Bound& bound, const Evaluation& evaluation) {
  Case made{bound.inputs, bound.arguments, {}};
  for (const auto& [output, tensor] : evaluation.outputs) {
    ExpectedOutput& expected = made.expectation.outputs[output];
    expected.values = tensor;
    if (const auto open = evaluation.unspecified.find(output); open != evaluation.unspecified.end())
      expected.unspecified = open->second;
  }
  return made;
}

std::string step_text(std::size_t number, const ProgramCall& call) {
  std::vector<std::string> values;
  for (const auto& [output, value] : call.outputs) values.push_back(value);
  return fmt::format("step {}, {} = {}", number, fmt::join(values, ", "), call.callee.id());
}

/// What a step did that its formula does not; nothing if it followed.
std::string parting_of(const Case& made, const ProgramCall& call, const Outputs& got, std::size_t number) {
  for (const auto& [output, expected] : made.expectation.outputs) {
    const OutputComparison comparison = compare(output, expected, got.find(output)->second, {}, 0);
    if (comparison.mismatches == 0) continue;
    return fmt::format(
        "{}, is the first that gives something else than its formula does of the same inputs ({}: {} of "
        "{} elements)",
        step_text(number, call), output, comparison.mismatches, comparison.compared());
  }
  return {};
}

}  // namespace

ProgramAnswer run_program(const CaseSpec& spec, const Case& made, const std::filesystem::path& folder,
                          const std::function<Answer(const nlohmann::json&)>& ask) {
  ProgramAnswer program;
  ProgramState state(*made.arguments, made.inputs);
  std::size_t number = 0;
  for (const ProgramCall& call : spec.program()->calls()) {
    ++number;
    const auto fail = [&](Answer::Kind kind, const std::string& message) {
      program.answer = {kind, fmt::format("{}: {}", step_text(number, call), message)};
    };
    const std::filesystem::path place = folder / std::to_string(number);
    std::filesystem::create_directory(place);
    try {
      const ProgramState::Bound bound = state.bind(call);
      const Case step = case_of(bound, call.callee.evaluate(bound.arguments, bound.inputs));
      const CaseSpec step_spec{spec.name, &call.callee, spec.group, bound.settings, std::nullopt};
      const nlohmann::json request = make_request(step_spec, step, place);
      if (const Answer answer = ask(request); answer.kind != Answer::Kind::done) {
        fail(answer.kind, answer.message);
        return program;
      }
      const std::vector<Tensor> outputs = read_outputs(*call.callee.signature, request);
      Evaluation given;
      for (std::size_t o = 0; o < outputs.size(); ++o)
        given.outputs.emplace(call.callee.signature->outputs[o].name, outputs[o]);
      if (program.first_parting.empty()) program.first_parting = parting_of(step, call, given.outputs, number);
      state.take(call, std::move(given));
    } catch (const RequestError& error) {
      fail(Answer::Kind::broken, error.what());
      return program;
    }
  }
  for (const Output& output : spec.formula->signature->outputs) program.outputs.push_back(state.tensor(output.name));
  return program;
}

}  // namespace qassay
