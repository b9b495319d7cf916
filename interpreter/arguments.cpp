#include "interpreter/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "interpreter/nearest_names.hpp"

namespace qassay {
namespace {

[[noreturn]] void refuse(ErrorKind kind, const std::string& message) {
  throw RequestError(kind, message);
}

bool is_spread(ParameterKind kind) {
  return kind == ParameterKind::real || kind == ParameterKind::integer || kind == ParameterKind::integer_or_real;
}

Type own_type(const Parameter& parameter, const Arguments& arguments) {
  switch (parameter.own_type) {
    case OwnType::float32: return Type::float32;
    case OwnType::float64: return Type::float64;
    case OwnType::of_input: return is_floating(arguments.input_type) ? arguments.input_type : Type::float32;
    case OwnType::of_output: return arguments.whole(Role::opset) < 23 ? arguments.type(Role::dtype) : Type::float32;
  }
  return Type::float32;
}

bool may_have_another_type(const Parameter& parameter) {
  return parameter.own_type == OwnType::of_input || parameter.own_type == OwnType::of_output;
}

/// Numbers read from a file, in the parameter's own type: integers to wider floats and float32 to float64 are exact,
/// everything else must have the type already.
Tensor in_type(const Tensor& tensor, Type type, std::string_view where) {
  if (tensor.type() == type) return tensor;
  Tensor result(type, tensor.shape());
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    if (is_floating(type)) {
      result.set_real(i, tensor.real(i));
      if (!(result.real(i) == tensor.real(i)) && !(result.real(i) != result.real(i))) {
        refuse(ErrorKind::wrong_type,
               fmt::format("{}: {} {} is not a {} value; give the values as {}", where, name(tensor.type()),
                           decimal_text(tensor.type(), tensor.bits(i)), name(type), name(type)));
      }
    } else {
      if (is_floating(tensor.type()))
        refuse(ErrorKind::wrong_type, fmt::format("{}: is {}, expected integers", where, name(tensor.type())));
      result.set_integer(i, tensor.integer(i));
    }
  }
  return result;
}

Tensor spread_tensor(const Parameter& parameter, const Written& written, Type default_type, std::string_view where) {
  const Type type = written.type.value_or(default_type);
  if (written.type && is_floating(type) != is_floating(default_type)) {
    refuse(ErrorKind::wrong_type, fmt::format("{}: is {}, expected {}", where, name(type), name(default_type)));
  }
  if (written.type && type != default_type && is_floating(default_type) && !may_have_another_type(parameter)) {
    refuse(ErrorKind::wrong_type,
           fmt::format("{}: is {}, but this parameter is {}", where, name(type), name(default_type)));
  }
  if (written.tensor) {
    const bool keeps_type = is_floating(default_type) && may_have_another_type(parameter) &&
                            is_floating(written.tensor->type()) && (written.tensor->type() != Type::float64);
    return in_type(*written.tensor, keeps_type && !written.type ? written.tensor->type() : type, where);
  }
  const Shape shape = written.shape.value_or(Shape{static_cast<std::int64_t>(written.elements.size())});
  if (element_count(shape) != static_cast<std::int64_t>(written.elements.size())) {
    refuse(ErrorKind::wrong_shape,
           fmt::format("{}: {} values for the shape {}", where, written.elements.size(), to_text(shape)));
  }
  Tensor tensor(type, shape);
  for (std::size_t i = 0; i < written.elements.size(); ++i) {
    try {
      tensor.set_bits(i, parse_number(written.elements[i], type));
    } catch (const RequestError& error) {
      refuse(error.kind(), fmt::format("{}: {}", where, error.what()));
    }
  }
  return tensor;
}

std::int64_t single_integer(const Written& written, std::string_view where) {
  if (written.tensor) {
    if (written.tensor->size() != 1 || !is_integer(written.tensor->type())) {
      refuse(ErrorKind::wrong_type, fmt::format("{}: expected one integer", where));
    }
    return written.tensor->integer(0);
  }
  if (written.elements.size() != 1)
    refuse(ErrorKind::wrong_shape,
           fmt::format("{}: expected one integer, got {} values", where, written.elements.size()));
  try {
    Tensor holder(Type::int64, {});
    holder.set_bits(0, parse_number(written.elements[0], Type::int64));
    return holder.integer(0);
  } catch (const RequestError& error) {
    refuse(error.kind(), fmt::format("{}: {}", where, error.what()));
  }
}

const std::string& single_word(const Written& written, std::string_view where) {
  if (written.tensor || written.elements.size() != 1)
    refuse(ErrorKind::bad_value, fmt::format("{}: expected one word", where));
  return written.elements[0];
}

std::int64_t dtype_value(const Parameter& parameter, const Written& written, std::string_view where) {
  const std::string& word = single_word(written, where);
  const std::optional<Type> type = type_named(word);
  if (!type || std::ranges::find(parameter.types, *type) == parameter.types.end()) {
    std::vector<std::string_view> names;
    for (const Type t : parameter.types) names.push_back(name(t));
    refuse(ErrorKind::wrong_type, fmt::format("{}: '{}' is not one of {}", where, word, fmt::join(names, ", ")));
  }
  return static_cast<std::int64_t>(*type);
}

std::int64_t choice_value(const Parameter& parameter, const Written& written, std::string_view where) {
  const std::string& word = single_word(written, where);
  const auto found = std::ranges::find(parameter.words, word);
  if (found == parameter.words.end()) {
    refuse(ErrorKind::bad_value,
           fmt::format("{}: '{}' is not one of {}", where, word, fmt::join(parameter.words, ", ")));
  }
  return found - parameter.words.begin();
}

/// The value of everything that is not spread over elements; those need no other argument to be understood.
std::int64_t plain_value(const Parameter& parameter, const Written& written, std::string_view where) {
  switch (parameter.kind) {
    case ParameterKind::dtype: return dtype_value(parameter, written, where);
    case ParameterKind::choice: return choice_value(parameter, written, where);
    case ParameterKind::boolean: {
      const std::string& word = single_word(written, where);
      if (word == "true" || word == "1") return 1;
      if (word == "false" || word == "0") return 0;
      refuse(ErrorKind::bad_value, fmt::format("{}: '{}' is neither true nor false", where, word));
    }
    default: {
      const std::int64_t value = single_integer(written, where);
      if (value < parameter.lowest || value > parameter.highest) {
        refuse(ErrorKind::out_of_domain,
               fmt::format("{}: {} is not in [{}, {}]", where, value, parameter.lowest, parameter.highest));
      }
      return value;
    }
  }
}

/// Refuses an empty range of codes.
void check_quant_range(const Signature& signature, const Arguments& arguments) {
  const Parameter* lowest = signature.parameter(Role::quant_min);
  const Parameter* highest = signature.parameter(Role::quant_max);
  if (lowest == nullptr || highest == nullptr) return;
  if (arguments.whole(Role::quant_min) <= arguments.whole(Role::quant_max)) return;
  refuse(ErrorKind::out_of_domain,
         fmt::format("{}: {} {} is above {} {}", signature.id, lowest->name, arguments.whole(Role::quant_min),
                     highest->name, arguments.whole(Role::quant_max)));
}

CodeRange allowed(const Parameter& parameter, const Arguments& arguments) {
  switch (parameter.within) {
    case Within::output_type: return code_range(arguments.type(Role::dtype));
    case Within::input_type: return code_range(arguments.input_type);
    case Within::quant_range: return {arguments.whole(Role::quant_min), arguments.whole(Role::quant_max)};
    case Within::int32: return code_range(Type::int32);
    case Within::any: return code_range(Type::int64);
  }
  return {};
}

void check_integers(const Parameter& parameter, const Tensor& tensor, const Arguments& arguments,
                    std::string_view where) {
  const CodeRange range = allowed(parameter, arguments);
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    if (!range.contains(tensor.integer(i))) {
      refuse(
          ErrorKind::zero_point_out_of_range,
          fmt::format(
              "{}: {} is outside [{}, {}]{}", where, tensor.integer(i), range.lowest, range.highest,
              parameter.within == Within::output_type ? fmt::format(" of {}", name(arguments.type(Role::dtype))) : ""));
    }
  }
}

