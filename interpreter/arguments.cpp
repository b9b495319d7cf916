#include "interpreter/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "interpreter/nearest_names.hpp"
#include "interpreter/parameter_layout.hpp"

namespace qassay {
namespace {

/// What a shape parameter's default says.
constexpr std::string_view kWholeTensor = "tensor";

[[noreturn]] void refuse(ErrorKind kind, const std::string& message) {
  throw RequestError(kind, message);
}

Type own_type(const Parameter& parameter, const Arguments& arguments) {
  switch (parameter.own_type) {
    case OwnType::float32:
    case OwnType::float32_or_float64: return Type::float32;
    case OwnType::float64: return Type::float64;
    case OwnType::of_input: return is_floating(arguments.input_type) ? arguments.input_type : Type::float32;
    case OwnType::of_output: return arguments.whole(Role::opset) < 23 ? arguments.type(Role::dtype) : Type::float32;
  }
  return Type::float32;
}

bool may_have_another_type(const Parameter& parameter) {
  return parameter.own_type == OwnType::of_input || parameter.own_type == OwnType::of_output;
}

/// Whether a type that was given is kept.
bool may_be(const Parameter& parameter, Type type) {
  if (parameter.own_type == OwnType::float32_or_float64) return type == Type::float32 || type == Type::float64;
  return may_have_another_type(parameter);
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
  if (written.type && type != default_type && is_floating(default_type) && !may_be(parameter, type)) {
    refuse(ErrorKind::wrong_type,
           fmt::format("{}: is {}, but this parameter is {}", where, name(type), name(default_type)));
  }
  if (written.tensor) {
    const bool is_wide = written.tensor->type() == Type::float64;
    const bool keeps_type =
        is_floating(default_type) && is_floating(written.tensor->type()) &&
        (parameter.own_type == OwnType::float32_or_float64 ? is_wide : may_have_another_type(parameter) && !is_wide);
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
  std::string_view word = single_word(written, where);
  for (const auto& [alias, meant] : parameter.aliases) {
    if (word == alias) word = meant;
  }
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

/// One number for each dimension.
Shape shape_value(const Written& written, std::string_view where) {
  Shape shape;
  if (written.tensor) {
    for (std::size_t i = 0; i < written.tensor->size(); ++i) shape.push_back(written.tensor->integer(i));
  } else {
    for (const std::string& element : written.elements)
      shape.push_back(single_integer(Written::scalar(element), where));
  }
  for (const std::int64_t extent : shape) {
    if (extent < 1) refuse(ErrorKind::out_of_domain, fmt::format("{}: the extent {} is not positive", where, extent));
  }
  return shape;
}

/// The value of a parameter that stands for itself: a number of its own, none at all, or an end of the codes' type.
Argument plain_argument(const Parameter& parameter, const Written& written, const Arguments& arguments,
                        std::string_view where) {
  Argument argument;
  if (parameter.kind == ParameterKind::shape) {
    const bool is_whole = !written.tensor && written.elements.size() == 1 && written.elements[0] == kWholeTensor;
    argument.shape = is_whole ? arguments.shape : shape_value(written, where);
    return argument;
  }
  if (parameter.kind == ParameterKind::whole && !written.tensor && written.elements.size() == 1) {
    const std::string& word = written.elements[0];
    argument.is_none = word == "none" && parameter.fallback == "none";
    if (argument.is_none) return argument;
    if (word == parameter.fallback && (word == "lowest" || word == "highest")) {
      const Parameter* dtype = arguments.signature->parameter(Role::dtype);
      const bool is_of_dtype = dtype != nullptr && is_integer(dtype->types.front());
      const CodeRange codes = code_range(is_of_dtype ? arguments.type(Role::dtype) : arguments.input_type);
      argument.whole = word == "lowest" ? codes.lowest : codes.highest;
      return argument;
    }
  }
  argument.whole = plain_value(parameter, written, where);
  return argument;
}

/// Refuses an empty range of codes.
void check_quant_range(const Signature& signature, const Arguments& arguments) {
  const Parameter* lowest = signature.parameter(Role::quant_min);
  const Parameter* highest = signature.parameter(Role::quant_max);
  if (lowest == nullptr || highest == nullptr) return;
  if (arguments[Role::quant_min].is_none || arguments[Role::quant_max].is_none) return;
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
  if (!parameter.types.empty()) return parameter.types.front();
  switch (parameter.within) {
    case Within::output_type: return arguments.type(Role::dtype);
    case Within::input_type: return arguments.input_type;
    default: return Type::int32;
  }
}

/// A type that was given is kept where the parameter may have it.
Type kept_integer_type(const Parameter& parameter, const Written& written, const Arguments& arguments) {
  const std::optional<Type> given = written.type     ? written.type
                                    : written.tensor ? std::optional(written.tensor->type())
                                                     : std::nullopt;
  return given && std::ranges::find(parameter.types, *given) != parameter.types.end()
             ? *given
             : integer_type(parameter, arguments);
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
    } else if (input.shape == InputShape::of_first && found->second.shape() != arguments.shape) {
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

void check_shapes(const Signature& signature, const Arguments& arguments) {
  const ParameterLayout layout = parameter_layout(arguments);  // throws for a bad axis
  for (const Parameter& parameter : signature.parameters) {
    if (!is_spread(parameter.kind)) continue;
    const Shape& shape = arguments[parameter.role].tensor->shape();
    if (shape.empty() || (shape == Shape{1} && parameter.spread == Spread::freely)) continue;
    const std::string where = place(signature, parameter);
    if (parameter.spread == Spread::alone)
      refuse(ErrorKind::wrong_shape, fmt::format("{}: has the shape {}, expected one value", where, to_text(shape)));
    if (parameter.spread == Spread::broadcast) continue;  // its layout has seen it
    if (layout.is_per_tensor) {
      refuse(ErrorKind::wrong_shape,
             fmt::format("{}: has the shape {}, but this formula is per tensor: expected a scalar", where,
                         to_text(shape)));
    }
    if (shape == layout.shape) continue;
    const std::string_view one_value = layout.is_blocked ? "" : "one value, or ";
    const std::string how = layout.is_blocked
                                ? fmt::format("for blocks of {} along axis {} of", layout.block_size, layout.axis)
                            : layout.shape.size() == 1 ? fmt::format("along axis {} of", layout.axis)
                                                       : fmt::format("for blocks of {} in", to_text(layout.block));
    refuse(ErrorKind::wrong_shape, fmt::format("{}: has the shape {}, expected {}{} {} {}", where, to_text(shape),
                                               one_value, to_text(layout.shape), how, to_text(arguments.shape)));
  }
}

/// Notes where the values of parameters stand that broadcast, each in a shape of its own.
void place_broadcast(Arguments& arguments) {
  const ParameterLayout layout = parameter_layout(arguments);
  if (layout.is_per_tensor) return;
  for (const Parameter& parameter : arguments.signature->parameters) {
    if (parameter.spread != Spread::broadcast || !is_spread(parameter.kind)) continue;
    Argument& argument = arguments[parameter.role];
    if (argument.tensor->size() != 1) argument.at = broadcast_places(argument.tensor->shape(), layout.shape);
  }
}

/// The shape of a formula without inputs: that of the parameters that are more than one value.
Shape shape_of_parameters(const Arguments& arguments) {
  for (const Parameter& parameter : arguments.signature->parameters) {
    if (!is_spread(parameter.kind) || parameter.spread == Spread::alone) continue;
    if (const Shape& shape = arguments[parameter.role].tensor->shape(); !shape.empty()) return shape;
  }
  return {};
}

std::string plain_text(const Parameter& parameter, const Argument& argument) {
  switch (parameter.kind) {
    case ParameterKind::dtype: return std::string(name(static_cast<Type>(argument.whole)));
    case ParameterKind::choice: return std::string(parameter.words[static_cast<std::size_t>(argument.whole)]);
    case ParameterKind::boolean: return argument.whole != 0 ? "true" : "false";
    default: return argument.is_none ? "none" : std::to_string(argument.whole);
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

std::size_t Argument::index(Position position) const {
  if (tensor->size() == 1) return 0;
  return at.empty() ? position.parameter_index : at[position.parameter_index];
}

Tensor Argument::value(Position position, Shape value_shape) const {
  Tensor one(tensor->type(), std::move(value_shape));
  one.set_bits(0, tensor->bits(index(position)));
  return one;
}

double Arguments::real(Role role, Position at) const {
  const Argument& argument = (*this)[role];
  return argument.tensor->real(argument.index(at));
}

std::int64_t Arguments::integer(Role role, Position at) const {
  const Argument& argument = (*this)[role];
  return argument.tensor->integer(argument.index(at));
}

Type Arguments::output_type(std::size_t index) const {
  const Output& output = signature->outputs[index];
  switch (output.rule) {
    case OutputRule::fixed: return output.fixed;
    case OutputRule::of_dtype: return type(Role::dtype);
    case OutputRule::of_input: return input_type;
    case OutputRule::varies: break;
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
        argument = plain_argument(parameter, value, arguments, where);
        argument.is_set = written != nullptr;
      } else if (arguments.is_real(parameter)) {
        argument.tensor = spread_tensor(parameter, value, own_type(parameter, arguments), where);
      } else {
        argument.tensor = spread_tensor(parameter, value, Type::int64, where);
        check_integers(parameter, *argument.tensor, arguments, where);
        argument.tensor = in_type(*argument.tensor, kept_integer_type(parameter, value, arguments), where);
      }
    }
  }
  if (signature.inputs.empty()) arguments.shape = shape_of_parameters(arguments);
  check_shapes(signature, arguments);
  place_broadcast(arguments);
  return arguments;
}

Settings settings_of(const Arguments& arguments) {
  Settings settings;
  for (const Parameter& parameter : arguments.signature->parameters) {
    const Argument& argument = arguments[parameter.role];
    Written& written = settings[std::string(parameter.name)];
    if (argument.tensor) {
      written = Written::of(*argument.tensor);
    } else if (argument.shape) {
      for (const std::int64_t extent : *argument.shape) written.elements.push_back(std::to_string(extent));
    } else {
      written = Written::scalar(plain_text(parameter, argument));
    }
  }
  return settings;
}

}  // namespace qassay
