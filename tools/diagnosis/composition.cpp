#include "tools/diagnosis/composition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "tools/diagnosis/rule_space.hpp"

namespace qassay {
namespace {

/// A signature made at run time, with the text that it refers to. Formulas keep theirs alive.
struct OwnSignature {
  std::string id;
  std::string summary;
  Signature signature;
};

std::shared_ptr<OwnSignature> derived_from(const Signature& signature) {
  auto own = std::make_shared<OwnSignature>();
  own->signature = signature;
  return own;
}

/// The settings of a part among those of the whole, by role.
Settings settings_for(const Signature& part, const Arguments& whole) {
  const Settings all = settings_of(whole);
  Settings settings;
  for (const Parameter& parameter : part.parameters) {
    const Parameter* merged = whole.signature->parameter(parameter.role);
    if (merged != nullptr) settings.emplace(parameter.name, all.find(merged->name)->second);
  }
  return settings;
}

/// Smaller where fewer values are kept.
int width_of(OwnType type) {
  switch (type) {
    case OwnType::of_input:
    case OwnType::of_output: return 0;
    case OwnType::float32: return 1;
    case OwnType::float32_or_float64: return 2;
    case OwnType::float64: break;
  }
  return 3;
}

bool has_reals(const Parameter& parameter) {
  return parameter.kind == ParameterKind::real || parameter.kind == ParameterKind::integer_or_real;
}

/// Keeps real values in the narrower of two parameters' types.
void narrow(Parameter& parameter, const Parameter& other) {
  if (width_of(other.own_type) < width_of(parameter.own_type)) parameter.own_type = other.own_type;
}

/// A formula with a signature of its own, whose arguments become another formula's, with `fixed` added.
Formula called_through(const std::shared_ptr<OwnSignature>& own, const Formula& formula, const Settings& fixed) {
  const auto whole = [formula, fixed](const Arguments& arguments, const Inputs& inputs) {
    Settings settings = settings_of(arguments);
    settings.insert(fixed.begin(), fixed.end());
    return formula.arguments(inputs, settings);
  };
  Formula derived;
  derived.signature = &own->signature;
  derived.check = [own, whole](const Arguments& arguments) {
    const Input& x = own->signature.inputs.front();
    whole(arguments, {{std::string(x.name), Tensor(arguments.input_type, arguments.shape)}});
  };
  derived.evaluate = [formula, whole](const Arguments& arguments, const Inputs& inputs) {
    return formula.evaluate(whole(arguments, inputs), inputs);
  };
  derived.trace = [formula, whole](const Arguments& arguments, const Inputs& inputs, std::size_t index) {
    return formula.trace(whole(arguments, inputs), inputs, index);
  };
  derived.exact = [formula, whole](const Arguments& arguments, const Inputs& inputs, std::size_t index) {
    return formula.exact(whole(arguments, inputs), inputs, index);
  };
  return derived;
}

/// What a part of a composition is called with.
struct Call {
  Inputs inputs;
  Arguments arguments;
};

struct Chain {
  Formula quantize;
  Formula dequantize;
  Type output_type;

