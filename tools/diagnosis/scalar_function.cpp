#include "tools/diagnosis/scalar_function.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "interpreter/nearest_names.hpp"
#include "tools/generators.hpp"
#include "tools/harness/translation.hpp"

namespace qassay {
namespace {

/// One value as a vector along an axis of extent 1.
void as_vector_of_one(Written& written) {
  if (written.tensor && written.tensor->size() == 1) written.tensor = written.tensor->reshaped({1});
  else if (written.elements.size() == 1) written.shape = Shape{1};
}

[[noreturn]] void refuse_name(std::string_view given, std::initializer_list<const Signature*> signatures) {
  std::vector<std::string> ids;
  std::vector<std::string> names;
  for (const Signature* signature : signatures) {
    ids.emplace_back(signature->id);
    for (const Parameter& known : signature->parameters) {
      names.emplace_back(known.name);
      names.emplace_back(name(known.role));
    }
  }
  throw RequestError(ErrorKind::unknown_parameter,
                     fmt::format("{}: no parameter or role '{}'{}; 'qassay show {}' lists them", fmt::join(ids, ", "),
                                 given, did_you_mean(given, names), ids.front()));
}

void add_own(Settings& own, const Parameter& parameter, const Written& written, std::string_view given,
             const Signature& signature) {
  if (own.emplace(parameter.name, written).second) return;
  throw RequestError(ErrorKind::bad_value,
                     fmt::format("{}: {} is given twice, as '{}' too", signature.id, parameter.name, given));
}

}  // namespace

const Parameter* parameter_called(std::string_view given, const Signature& signature) {
  if (const Parameter* own = signature.parameter(given)) return own;
  const auto of_role = std::ranges::find(signature.parameters, given, [](const Parameter& p) { return name(p.role); });
  return of_role == signature.parameters.end() ? nullptr : &*of_role;
}

Settings by_own_names(const Settings& settings, const Signature& signature) {
  Settings own;
  for (const auto& [given, written] : settings) {
    const Parameter* parameter = parameter_called(given, signature);
    if (parameter == nullptr) refuse_name(given, {&signature});
    add_own(own, *parameter, written, given, signature);
  }
  return own;
}

std::pair<Settings, Settings> for_both(const Settings& settings, const Signature& a, const Signature& b) {
  std::pair<Settings, Settings> own;
  for (const auto& [given, written] : settings) {
    const Parameter* in_a = parameter_called(given, a);
    const Parameter* in_b = parameter_called(given, b);
    if (in_a == nullptr && in_b == nullptr) refuse_name(given, {&a, &b});
    if (in_a == nullptr) in_a = a.parameter(in_b->role);
    if (in_b == nullptr) in_b = b.parameter(in_a->role);
    if (in_a != nullptr) add_own(own.first, *in_a, written, given, a);
    if (in_b != nullptr) add_own(own.second, *in_b, written, given, b);
  }
  own.first.merge(translate(own.second, b, a));
  own.second.merge(translate(own.first, a, b));
  return own;
}

std::int64_t output_order(Type type, std::uint64_t bits) {
  if (is_floating(type) && std::isnan(decode(type, bits))) return ScalarFunction::kNanOutput;
  return type == Type::boolean ? static_cast<std::int64_t>(bits) : order_of(type, bits);
}

ScalarFunction::ScalarFunction(const Formula& formula, const Settings& settings, Type input_type)
    : formula_(&formula),
      settings_(by_own_names(settings, *formula.signature)),
      along_axis_(lies_along_axis(*formula.signature)) {
  const Signature& signature = *formula.signature;
  if (signature.kind != FormulaKind::elementwise) {
    throw RequestError(ErrorKind::out_of_domain,
                       fmt::format("{} is not elementwise: it is no function of one number", signature.id));
  }
  if (along_axis_) settings_.insert_or_assign(std::string(signature.parameter(Role::axis)->name), Written::scalar("0"));
  for (const Parameter& parameter : signature.parameters) {
    const auto written = settings_.find(parameter.name);
    if (parameter.spread == Spread::along_axis && written != settings_.end()) as_vector_of_one(written->second);
  }
  arguments_ = formula.arguments(inputs(Tensor(input_type, {1})), settings_);
  for (const Parameter& parameter : signature.parameters) {
    const auto& tensor = arguments_[parameter.role].tensor;
    if (tensor && tensor->size() != 1) {
      throw RequestError(ErrorKind::wrong_shape, fmt::format("{}: {}: expected one value, got {}", signature.id,
                                                             parameter.name, tensor->size()));
    }
  }
  if (is_floating(output_type()) && signature.parameter(Role::scale) != nullptr) {
    step_size_ = std::abs(arguments_.real(Role::scale, {}));
  }
}

Inputs ScalarFunction::inputs(Tensor x) const {
  const auto count = static_cast<std::int64_t>(x.size());
  Inputs inputs;
  inputs.emplace(formula_->signature->inputs.front().name,
                 x.reshaped(needs_row(*formula_->signature) ? Shape{1, count} : Shape{count}));
  return inputs;
}

Tensor ScalarFunction::evaluate(Tensor x) const {
  const Inputs given = inputs(std::move(x));
  Arguments arguments = arguments_;
  arguments.shape = given.begin()->second.shape();
  Evaluation evaluation = formula_->evaluate(arguments, given);
  return std::move(evaluation.outputs.find(formula_->signature->outputs.front().name)->second);
}

void ScalarFunction::evaluate(std::span<const std::int64_t> orders, std::vector<std::int64_t>& outputs) const {
  Tensor x = Tensor::uncleared(input_type(), {static_cast<std::int64_t>(orders.size())});
  for (std::size_t i = 0; i < orders.size(); ++i) x.set_bits(i, bits_at(input_type(), orders[i]));
  evaluations_ += orders.size();
  const Tensor y = evaluate(std::move(x));
  outputs.resize(orders.size());
  for (std::size_t i = 0; i < orders.size(); ++i) outputs[i] = output_order(y.type(), y.bits(i));
}

std::int64_t ScalarFunction::at(std::int64_t order) const {
  std::vector<std::int64_t> outputs;
  evaluate({&order, 1}, outputs);
  return outputs.front();
}

Trace ScalarFunction::trace(std::uint64_t bits) const {
  Tensor x(input_type(), {1});
  x.set_bits(0, bits);
  const Inputs given = inputs(std::move(x));
  Arguments arguments = arguments_;
  arguments.shape = given.begin()->second.shape();
  return formula_->trace(arguments, given, 0);
}

}  // namespace qassay
