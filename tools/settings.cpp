#include "tools/settings.hpp"

#include <fmt/format.h>

#include "tools/npy.hpp"

namespace qassay {
namespace {

std::pair<std::string, std::string_view> split_assignment(std::string_view option, std::string_view assignment,
                                                          std::string_view example) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == assignment.size()) {
    throw RequestError(ErrorKind::bad_value,
                       fmt::format("{} '{}': expected NAME=VALUE, such as {}", option, assignment, example));
  }
  return {std::string(assignment.substr(0, equals)), assignment.substr(equals + 1)};
}

template <class Map, class Value>
void add_once(Map& map, std::string_view option, std::string name, Value value) {
  if (!map.emplace(name, std::move(value)).second) {
    throw RequestError(ErrorKind::bad_value, fmt::format("{} {}: given twice", option, name));
  }
}

}  // namespace

Settings parse_settings(const std::vector<std::string>& assignments) {
  Settings settings;
  for (const std::string& assignment : assignments) {
    auto [name, value] = split_assignment("--set", assignment, "scale=0.1");
    add_once(settings, "--set", std::move(name),
             value.starts_with('@') ? Written::of(read_tensor(value.substr(1))) : Written::parse(value));
  }
  return settings;
}

Inputs read_inputs(const std::vector<std::string>& assignments) {
  Inputs inputs;
  for (const std::string& assignment : assignments) {
    auto [name, value] = split_assignment("--in", assignment, "x=x.npy");
    add_once(inputs, "--in", std::move(name), read_tensor(value));
  }
  return inputs;
}

}  // namespace qassay
