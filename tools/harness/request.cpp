#include "tools/harness/request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "tools/harness/translation.hpp"
#include "tools/npy.hpp"

namespace qassay {
namespace {

using nlohmann::json;

std::string hex_bits(Type type, std::uint64_t bits) {
  return fmt::format("{:#0{}x}", bits, 2 + 2 * row(type).storage_bytes);
}

/// The type that a parameter's values were meant to have.
Type intended_type(const Parameter& parameter, const Inputs& inputs, std::string_view output_type) {
  if (parameter.kind == ParameterKind::real) return Type::float32;
  if (parameter.within == Within::input_type && !inputs.empty()) return inputs.begin()->second.type();
  if (parameter.within == Within::output_type) return type_named(output_type).value_or(Type::int32);
  return Type::int32;
}

/// Values that may be wrong, as they were written: an integer outside its type stays that integer.
json unchecked_tensor_as_json(const Written& written, Type intended) {
  if (written.tensor) return tensor_as_json(*written.tensor);
  const Type type = written.type.value_or(intended);
  json values = json::array();
  for (const std::string& text : written.elements) {
    try {
      if (is_floating(type)) values.push_back(hex_bits(type, parse_number(text, type)));
      else values.push_back(json::parse(text));
    } catch (const std::exception&) {
      values.push_back(text);
    }
  }
  const Shape shape = written.shape.value_or(Shape{static_cast<std::int64_t>(written.elements.size())});
  return {{"type", name(type)}, {"shape", shape}, {"values", std::move(values)}};
}

json checked_parameters(const Arguments& arguments) {
  json parameters = json::object();
  for (const auto& [given, written] : settings_of(arguments)) {
    const Parameter& parameter = *arguments.signature->parameter(given);
    parameters[given] = written.tensor ? tensor_as_json(*written.tensor) : plain_as_json(parameter, written);
  }
  return parameters;
}

std::string unchecked_output_type(const CaseSpec& spec, const Output& output, const Inputs& inputs) {
  const Signature& signature = *spec.formula->signature;
  if (output.rule == OutputRule::fixed) return std::string(name(output.fixed));
  if (output.rule == OutputRule::of_input && !inputs.empty()) return std::string(name(inputs.begin()->second.type()));
  const Parameter* dtype = signature.parameter(Role::dtype);
  if (dtype == nullptr) return "float32";
  const auto written = spec.settings.find(dtype->name);
  return written == spec.settings.end() || written->second.elements.empty() ? std::string(dtype->fallback)
                                                                            : written->second.elements[0];
}

json unchecked_parameters(const CaseSpec& spec, const Inputs& inputs, std::string_view output_type) {
  json parameters = json::object();
  for (const Parameter& parameter : spec.formula->signature->parameters) {
    const auto given = spec.settings.find(parameter.name);
    if (given == spec.settings.end() && parameter.fallback.empty()) continue;
    const Written written =
        given == spec.settings.end() ? Written::scalar(std::string(parameter.fallback)) : given->second;
    parameters[std::string(parameter.name)] =
        is_spread(parameter.kind) || written.tensor ||
                (written.elements.size() != 1 && parameter.kind != ParameterKind::shape)
            ? unchecked_tensor_as_json(written, intended_type(parameter, inputs, output_type))
            : plain_as_json(parameter, written);
  }
  return parameters;
}

json output_entry(std::string_view type, const Shape& shape, const std::filesystem::path& folder,
                  std::string_view output) {
  return {{"type", type}, {"shape", shape}, {"path", (folder / fmt::format("out-{}.npy", output)).string()}};
}

}  // namespace

json plain_as_json(const Parameter& parameter, const Written& written) {
  if (parameter.kind == ParameterKind::shape) {
    json extents = json::array();
    for (const std::string& extent : written.elements) {
      // The default is a word where it was not worked out: no extents.
      json number = json::parse(extent, nullptr, false);
      if (number.is_number_integer()) extents.push_back(std::move(number));
    }
    return extents;
  }
  const std::string& text = written.elements[0];
  switch (parameter.kind) {
    case ParameterKind::boolean: return text == "true" || text == "1";
    case ParameterKind::whole: {
      const json number = json::parse(text, nullptr, false);
      return number.is_number_integer() ? number : json(text);
    }
    default: return text;
  }
}

json tensor_as_json(const Tensor& tensor) {
  json values = json::array();
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    if (is_floating(tensor.type())) values.push_back(hex_bits(tensor.type(), tensor.bits(i)));
    else values.push_back(tensor.integer(i));
  }
  return {{"type", name(tensor.type())}, {"shape", tensor.shape()}, {"values", std::move(values)}};
}