/// The type an untyped integer is kept in: one that holds what is allowed.
Type integer_type(const Parameter& parameter, const Arguments& arguments) {
  switch (parameter.within) {
    case Within::output_type: return arguments.type(Role::dtype);
    case Within::input_type: return arguments.input_type;
    default: return Type::int32;
  }
}

std::string place(const Signature& signature, const Parameter& parameter) {
  return fmt::format("{}: {}", signature.id, parameter.name);
}

void check_inputs(const Signature& signature, const Inputs& inputs, Arguments& arguments) {
  for (const auto& [given, tensor] : inputs) {
    if (std::ranges::find(signature.inputs, given, &Input::name) == signature.inputs.end()) {
      std::vector<std::string_view> names;
      for (const Input& input : signature.inputs) names.push_back(input.name);
      refuse(ErrorKind::unknown_parameter,
             fmt::format("{}: no input '{}'; it has {}", signature.id, given, fmt::join(names, ", ")));
    }
  }
  for (const Input& input : signature.inputs) {
    const auto found = inputs.find(input.name);
    if (found == inputs.end()) {
      refuse(ErrorKind::missing_parameter,
             fmt::format("{}: input '{}' is missing; give --in {}=FILE.npy", signature.id, input.name, input.name));
    }
    if (std::ranges::find(input.types, found->second.type()) == input.types.end()) {
      std::vector<std::string_view> names;
      for (const Type t : input.types) names.push_back(name(t));
      refuse(ErrorKind::wrong_type, fmt::format("{}: input '{}' is {}, expected one of {}", signature.id, input.name,
                                                name(found->second.type()), fmt::join(names, ", ")));
    }
    if (&input == &signature.inputs.front()) {
      arguments.shape = found->second.shape();
      arguments.input_type = found->second.type();
    } else if (found->second.shape() != arguments.shape) {
      refuse(ErrorKind::wrong_shape,
             fmt::format("{}: input '{}' has the shape {}, but '{}' has {}", signature.id, input.name,
                         to_text(found->second.shape()), signature.inputs.front().name, to_text(arguments.shape)));
    }
  }
}

