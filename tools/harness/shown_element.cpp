#include "tools/harness/shown_element.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/parameter_layout.hpp"
#include "tools/harness/request.hpp"

namespace qassay {
namespace {

Shape index_of(std::size_t element, const Shape& shape) {
  Shape index(shape.size());
  auto rest = static_cast<std::int64_t>(element);
  for (std::size_t d = shape.size(); d-- > 0;) {
    index[d] = rest % shape[d];
    rest /= shape[d];
  }
  return index;
}

/// In single quotes where a shell would read it otherwise.
std::string quoted(const std::string& text) {
  return text.find_first_of(" []'*?!\"$&|;<>()") == std::string::npos ? text : "'" + text + "'";
}

}  // namespace

std::string explain_command(const Arguments& arguments, const Inputs& inputs, std::size_t element) {
  const Signature& signature = *arguments.signature;
  const Position at = parameter_layout(arguments).position(element);
  std::string command = fmt::format("qassay explain {}", signature.id);
  Settings scalars;
  for (auto& [name, written] : settings_of(arguments)) {
    const Parameter& parameter = *signature.parameter(name);
    if (!arguments[parameter.role].is_set) continue;
    if (parameter.role == Role::axis || parameter.role == Role::block_size) continue;
    scalars.emplace(name, written.tensor ? Written::of(arguments[parameter.role].value(at)) : written);
  }
  for (const auto& [name, text] : settings_as_text(scalars)) command += fmt::format(" --set {}={}", name, quoted(text));
  for (const Input& input : signature.inputs) {
    const Tensor& tensor = inputs.find(input.name)->second;
    command += fmt::format(" {}={}", input.name, number_text(tensor.type(), tensor.bits(element)));
    if (tensor.type() != Type::float32) command += fmt::format(":{}", name(tensor.type()));
  }
  return command;
}

bool is_element_by_element(const Signature& signature, const Inputs& inputs, const Shape& shape) {
  return signature.kind == FormulaKind::elementwise && std::ranges::all_of(signature.inputs, [&](const Input& input) {
           return inputs.find(input.name)->second.shape() == shape;
         });
}

ShownElement show(const Difference& difference, const Arguments* arguments, const Inputs& inputs, const Shape& shape) {
  ShownElement shown{difference, index_of(difference.element, shape), {}, {}};
  if (arguments == nullptr || !is_element_by_element(*arguments->signature, inputs, shape)) return shown;
  for (const Input& input : arguments->signature->inputs) {
    const Tensor& tensor = inputs.find(input.name)->second;
    shown.inputs.emplace_back(input.name, TypedBits{tensor.type(), tensor.bits(difference.element)});
  }
  shown.explain = explain_command(*arguments, inputs, difference.element);
  return shown;
}

}  // namespace qassay