  Call to_codes(const Arguments& whole, const Tensor& x) const {
    Inputs inputs{{std::string(quantize.signature->inputs.front().name), x}};
    Arguments arguments = quantize.arguments(inputs, settings_for(*quantize.signature, whole));
    return {std::move(inputs), std::move(arguments)};
  }
  Call to_reals(const Arguments& whole, Tensor codes) const {
    Inputs inputs{{std::string(dequantize.signature->inputs.front().name), std::move(codes)}};
    Settings settings = settings_for(*dequantize.signature, whole);
    if (const Parameter* dtype = dequantize.signature->parameter(Role::dtype))
      settings.insert_or_assign(std::string(dtype->name), Written::scalar(std::string(name(output_type))));
    Arguments arguments = dequantize.arguments(inputs, settings);
    return {std::move(inputs), std::move(arguments)};
  }
  Tensor codes_of(Evaluation evaluation) const {
    return std::move(evaluation.outputs.find(quantize.signature->outputs.front().name)->second);
  }
  Tensor codes_of(const Call& call) const { return codes_of(quantize.evaluate(call.arguments, call.inputs)); }
  const Tensor& x_of(const Inputs& inputs) const {
    return inputs.find(quantize.signature->inputs.front().name)->second;
  }
};

[[noreturn]] void refuse(const Formula& formula, std::string_view what) {
  throw RequestError(ErrorKind::out_of_domain, fmt::format("{} {}", formula.id(), what));
}

void check_chain(const Formula& quantize, const Formula& dequantize) {
  for (const Formula* formula : {&quantize, &dequantize}) {
    if (formula->signature->kind != FormulaKind::elementwise || formula->signature->inputs.size() != 1)
      refuse(*formula, "is not elementwise: it is no function of one number");
  }
  const Signature& to_codes = *quantize.signature;
  const Parameter* dtype = to_codes.parameter(Role::dtype);
  if (is_integer(to_codes.inputs.front().types.front()) || to_codes.outputs.front().rule != OutputRule::of_dtype ||
      dtype == nullptr || !is_integer(dtype->types.front())) {
    refuse(quantize, "does not quantize: expected a formula from reals to codes, such as onnx.QuantizeLinear");
  }
  const Output& y = dequantize.signature->outputs.front();
  const Parameter* real = dequantize.signature->parameter(Role::dtype);
  const bool gives_reals = y.rule == OutputRule::of_dtype ? real != nullptr && is_floating(real->types.front())
                                                          : y.rule == OutputRule::fixed && is_floating(y.fixed);
  if (!is_integer(dequantize.signature->inputs.front().types.front()) || !gives_reals)
    refuse(dequantize, "does not dequantize: expected a formula from codes to reals, such as onnx.DequantizeLinear");
}

Type output_type_of(const Formula& dequantize, Type input_type) {
  const Output& y = dequantize.signature->outputs.front();
  if (y.rule == OutputRule::fixed) return y.fixed;
  const Parameter& dtype = *dequantize.signature->parameter(Role::dtype);
  if (std::ranges::find(dtype.types, input_type) != dtype.types.end()) return input_type;
  return type_named(dtype.fallback).value_or(dtype.types.front());
}

void merge_parameters(Signature& merged, const Signature& other) {
  for (Parameter parameter : other.parameters) {
    const auto same = std::ranges::find(merged.parameters, parameter.role, &Parameter::role);
    if (same == merged.parameters.end()) {
      if (merged.parameter(parameter.name) != nullptr) parameter.name = name(parameter.role);
      merged.parameters.push_back(parameter);
    } else if (has_reals(parameter)) {
      narrow(*same, parameter);
    }
  }
}

/// The step that made the codes, in place of the name that dequantize has for them.
void link_codes(Trace& trace, std::size_t end_of_codes, std::string_view input) {
  for (std::size_t i = end_of_codes; i < trace.size(); ++i) {
    for (Traced& operand : trace[i].operands) {
      const bool is_code = !operand.origin().step && operand.origin().name == input;
      if (is_code && end_of_codes > 0) operand = operand.from({end_of_codes - 1, {}});
    }
  }
}

}  // namespace

Formula composition(const Formula& quantize, const Formula& dequantize, Type input_type) {
  check_chain(quantize, dequantize);
  const Chain chain{quantize, dequantize, output_type_of(dequantize, input_type)};
  const auto own = derived_from(*quantize.signature);
  own->id = fmt::format("{}({}(x))", dequantize.id(), quantize.id());
  own->summary = fmt::format("{}, of q: {}", dequantize.signature->summary, quantize.signature->summary);
  Signature& signature = own->signature;
  signature.id = own->id;
  signature.summary = own->summary;
  merge_parameters(signature, *dequantize.signature);
  signature.outputs = {dequantize.signature->outputs.front()};
  signature.outputs.front().rule = OutputRule::fixed;
  signature.outputs.front().fixed = chain.output_type;
  signature.steps.insert(signature.steps.end(), dequantize.signature->steps.begin(), dequantize.signature->steps.end());

  Formula formula;
  formula.signature = &signature;
  formula.check = [chain, own](const Arguments& arguments) {
    const Call call = chain.to_codes(arguments, Tensor(arguments.input_type, arguments.shape));
    chain.to_reals(arguments, Tensor(call.arguments.output_type(0), arguments.shape));
  };
  formula.evaluate = [chain, own](const Arguments& arguments, const Inputs& inputs) {
    const Call call = chain.to_codes(arguments, chain.x_of(inputs));
    Evaluation to_codes = chain.quantize.evaluate(call.arguments, call.inputs);
    const std::string y(own->signature.outputs.front().name);
    Evaluation whole;
    // Where the codes are left open, so is what they stand for.
    if (const auto open = to_codes.unspecified.find(chain.quantize.signature->outputs.front().name);
        open != to_codes.unspecified.end())
      whole.unspecified.emplace(y, std::move(open->second));
    const Call next = chain.to_reals(arguments, chain.codes_of(std::move(to_codes)));
    Outputs outputs = chain.dequantize.evaluate(next.arguments, next.inputs).outputs;
    whole.outputs.emplace(y, std::move(outputs.find(y)->second));
    return whole;
  };
  formula.trace = [chain, own](const Arguments& arguments, const Inputs& inputs, std::size_t index) {
    const Call call = chain.to_codes(arguments, chain.x_of(inputs));
    const Call next = chain.to_reals(arguments, chain.codes_of(call));
    Trace trace;
    append(trace, chain.quantize.trace(call.arguments, call.inputs, index), *chain.quantize.signature);
    const std::size_t end_of_codes = trace.size();
    append(trace, chain.dequantize.trace(next.arguments, next.inputs, index), *chain.dequantize.signature);
    link_codes(trace, end_of_codes, chain.dequantize.signature->inputs.front().name);
    return trace;
  };
  formula.exact = [chain, own](const Arguments& arguments, const Inputs& inputs, std::size_t index) {
    const Call call = chain.to_codes(arguments, chain.x_of(inputs));
    Tensor codes = chain.codes_of(call);
    // The ideal code is one of the type's, whatever the arithmetic made of it.
    const Exact ideal = chain.quantize.exact(call.arguments, call.inputs, index).front();
    if (ideal.is_finite()) codes.set_integer(index, static_cast<std::int64_t>(nearest_integer(ideal.value())));
    const Call next = chain.to_reals(arguments, std::move(codes));
    return std::vector<Exact>{chain.dequantize.exact(next.arguments, next.inputs, index).front()};
  };
  return formula;
}

Formula with_fixed(const Formula& formula, const Settings& fixed) {
  const auto own = derived_from(*formula.signature);
  std::vector<Parameter>& parameters = own->signature.parameters;
  std::erase_if(parameters, [&](const Parameter& parameter) { return fixed.contains(parameter.name); });
  // The formula itself checks what its own types allow.
  for (Parameter& parameter : parameters) {
    if (parameter.kind == ParameterKind::integer) parameter.within = Within::any;
  }
  return called_through(own, formula, fixed);
}

Formula as_narrow_as(const Formula& formula, const Signature& other) {
  const auto own = derived_from(*formula.signature);
  for (Parameter& parameter : own->signature.parameters) {
    const Parameter* same = other.parameter(parameter.role);
    if (same != nullptr && has_reals(parameter) && has_reals(*same)) narrow(parameter, *same);
  }
  return called_through(own, formula, {});
}

Formula first_output_of(const Formula& formula) {
  const auto own = derived_from(*formula.signature);
  own->signature.outputs.resize(1);
  const auto as_own = [formula](const Arguments& arguments) {
    Arguments whole = arguments;
    whole.signature = formula.signature;
    return whole;
  };
  Formula derived;
  derived.signature = &own->signature;
  derived.check = [formula, as_own](const Arguments& arguments) { formula.check(as_own(arguments)); };
  derived.evaluate = [formula, as_own, own](const Arguments& arguments, const Inputs& inputs) {
    Evaluation evaluation = formula.evaluate(as_own(arguments), inputs);
    const auto is_other = [&](const auto& entry) { return entry.first != own->signature.outputs.front().name; };
    std::erase_if(evaluation.outputs, is_other);
    std::erase_if(evaluation.unspecified, is_other);
    return evaluation;
  };
  derived.trace = [formula, as_own](const Arguments& arguments, const Inputs& inputs, std::size_t index) {
    return formula.trace(as_own(arguments), inputs, index);
  };
  derived.exact = [formula, as_own](const Arguments& arguments, const Inputs& inputs, std::size_t index) {
    std::vector<Exact> values = formula.exact(as_own(arguments), inputs, index);
    values.resize(1);
    return values;
  };
  return derived;
}

Formula in_words_of(const Formula& formula, const Formula& other) {
  Formula derived = other;
  derived.evaluate = [formula, other](const Arguments& arguments, const Inputs& inputs) {
    return evaluate_as(formula, arguments, inputs);
  };
  return derived;
}

}  // namespace qassay