void check_names(const Signature& signature, const Settings& settings) {
  for (const auto& [given, written] : settings) {
    if (signature.parameter(given) != nullptr) continue;
    std::vector<std::string> names;
    for (const Parameter& parameter : signature.parameters) names.emplace_back(parameter.name);
    refuse(ErrorKind::unknown_parameter,
           fmt::format("{}: no parameter '{}'{}; it has {}", signature.id, given, did_you_mean(given, names),
                       names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
  }
}

/// The value written for a parameter, or nullptr.
const Written* find_written(const Parameter& parameter, const Settings& settings) {
  const auto found = settings.find(parameter.name);
  return found == settings.end() ? nullptr : &found->second;
}

/// The default as text. A zero point of a code type decides the output's type where nothing else does.
std::string_view default_of(const Parameter& parameter, const Signature& signature, const Settings& settings) {
  const Parameter* zero_point = signature.parameter(Role::zero_point);
  if (parameter.role != Role::dtype || zero_point == nullptr) return parameter.fallback;
  const Written* written = find_written(*zero_point, settings);
  if (written == nullptr) return parameter.fallback;
  const std::optional<Type> type = written->type     ? written->type
                                   : written->tensor ? std::optional(written->tensor->type())
                                                     : std::nullopt;
  return type && std::ranges::find(parameter.types, *type) != parameter.types.end() ? name(*type) : parameter.fallback;
}

void check_shapes(const Signature& signature, Arguments& arguments) {
  const ParameterLayout layout = parameter_layout(arguments);  // throws for a bad axis
  for (const Parameter& parameter : signature.parameters) {
    if (!is_spread(parameter.kind)) continue;
    const Shape& shape = arguments[parameter.role].tensor->shape();
    const std::string where = place(signature, parameter);
    if (element_count(shape) == 1 && shape.size() <= 1 && parameter.spread == Spread::freely) continue;
    if (signature.parameter(Role::axis) == nullptr) {
      refuse(ErrorKind::wrong_shape,
             fmt::format("{}: has the shape {}, but this formula is per tensor: expected a scalar", where,
                         to_text(shape)));
    }
    if (layout.is_blocked) {
      Shape expected = arguments.shape;
      expected[layout.axis] =
          static_cast<std::int64_t>((layout.axis_length + layout.block_size - 1) / layout.block_size);
      if (shape != expected) {
        refuse(
            ErrorKind::wrong_shape,
            fmt::format("{}: has the shape {}, expected {} for blocks of {} along axis {} of {}", where, to_text(shape),
                        to_text(expected), layout.block_size, layout.axis, to_text(arguments.shape)));
      }
    } else if (shape != Shape{static_cast<std::int64_t>(layout.axis_length)}) {
      refuse(ErrorKind::wrong_shape,
             fmt::format("{}: has the shape {}, expected {}{} along axis {} of {}", where, to_text(shape),
                         parameter.spread == Spread::freely ? "one value, or " : "", layout.axis_length, layout.axis,
                         to_text(arguments.shape)));
    }
  }
}

}  // namespace

Written Written::parse(std::string_view text) {
  Written written;
  // A type follows the last colon, unless that colon belongs to "bits:".
  if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    if (const std::optional<Type> type = type_named(text.substr(colon + 1))) {
      written.type = type;
      text = text.substr(0, colon);
    }
  }
  if (!text.starts_with('[')) {
    written.elements.emplace_back(text);
    written.shape = Shape{};
    return written;
  }
  if (!text.ends_with(']')) refuse(ErrorKind::bad_value, fmt::format("'{}': a list ends with ']'", text));
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    std::string_view element = text.substr(0, comma);
    while (element.starts_with(' ')) element.remove_prefix(1);
    while (element.ends_with(' ')) element.remove_suffix(1);
    written.elements.emplace_back(element);
    if (comma == std::string_view::npos) break;
    text = text.substr(comma + 1);
    if (text.empty()) written.elements.emplace_back();
  }
  return written;
}