json make_request(const CaseSpec& spec, const Case& made, const std::filesystem::path& folder) {
  const Signature& signature = *spec.formula->signature;
  json request{{"case", spec.name}, {"formula", signature.id}, {"inputs", json::object()}, {"outputs", json::object()}};
  for (const auto& [input, tensor] : made.inputs) {
    const std::filesystem::path file = folder / fmt::format("in-{}.npy", input);
    write_npy(file, tensor);
    request["inputs"][input] = {{"type", name(tensor.type())}, {"shape", tensor.shape()}, {"path", file.string()}};
  }
  if (made.arguments) {
    request["parameters"] = checked_parameters(*made.arguments);
    for (const auto& [output, expected] : made.expectation.outputs) {
      request["outputs"][output] = output_entry(name(expected.values.type()), expected.values.shape(), folder, output);
    }
    return request;
  }
  const Shape shape = made.inputs.empty() ? Shape{} : made.inputs.begin()->second.shape();
  request["parameters"] =
      unchecked_parameters(spec, made.inputs, unchecked_output_type(spec, signature.outputs.front(), made.inputs));
  for (const Output& output : signature.outputs) {
    request["outputs"][std::string(output.name)] =
        output_entry(unchecked_output_type(spec, output, made.inputs), shape, folder, output.name);
  }
  return request;
}

std::vector<Tensor> read_outputs(const Signature& signature, const json& request) {
  std::vector<Tensor> outputs;
  for (const Output& output : signature.outputs) {
    const json& wanted = request.at("outputs").at(std::string(output.name));
    const std::filesystem::path path = wanted.at("path").get<std::string>();
    if (!std::filesystem::exists(path))
      throw RequestError(ErrorKind::bad_file, fmt::format("said done, but output '{}' is missing", output.name));
    const std::string type = wanted.at("type");
    Tensor tensor = [&] {
      try {
        return read_npy(path, type_named(type));
      } catch (const RequestError& error) {
        throw RequestError(error.kind(), fmt::format("output '{}': {}", output.name, error.what()));
      }
    }();
    if (tensor.shape() != wanted.at("shape").get<Shape>()) {
      throw RequestError(ErrorKind::wrong_shape,
                         fmt::format("output '{}' has the shape {}, {} was asked for", output.name,
                                     to_text(tensor.shape()), wanted.at("shape").dump()));
    }
    outputs.push_back(std::move(tensor));
  }
  return outputs;
}

std::vector<std::pair<std::string, std::string>> settings_as_text(const Settings& settings) {
  std::vector<std::pair<std::string, std::string>> parameters;
  for (const auto& [parameter, written] : settings) {
    std::vector<std::string> elements = written.elements;
    std::optional<Type> type = written.type;
    bool is_scalar = written.shape && written.shape->empty();
    if (written.tensor) {
      type = written.tensor->type();
      is_scalar = written.tensor->shape().empty();
      for (std::size_t i = 0; i < written.tensor->size(); ++i)
        elements.push_back(number_text(*type, written.tensor->bits(i)));
    }
    std::string text = is_scalar && elements.size() == 1 ? elements[0] : fmt::format("[{}]", fmt::join(elements, ","));
    if (type && *type != Type::float32) text += fmt::format(":{}", name(*type));
    parameters.emplace_back(parameter, std::move(text));
  }
  return parameters;
}

}  // namespace qassay
