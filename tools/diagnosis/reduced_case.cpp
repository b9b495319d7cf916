#include "tools/diagnosis/reduced_case.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/case_group.hpp"

namespace qassay {
namespace {

using Json = nlohmann::ordered_json;

Json number(Type type, std::uint64_t bits) {
  if (type == Type::boolean) return bits != 0;
  const std::string text = number_text(type, bits);
  return is_integer(type) ? Json::parse(text) : Json(text);
}

/// A word as a case has it: numbers and booleans as such.
Json plain(const std::string& text) {
  const Json value = Json::parse(text, nullptr, false);
  return value.is_number_integer() || value.is_boolean() ? value : Json(text);
}

Json setting(const Written& written) {
  if (written.tensor) {
    const Tensor& tensor = *written.tensor;
    if (tensor.shape().empty())
      return fmt::format("{}:{}", number_text(tensor.type(), tensor.bits(0)), name(tensor.type()));
    Json values = Json::array();
    for (std::size_t i = 0; i < tensor.size(); ++i) values.push_back(number(tensor.type(), tensor.bits(i)));
    return {{"type", name(tensor.type())}, {"shape", tensor.shape()}, {"values", std::move(values)}};
  }
  const bool is_scalar = written.shape && written.shape->empty() && written.elements.size() == 1;
  if (is_scalar && !written.type) return plain(written.elements.front());
  if (is_scalar) return fmt::format("{}:{}", written.elements.front(), name(*written.type));
  Json values = Json::array();
  for (const std::string& text : written.elements) values.push_back(plain(text));
  if (!written.type && !written.shape) return values;
  Json object = Json::object();
  if (written.type) object["type"] = name(*written.type);
  if (written.shape) object["shape"] = *written.shape;
  object["values"] = std::move(values);
  return object;
}

/// The setting without its type and shape, as they go without saying, where the formula understands the same.
Written without_type(const CaseSpec& spec, const Reduction& reduction, const std::string& name) {
  const Written& written = reduction.settings.find(name)->second;
  if (!written.tensor || written.tensor->shape().size() > 1) return written;
  Written shorter;
  for (std::size_t i = 0; i < written.tensor->size(); ++i)
    shorter.elements.push_back(number_text(written.tensor->type(), written.tensor->bits(i)));
  if (written.tensor->shape().empty()) shorter.shape = Shape{};
  Settings settings = reduction.settings;
  settings.insert_or_assign(name, shorter);
  const Inputs inputs{{std::string(spec.formula->signature->inputs.front().name), reduction.x}};
  try {
    const Role role = spec.formula->signature->parameter(std::string_view(name))->role;
    if (spec.formula->arguments(inputs, settings)[role].tensor == written.tensor) return shorter;
  } catch (const RequestError&) {  // it needs its type
  }
  return written;
}

Json tensor_values(const Tensor& tensor) {
  Json values = Json::array();
  for (std::size_t i = 0; i < tensor.size(); ++i) values.push_back(number(tensor.type(), tensor.bits(i)));
  return values;
}

Json expected_element(const Evaluation& evaluation, const std::string& output, std::size_t element) {
  const auto open = evaluation.unspecified.find(output);
  if (open != evaluation.unspecified.end() && open->second[element] != 0) return "unspecified";
  const Tensor& tensor = evaluation.outputs.find(output)->second;
  return number(tensor.type(), tensor.bits(element));
}

}  // namespace

Json reduced_group(const CaseSpec& spec, const Reduction& reduction, const std::string& backend) {
  const Signature& signature = *spec.formula->signature;
  const std::string input(signature.inputs.front().name);
  const bool must_refuse = spec.group->error.has_value();
  Json group{{"id", fmt::format("reduced-{}", spec.group_id())},
             {"why", fmt::format("{} on {} ({}), reduced from {}; say here what it is that goes wrong.", backend,
                                 reduction.x.size() == 1 ? "one element" : "few elements", name(reduction.verdict),
                                 spec.name)},
             {"traps", spec.traps()}};
  if (!spec.policy().empty()) group["policy"] = spec.policy();
  group["set"] = Json::object();
  for (const auto& [name, written] : reduction.settings)
    group["set"][name] = setting(must_refuse ? written : without_type(spec, reduction, name));

  const Tensor& x = reduction.x;
  if (must_refuse || x.size() != 1 || x.shape().size() != 1) {
    group["in"][input] = {{"type", name(x.type())}, {"shape", x.shape()}, {"values", tensor_values(x)}};
    if (must_refuse) group["expect"] = {{"error", name(*spec.group->error)}};
    return group;
  }
  Json test = Json::object();
  test[input] = number(x.type(), x.bits(0));
  if (x.type() != signature.inputs.front().types.front())
    test[input] = fmt::format("{}:{}", number_text(x.type(), x.bits(0)), name(x.type()));
  const Evaluation evaluation = (*spec.formula)({{input, x}}, reduction.settings);
  for (const Output& output : signature.outputs) {
    if (evaluation.outputs.find(output.name)->second.size() == 1)
      test[std::string(output.name)] = expected_element(evaluation, std::string(output.name), 0);
  }
  group["tests"] = {std::move(test)};
  return group;
}

std::string case_file_with(const Formula& formula, const Json& group) {
  const Json file{{"schema", "qassay-cases-1"}, {"formula", formula.id()}, {"groups", Json::array({group})}};
  return file.dump(2) + "\n";
}

}  // namespace qassay
