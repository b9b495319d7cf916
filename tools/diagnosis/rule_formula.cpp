// Hypotheses as formulas.
#include <algorithm>
#include <cmath>
#include <map>

#include "interpreter/float_environment.hpp"
#include "interpreter/parameter_layout.hpp"
#include "interpreter/registry.hpp"
#include "tools/diagnosis/rule_space.hpp"
#include "tools/harness/translation.hpp"

namespace qassay {
namespace {

bool flushes_inputs(Subnormals rule) {
  return rule == Subnormals::inputs || rule == Subnormals::inputs_and_scales || rule == Subnormals::everywhere;
}
bool flushes_scales(Subnormals rule) {
  return rule == Subnormals::scales || rule == Subnormals::inputs_and_scales || rule == Subnormals::everywhere;
}
bool flushes_outputs(Subnormals rule) {
  return rule == Subnormals::outputs || rule == Subnormals::everywhere;
}

/// A scale kept in binary64 is computed with in binary32.
void flush_subnormals(Tensor& tensor) {
  if (!is_floating(tensor.type())) return;
  const double smallest =
      std::ldexp(1.0, lowest_exponent(tensor.type() == Type::float64 ? Type::float32 : tensor.type()));
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    const double value = tensor.real(i);
    if (value != 0 && std::abs(value) < smallest) tensor.set_real(i, std::copysign(0.0, value));
  }
}

/// A flushed reciprocal of the scale is a scale too large to divide anything.
void flush_reciprocals(Tensor& tensor) {
  if (!is_floating(tensor.type())) return;
  const double largest = std::ldexp(1.0, -lowest_exponent(Type::float32));
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    if (std::abs(tensor.real(i)) > largest) tensor.set_real(i, INFINITY);
  }
}

void reverse(Tensor& tensor) {
  for (std::size_t i = 0, j = tensor.size(); i + 1 < j; ++i) {
    const std::uint64_t kept = tensor.bits(i);
    tensor.set_bits(i, tensor.bits(--j));
    tensor.set_bits(j, kept);
  }
}

/// The last other axis along which a vector of parameters fits.
std::optional<std::int64_t> another_axis(const Arguments& arguments) {
  const ParameterLayout layout = parameter_layout(arguments);
  for (std::size_t other = arguments.shape.size(); other-- > 0;) {
    if (other != layout.axis && arguments.shape[other] == arguments.shape[layout.axis])
      return static_cast<std::int64_t>(other);
  }
  return std::nullopt;
}

void misplace_channels(Arguments& arguments, Channels rule) {
  if (rule == Channels::own || parameter_layout(arguments).is_per_tensor) return;
  if (rule == Channels::another_axis || rule == Channels::another_axis_or_reversed) {
    if (const auto axis = another_axis(arguments)) {
      arguments[Role::axis].whole = *axis;
      return;
    }
    if (rule == Channels::another_axis) return;
  }
  for (Argument& argument : arguments.by_role) {
    if (!argument.tensor) continue;
    if (rule != Channels::first) {
      reverse(*argument.tensor);
      continue;
    }
    for (std::size_t i = 1; i < argument.tensor->size(); ++i) argument.tensor->set_bits(i, argument.tensor->bits(0));
  }
}

std::size_t vector_length(Tail rule) {
  return rule == Tail::as_body ? 1 : std::size_t{2} << static_cast<unsigned>(rule);
}

void repeat_in_tail(Tensor& tensor, std::size_t length) {
  for (std::size_t i = tensor.size(); i-- > std::max<std::size_t>(tensor.size() / length * length, 1);) {
    tensor.set_bits(i, tensor.bits(i - 1));
  }
}

bool is_let_through(std::int64_t code, bool is_nan, CodeRange range, Mask mask) {
  switch (mask) {
    case Mask::in_range: break;
    case Mask::between_ends: return !is_nan && range.lowest < code && code < range.highest;
    case Mask::everywhere: return true;
  }
  return !is_nan && range.contains(code);
}

/// A fake quantization takes its quotient in binary32 whatever 16-bit type x has.
Evaluation fake_quantize(const Arguments& arguments, const Tensor& x, const Rule& rule) {
  Tensor y(arguments.output_type(0), x.shape());
  Tensor mask(Type::boolean, x.shape());
  const CodeRange range = codes_of(arguments);
  const ParameterLayout layout = parameter_layout(arguments);
  const Type format = arguments.input_type == Type::float64 ? Type::float64 : Type::float32;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Position at = layout.position(i);
    const double scale = rounded_to(Type::float32, arguments.real(Role::scale, at));
    const std::int64_t zero_point = arguments.integer(Role::zero_point, at);
    const std::int64_t code = quantize(x.real(i), scale, zero_point, range, format, rule.quantize);
    // In range is what no limit changes.
    QuantizeRule wide = rule.quantize;
    wide.range = QuantizeRule::Range::full;
    const std::int64_t unlimited =
        quantize(x.real(i), scale, zero_point, {range.lowest - 1, range.highest + 1}, format, wide);
    y.set_real(i,
               dequantize(code, arguments.real(Role::scale, at), zero_point, Type::int32, y.type(), rule.dequantize));
    mask.set_bits(i, is_let_through(unlimited, std::isnan(x.real(i)), range, rule.mask) ? 1 : 0);
  }
  const Signature& signature = *arguments.signature;
  Evaluation evaluation;
  evaluation.outputs.emplace(signature.outputs[0].name, std::move(y));
  if (signature.outputs.size() > 1) evaluation.outputs.emplace(signature.outputs[1].name, std::move(mask));
  return evaluation;
}

