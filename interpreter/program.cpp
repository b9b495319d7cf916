#include "interpreter/program.hpp"

#include <memory>

#include "interpreter/float_environment.hpp"

namespace qassay {

std::vector<std::pair<std::string, ProgramSource>> same_named(const Signature& callee) {
  std::vector<std::pair<std::string, ProgramSource>> sources;
  for (const Parameter& parameter : callee.parameters)
    sources.emplace_back(parameter.name, FromValue{std::string(parameter.name)});
  return sources;
}

ProgramState::ProgramState(const Arguments& whole, Inputs inputs)
    : values_(std::move(inputs)), settings_(settings_of(whole)) {}

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

std::size_t place_in(const Shape& shape, const Arguments& whole, std::size_t index) {
  const Shape& extents = whole.shape;
  if (element_count(shape) == element_count(extents)) return index;
  if (element_count(shape) <= 1) return 0;
  std::vector<std::int64_t> coordinates(extents.size());
  auto rest = static_cast<std::int64_t>(index);
  for (std::size_t d = extents.size(); d-- > 0; rest /= extents[d]) coordinates[d] = rest % extents[d];
  if (shape.size() != extents.size()) {  // a vector along the axis
    const std::int64_t axis = whole.whole(Role::axis);
    const auto at = static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(extents.size()) : axis);
    return at < extents.size() && shape == Shape{extents[at]} ? static_cast<std::size_t>(coordinates[at]) : 0;
  }
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (shape[d] <= 0 || extents[d] % shape[d] != 0) return 0;  // no grid of blocks
  }
  std::int64_t place = 0;
  for (std::size_t d = 0; d < extents.size(); ++d) place = place * shape[d] + coordinates[d] / (extents[d] / shape[d]);
  return static_cast<std::size_t>(place);
}

Formula composite(const Signature& signature, const std::function<ProgramCalls(const Arguments&)>& program,
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
      append(trace, call.callee.trace(bound.arguments, bound.inputs, place_in(bound.arguments.shape, arguments, index)),
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
          call.callee.exact(bound.arguments, bound.inputs, place_in(bound.arguments.shape, arguments, index));
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
      outputs.push_back(
          found != exact_values.end()
              ? found->second
              : Exact(state.tensor(output.name).real(place_in(state.tensor(output.name).shape(), arguments, index))));
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
