#include "interpreter/program.hpp"

#include <memory>

#include "interpreter/float_environment.hpp"

namespace qassay {

ProgramState::ProgramState(const Arguments& whole, const Inputs& inputs)
    : whole_(whole), values_(inputs), settings_(settings_of(whole)) {}

const Tensor& ProgramState::tensor(std::string_view name) const {
  const auto found = values_.find(name);
  return found != values_.end() ? found->second : *settings_.find(name)->second.tensor;
}

const std::vector<std::uint8_t>* ProgramState::unspecified(std::string_view name) const {
  const auto found = unspecified_.find(name);
  return found == unspecified_.end() ? nullptr : &found->second;
}

ProgramState::Bound ProgramState::bind(const ProgramCall& call) const {
  Bound bound;
  for (const auto& [port, value] : call.inputs) bound.inputs.emplace(port, tensor(value));
  for (const auto& [parameter, source] : call.parameters) {
    if (const auto* literal = std::get_if<Literal>(&source)) {
      bound.settings.emplace(parameter, literal->written);
      continue;
    }
    const std::string& name = std::get<FromValue>(source).name;
    const auto computed = values_.find(name);
    bound.settings.emplace(parameter,
                           computed != values_.end() ? Written::of(computed->second) : settings_.find(name)->second);
  }
  bound.arguments = call.callee.arguments(bound.inputs, bound.settings);
  return bound;
}

void ProgramState::take(const ProgramCall& call, Evaluation evaluation) {
  // A call that is steered by a value that the text leaves open gives nothing that is not open.
  bool is_all_open = false;
  for (const auto& [parameter, source] : call.parameters) {
    const auto* value = std::get_if<FromValue>(&source);
    is_all_open = is_all_open || (value != nullptr && unspecified(value->name) != nullptr);
  }
  for (const auto& [output, value] : call.outputs) {
    Tensor& tensor = evaluation.outputs.find(output)->second;
    if (is_all_open) unspecified_[value].assign(tensor.size(), 1);
    else if (const auto open = evaluation.unspecified.find(output); open != evaluation.unspecified.end()) {
      unspecified_[value] = open->second;
    }
    values_.insert_or_assign(value, std::move(tensor));
  }
}

namespace {

/// Where a tensor holds what element `index` of the whole's first input has to do with.
std::size_t place_in(const Tensor& tensor, std::size_t index, const ProgramState& state) {
  if (tensor.shape() == state.whole().shape) return index;
  const std::size_t slice = parameter_layout(state.whole()).position(index).parameter_index;
  return slice < tensor.size() ? slice : 0;
}

/// The element of a call that element `index` of the whole's first input has to do with: itself, or its slice's.
std::size_t element_of(const ProgramState::Bound& bound, std::size_t index, const ProgramState& state) {
  if (bound.arguments.shape == state.whole().shape) return index;
  const auto count = static_cast<std::size_t>(element_count(bound.arguments.shape));
  if (count <= 1) return 0;
  const std::size_t slice = parameter_layout(state.whole()).position(index).parameter_index;
  return slice < count ? slice : 0;
}

}  // namespace

Formula composite(const Signature& signature, std::function<ProgramCalls(const Arguments&)> program,
                  std::function<void(const Arguments&)> check) {
  Formula formula;
  formula.signature = &signature;
  formula.check = std::move(check);
  formula.evaluate = [program, &signature](const Arguments& arguments, const Inputs& inputs) {
    const DefaultFloatEnvironment environment;
    ProgramState state(arguments, inputs);
    for (const ProgramCall& call : program(arguments)) {
      const ProgramState::Bound bound = state.bind(call);
      state.take(call, call.callee.evaluate(bound.arguments, bound.inputs));
    }
    Evaluation evaluation;
    for (const Output& output : signature.outputs) {
      evaluation.outputs.emplace(output.name, state.tensor(output.name));
      if (const auto* open = state.unspecified(output.name)) evaluation.unspecified.emplace(output.name, *open);
    }
    return evaluation;
  };
  formula.trace = [program](const Arguments& arguments, const Inputs& inputs, std::size_t index) {
    const DefaultFloatEnvironment environment;
    ProgramState state(arguments, inputs);
    Trace trace;
    for (const ProgramCall& call : program(arguments)) {
      const ProgramState::Bound bound = state.bind(call);
      append(trace, call.callee.trace(bound.arguments, bound.inputs, element_of(bound, index, state)),
             *call.callee.signature);
      state.take(call, call.callee.evaluate(bound.arguments, bound.inputs));
    }
    return trace;
  };
  formula.exact = [program, &signature](const Arguments& arguments, const Inputs& inputs, std::size_t index) {
    const DefaultFloatEnvironment environment;
    ProgramState state(arguments, inputs);
    std::map<std::string, Exact, std::less<>> exact_values;
    for (const ProgramCall& call : program(arguments)) {
      ProgramState::Bound bound = state.bind(call);
      for (const auto& [parameter, source] : call.parameters) {
        const auto* value = std::get_if<FromValue>(&source);
        if (value == nullptr || !exact_values.contains(value->name)) continue;
        bound.arguments[call.callee.signature->parameter(std::string_view(parameter))->role].exact =
            exact_values.find(value->name)->second;
      }
      const std::vector<Exact> results =
          call.callee.exact(bound.arguments, bound.inputs, element_of(bound, index, state));
      for (std::size_t o = 0; o < results.size(); ++o) {
        for (const auto& [output, value] : call.outputs) {
          if (call.callee.signature->outputs[o].name == output) exact_values.insert_or_assign(value, results[o]);
        }
      }
      state.take(call, call.callee.evaluate(bound.arguments, bound.inputs));
    }
    std::vector<Exact> outputs;
    for (const Output& output : signature.outputs) {
      const auto found = exact_values.find(output.name);
      outputs.push_back(found != exact_values.end()
                            ? found->second
                            : Exact(state.tensor(output.name).real(place_in(state.tensor(output.name), index, state))));
    }
    return outputs;
  };
  return formula;
}

Formula composite(const Signature& signature, ProgramCalls calls, std::function<void(const Arguments&)> check) {
  const auto program = std::make_shared<const ProgramCalls>(std::move(calls));
  return composite(
      signature, [program](const Arguments&) { return *program; }, std::move(check));
}

}  // namespace qassay