Tensor dequantize(const Arguments& arguments, const Tensor& codes, const DequantizeRule& rule) {
  Tensor y(arguments.output_type(0), codes.shape());
  const ParameterLayout layout = parameter_layout(arguments);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const Position at = layout.position(i);
    y.set_real(i, dequantize(codes.integer(i), arguments.real(Role::scale, at), arguments.integer(Role::zero_point, at),
                             codes.type(), y.type(), rule));
  }
  return y;
}

Tensor requantize(const Arguments& arguments, const Tensor& accumulators, const RequantizeRule& rule) {
  Tensor codes(arguments.output_type(0), accumulators.shape());
  const CodeRange range = codes_of(arguments);
  const ParameterLayout layout = parameter_layout(arguments);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const Position at = layout.position(i);
    const RequantizeScales scales{arguments.real(Role::input_scale, at), arguments.real(Role::weight_scale, at),
                                  arguments.real(Role::scale, at)};
    codes.set_integer(i, requantize(static_cast<std::int32_t>(accumulators.integer(i)), scales,
                                    arguments.integer(Role::zero_point, at), range, rule));
  }
  return codes;
}

Evaluation evaluate_rule(const Arguments& arguments, const Inputs& inputs, const Rule& rule, Family family) {
  const DefaultFloatEnvironment environment;
  const Tensor& x = inputs.find(arguments.signature->inputs.front().name)->second;
  if (family == Family::fake_quantize) return fake_quantize(arguments, x, rule);
  Tensor y = family == Family::quantize     ? quantize(arguments, x, rule.quantize)
             : family == Family::dequantize ? dequantize(arguments, x, rule.dequantize)
                                            : requantize(arguments, x, rule.requantize);
  Evaluation evaluation;
  evaluation.outputs.emplace(arguments.signature->outputs.front().name, std::move(y));
  return evaluation;
}

/// A tensor's values in the type that another formula keeps this parameter in.
Tensor for_parameter(const Tensor& values, std::size_t index, const Parameter& target) {
  const bool is_narrower = values.type() == Type::float64 && target.own_type != OwnType::float64;
  Tensor one(is_narrower ? Type::float32 : values.type(), target.spread == Spread::along_axis ? Shape{1} : Shape{});
  if (is_narrower) one.set_real(0, values.real(index));
  else one.set_bits(0, values.bits(index));
  return one;
}

/// The arguments of one position, in another formula's words, for a tensor of shape {1, n}.
Settings settings_at(const Arguments& arguments, Position at, const Signature& other) {
  Settings settings = translate(settings_of(arguments), *arguments.signature, other);
  for (auto& [name, written] : settings) {
    const Parameter& parameter = *other.parameter(name);
    const Parameter* source = arguments.signature->parameter(parameter.role);
    if (source == nullptr) source = arguments.signature->parameter(parameter.name);
    if (written.tensor) written.tensor = for_parameter(*written.tensor, arguments[source->role].index(at), parameter);
    if (parameter.role == Role::axis || parameter.role == Role::block_size) written = Written::scalar("0");
  }
  if (const Parameter* axis = other.parameter(Role::axis))
    settings.insert_or_assign(std::string(axis->name), Written::scalar("0"));
  return settings;
}

Tensor gathered(const Tensor& tensor, const std::vector<std::size_t>& elements) {
  Tensor part = Tensor::uncleared(tensor.type(), {1, static_cast<std::int64_t>(elements.size())});
  for (std::size_t i = 0; i < elements.size(); ++i) part.set_bits(i, tensor.bits(elements[i]));
  return part;
}

bool are_translatable(const Signature& from, const Signature& to) {
  if (&from == &to) return true;
  if (from.inputs.size() != to.inputs.size() || from.outputs.size() != to.outputs.size()) return false;
  const Family family = family_of(from);
  return family == Family::other ? op_of(from.id) == op_of(to.id) : family == family_of(to);
}

}  // namespace