bool Arguments::is_real(const Parameter& parameter) const {
  return parameter.kind == ParameterKind::real ||
         (parameter.kind == ParameterKind::integer_or_real && is_floating(type(Role::zero_point_dtype)));
}

double Arguments::real(Role role, Position at) const {
  const Tensor& tensor = *(*this)[role].tensor;
  return tensor.real(tensor.size() == 1 ? 0 : at.parameter_index);
}

std::int64_t Arguments::integer(Role role, Position at) const {
  const Tensor& tensor = *(*this)[role].tensor;
  return tensor.integer(tensor.size() == 1 ? 0 : at.parameter_index);
}

Type Arguments::output_type(std::size_t index) const {
  const Output& output = signature->outputs[index];
  switch (output.rule) {
    case OutputRule::fixed: return output.fixed;
    case OutputRule::of_dtype: return type(Role::dtype);
    case OutputRule::of_input: return input_type;
  }
  return output.fixed;
}

Arguments check_arguments(const Signature& signature, const Inputs& inputs, const Settings& settings) {
  Arguments arguments;
  arguments.signature = &signature;
  check_names(signature, settings);
  check_inputs(signature, inputs, arguments);

  // Plain values first: the types and ranges of the spread ones depend on them.
  for (const bool spread : {false, true}) {
    if (spread) check_quant_range(signature, arguments);
    for (const Parameter& parameter : signature.parameters) {
      if (is_spread(parameter.kind) != spread) continue;
      const std::string where = place(signature, parameter);
      const Written* written = find_written(parameter, settings);
      Argument& argument = arguments[parameter.role];
      argument.is_set = written != nullptr;
      if (written == nullptr && parameter.fallback.empty()) {
        refuse(ErrorKind::missing_parameter, fmt::format("{}: is missing; give --set {}=…", where, parameter.name));
      }
      const Written fallback = Written::scalar(std::string(default_of(parameter, signature, settings)));
      const Written& value = written != nullptr ? *written : fallback;
      if (!spread) {
        argument.whole = plain_value(parameter, value, where);
      } else if (arguments.is_real(parameter)) {
        argument.tensor = spread_tensor(parameter, value, own_type(parameter, arguments), where);
      } else {
        argument.tensor = spread_tensor(parameter, value, Type::int64, where);
        check_integers(parameter, *argument.tensor, arguments, where);
        argument.tensor = in_type(*argument.tensor, integer_type(parameter, arguments), where);
      }
    }
  }
  check_shapes(signature, arguments);
  return arguments;
}

Position ParameterLayout::position(std::size_t element) const {
  if (is_per_tensor) return {};
  const std::size_t along = element / inner;
  const std::size_t coordinate = along % axis_length;
  if (!is_blocked) return {coordinate};
  const std::size_t blocks = (axis_length + block_size - 1) / block_size;
  return {((along / axis_length) * blocks + coordinate / block_size) * inner + element % inner};
}

ParameterLayout parameter_layout(const Arguments& arguments) {
  const Signature& signature = *arguments.signature;
  ParameterLayout layout;
  layout.run_length = static_cast<std::size_t>(element_count(arguments.shape));
  const bool is_spread_out = std::ranges::any_of(signature.parameters, [&](const Parameter& parameter) {
    if (!is_spread(parameter.kind)) return false;
    const Shape& shape = arguments[parameter.role].tensor->shape();
    return parameter.spread == Spread::along_axis || shape.size() > 1 || element_count(shape) != 1;
  });
  if (!is_spread_out || signature.parameter(Role::axis) == nullptr) return layout;

  const auto rank = static_cast<std::int64_t>(arguments.shape.size());
  const std::int64_t given = arguments.whole(Role::axis);
  if (given < -rank || given >= rank) {
    refuse(ErrorKind::axis_out_of_range,
           fmt::format("{}: axis: {} is out of range for the shape {}", signature.id, given, to_text(arguments.shape)));
  }
  const auto axis = static_cast<std::size_t>(given < 0 ? given + rank : given);
  layout.is_per_tensor = false;
  layout.axis = axis;
  layout.axis_length = static_cast<std::size_t>(arguments.shape[axis]);
  layout.inner =
      static_cast<std::size_t>(std::accumulate(arguments.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1,
                                               arguments.shape.end(), std::int64_t{1}, std::multiplies<>{}));
  layout.run_length = layout.inner;
  if (signature.parameter(Role::block_size) != nullptr && arguments.whole(Role::block_size) > 0) {
    layout.is_blocked = true;
    layout.block_size = static_cast<std::size_t>(arguments.whole(Role::block_size));
    layout.run_length = 1;
  }
  return layout;
}

}  // namespace qassay
