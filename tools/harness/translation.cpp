#include "tools/harness/translation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace qassay {
namespace {

bool is_understood(const Parameter& target, const Written& written) {
  if (target.kind == ParameterKind::choice)
    return written.elements.size() == 1 && std::ranges::find(target.words, written.elements[0]) != target.words.end();
  return true;
}

/// The end of a type's range, for a formula that wants it as a number.
std::optional<Written> end_of_range(const Parameter& target, const Settings& settings, const Signature& from) {
  const Parameter* dtype = from.parameter(Role::dtype);
  const bool is_end = target.role == Role::quant_min || target.role == Role::quant_max;
  if (!is_end || dtype == nullptr) return std::nullopt;
  const auto written = settings.find(dtype->name);
  const std::string_view word = written == settings.end() || written->second.elements.empty()
                                    ? dtype->fallback
                                    : std::string_view(written->second.elements[0]);
  const std::optional<Type> type = type_named(word);
  if (!type || !is_integer(*type)) return std::nullopt;
  return Written::scalar(std::to_string(target.role == Role::quant_min ? lowest(*type) : highest(*type)));
}

}  // namespace

Settings translate(const Settings& settings, const Signature& from, const Signature& to) {
  Settings translated;
  for (const Parameter& target : to.parameters) {
    const Parameter* source = from.parameter(target.role);
    if (source == nullptr) source = from.parameter(target.name);
    const auto written = source == nullptr ? settings.end() : settings.find(source->name);
    if (written != settings.end()) {
      if (is_understood(target, written->second)) translated.emplace(target.name, written->second);
    } else if (const auto end = end_of_range(target, settings, from)) {
      translated.emplace(target.name, *end);
    }
  }
  return translated;
}

Inputs translate(const Inputs& inputs, const Signature& from, const Signature& to) {
  if (from.inputs.size() != to.inputs.size()) {
    throw RequestError(ErrorKind::missing_parameter, fmt::format("{} has {} inputs, {} has {}", from.id,
                                                                 from.inputs.size(), to.id, to.inputs.size()));
  }
  Inputs translated;
  for (std::size_t i = 0; i < to.inputs.size(); ++i) {
    translated.emplace(to.inputs[i].name, inputs.find(from.inputs[i].name)->second);
  }
  return translated;
}

bool are_alike(const Signature& a, const Signature& b) {
  if (a.kind != b.kind || a.inputs.size() != b.inputs.size()) return false;
  return std::ranges::all_of(
      std::array{Role::scale, Role::zero_point, Role::input_scale, Role::weight_scale, Role::quant_min},
      [&](Role role) { return (a.parameter(role) == nullptr) == (b.parameter(role) == nullptr); });
}

}  // namespace qassay