Family family_of(const Signature& signature) {
  if (is_quantization(signature)) return Family::quantize;
  const bool is_affine = signature.kind == FormulaKind::elementwise && signature.inputs.size() == 1 &&
                         signature.parameter(Role::scale) != nullptr &&
                         signature.parameter(Role::zero_point) != nullptr &&
                         signature.parameter(Role::zero_point)->kind != ParameterKind::real;
  if (!is_affine) return Family::other;
  const bool from_integers = is_integer(signature.inputs[0].types.front());
  if (signature.parameter(Role::input_scale) != nullptr) return Family::requantize;
  if (from_integers) return Family::dequantize;
  return signature.parameter(Role::quant_min) != nullptr ? Family::fake_quantize : Family::other;
}

std::vector<Hypothesis> named_hypotheses(const Formula& expected) {
  std::vector<Hypothesis> named{{&expected, {}}};
  for (const Formula& formula : all_formulas()) {
    if (formula.signature != expected.signature && are_translatable(*expected.signature, *formula.signature))
      named.push_back({&formula, {}});
  }
  return named;
}

Evaluation evaluate_as(const Formula& other, const Arguments& arguments, const Inputs& inputs) {
  const Signature& own = *arguments.signature;
  const Signature& signature = *other.signature;
  if (signature.kind != FormulaKind::elementwise) {
    Evaluation evaluation = other(translate(inputs, own, signature), translate(settings_of(arguments), own, signature));
    Evaluation renamed;
    for (std::size_t o = 0; o < own.outputs.size(); ++o) {
      const std::string_view name = signature.outputs[o].name;
      renamed.outputs.emplace(own.outputs[o].name, std::move(evaluation.outputs.find(name)->second));
      if (const auto found = evaluation.unspecified.find(name); found != evaluation.unspecified.end())
        renamed.unspecified.emplace(own.outputs[o].name, std::move(found->second));
    }
    return renamed;
  }
  const ParameterLayout layout = parameter_layout(arguments);
  std::map<std::size_t, std::vector<std::size_t>> elements;
  const auto size = static_cast<std::size_t>(element_count(arguments.shape));
  for (std::size_t i = 0; i < size; ++i) elements[layout.position(i).parameter_index].push_back(i);
  Evaluation whole;
  for (const auto& [index, places] : elements) {
    Inputs part;
    for (std::size_t i = 0; i < own.inputs.size(); ++i)
      part.emplace(signature.inputs[i].name, gathered(inputs.find(own.inputs[i].name)->second, places));
    const Evaluation evaluation = other(part, settings_at(arguments, {index}, signature));
    for (std::size_t o = 0; o < own.outputs.size(); ++o) {
      const std::string_view name = signature.outputs[o].name;
      const Tensor& values = evaluation.outputs.find(name)->second;
      const std::string own_name(own.outputs[o].name);
      Tensor& target = whole.outputs.try_emplace(own_name, values.type(), arguments.shape).first->second;
      const auto open = evaluation.unspecified.find(name);
      for (std::size_t k = 0; k < places.size(); ++k) {
        target.set_bits(places[k], values.bits(k));
        if (open == evaluation.unspecified.end() || open->second[k] == 0) continue;
        whole.unspecified.try_emplace(own_name, size).first->second[places[k]] = 1;
      }
    }
  }
  return whole;
}

Formula formula_of(const Hypothesis& hypothesis, const Formula& expected) {
  Formula formula = expected;
  const Family family = family_of(*expected.signature);
  formula.evaluate = [hypothesis, expected, family](const Arguments& given, const Inputs& given_inputs) {
    const Rule& rule = hypothesis.rule;
    Arguments arguments = given;
    Inputs inputs = given_inputs;
    misplace_channels(arguments, rule.channels);
    if (flushes_inputs(rule.subnormals)) {
      for (auto& [name, tensor] : inputs) flush_subnormals(tensor);
    }
    for (Argument& argument : arguments.by_role) {
      if (!argument.tensor) continue;
      if (flushes_scales(rule.subnormals)) flush_subnormals(*argument.tensor);
      if (flushes_outputs(rule.subnormals) && rule.quantize.quotient == QuantizeRule::Quotient::reciprocal)
        flush_reciprocals(*argument.tensor);
    }
    Evaluation evaluation;
    if (hypothesis.named == nullptr) evaluation = evaluate_rule(arguments, inputs, rule, family);
    else if (hypothesis.named->signature == expected.signature) evaluation = expected.evaluate(arguments, inputs);
    else evaluation = evaluate_as(*hypothesis.named, arguments, inputs);
    // What a text leaves open depends on what was given, not on what was made of it.
    if (!evaluation.unspecified.empty() && rule.subnormals != Subnormals::honoured)
      evaluation.unspecified = formula_of({hypothesis.named, {}}, expected).evaluate(given, given_inputs).unspecified;
    for (auto& [name, tensor] : evaluation.outputs) {
      if (flushes_outputs(rule.subnormals)) flush_subnormals(tensor);
      if (rule.tail != Tail::as_body) repeat_in_tail(tensor, vector_length(rule.tail));
    }
    return evaluation;
  };
  return formula;
}

}  // namespace qassay
