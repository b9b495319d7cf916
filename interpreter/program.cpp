#include "interpreter/program.hpp"

#include <memory>

namespace qassay {
namespace {

using Calls = std::vector<ProgramCall>;

/// The values of a program while it runs.
struct Environment {
  Inputs values;
  std::map<std::string, std::vector<std::uint8_t>, std::less<>> unspecified;

  bool is_open(std::string_view name) const {
    const auto found = unspecified.find(name);
    return found != unspecified.end();
  }
};

/// What one call is given.
struct Bound {
  Inputs inputs;
  Arguments arguments;
};

Bound bind(const ProgramCall& call, const Environment& environment) {
  Bound bound;
  for (const auto& [port, value] : call.inputs) bound.inputs.emplace(port, environment.values.find(value)->second);
  Settings settings;
  for (const auto& [parameter, source] : call.parameters) {
    settings.emplace(parameter, std::holds_alternative<Literal>(source)
                                    ? Written::parse(std::get<Literal>(source).text)
                                    : Written::of(environment.values.find(std::get<FromValue>(source).name)->second));
  }
  bound.arguments = call.callee.arguments(bound.inputs, settings);
  return bound;
}

/// Whether a call is steered by a scalar that the text leaves open: then all it gives is open.
bool is_steered_by_open(const ProgramCall& call, const Environment& environment) {
  for (const auto& [parameter, source] : call.parameters) {
    if (const auto* value = std::get_if<FromValue>(&source); value != nullptr && environment.is_open(value->name))
      return true;
  }
  return false;
}

void run(const ProgramCall& call, const Bound& bound, Environment& environment) {
  Evaluation evaluation = call.callee.evaluate(bound.arguments, bound.inputs);
  const bool all_open = is_steered_by_open(call, environment);
  for (const auto& [output, value] : call.outputs) {
    Tensor& tensor = evaluation.outputs.find(output)->second;
    if (all_open) environment.unspecified[std::string(value)].assign(tensor.size(), 1);
    else if (const auto open = evaluation.unspecified.find(output); open != evaluation.unspecified.end()) {
      environment.unspecified[std::string(value)] = open->second;
    }
    environment.values.insert_or_assign(std::string(value), std::move(tensor));
  }
}

}  // namespace

Formula composite(const Signature& signature, std::vector<ProgramCall> calls,
                  std::function<void(const Arguments&)> check) {
  const auto program = std::make_shared<const Calls>(std::move(calls));
  Formula formula;
  formula.signature = &signature;
  formula.check = std::move(check);
  formula.evaluate = [program, &signature](const Arguments&, const Inputs& inputs) {
    Environment environment{inputs, {}};
    for (const ProgramCall& call : *program) run(call, bind(call, environment), environment);
    Evaluation evaluation;
    for (const Output& output : signature.outputs) {
      const std::string name(output.name);
      evaluation.outputs.emplace(name, std::move(environment.values.find(name)->second));
      if (environment.is_open(name)) evaluation.unspecified.emplace(name, environment.unspecified[name]);
    }
    return evaluation;
  };
  formula.trace = [program](const Arguments&, const Inputs& inputs, std::size_t index) {
    Environment environment{inputs, {}};
    Trace trace;
    for (const ProgramCall& call : *program) {
      const Bound bound = bind(call, environment);
      const bool is_scalar = element_count(bound.arguments.shape) == 1;
      append(trace, call.callee.trace(bound.arguments, bound.inputs, is_scalar ? 0 : index), *call.callee.signature);
      run(call, bound, environment);
    }
    return trace;
  };
  formula.exact = [program, &signature](const Arguments&, const Inputs& inputs, std::size_t index) {
    Environment environment{inputs, {}};
    std::map<std::string, Exact, std::less<>> exact_values;
    for (const ProgramCall& call : *program) {
      Bound bound = bind(call, environment);
      for (const auto& [parameter, source] : call.parameters) {
        const auto* value = std::get_if<FromValue>(&source);
        if (value == nullptr || !exact_values.contains(value->name)) continue;
        bound.arguments[call.callee.signature->parameter(parameter)->role].exact =
            exact_values.find(value->name)->second;
      }
      const bool is_scalar = element_count(bound.arguments.shape) == 1;
      const std::vector<Exact> results = call.callee.exact(bound.arguments, bound.inputs, is_scalar ? 0 : index);
      for (std::size_t o = 0; o < results.size(); ++o) {
        for (const auto& [output, value] : call.outputs) {
          if (call.callee.signature->outputs[o].name == output)
            exact_values.insert_or_assign(std::string(value), results[o]);
        }
      }
      run(call, bound, environment);
    }
    std::vector<Exact> outputs;
    for (const Output& output : signature.outputs) outputs.push_back(exact_values.find(output.name)->second);
    return outputs;
  };
  return formula;
}

}  // namespace qassay
