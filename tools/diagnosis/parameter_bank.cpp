#include "tools/diagnosis/parameter_bank.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace qassay {
namespace {

/// "name=v1,v2" to its parts.
std::pair<std::string, std::vector<std::string>> parse_list(const std::string& list) {
  const std::size_t equals = list.find('=');
  std::vector<std::string> values;
  for (std::size_t start = equals + 1; equals != std::string::npos && start <= list.size();) {
    const std::size_t comma = std::min(list.find(',', start), list.size());
    if (comma == start) break;
    values.push_back(list.substr(start, comma - start));
    start = comma + 1;
  }
  if (equals == 0 || values.empty() || list.ends_with(',')) {
    throw RequestError(ErrorKind::bad_value,
                       fmt::format("--each '{}': expected NAME=VALUE,VALUE,…, such as scale=0.1,0.3", list));
  }
  return {list.substr(0, equals), values};
}

}  // namespace

std::vector<Settings> crossed(const Settings& fixed, const std::vector<std::string>& lists) {
  std::vector<Settings> sets{fixed};
  for (const std::string& list : lists) {
    const auto [name, values] = parse_list(list);
    if (fixed.contains(name))
      throw RequestError(ErrorKind::bad_value, fmt::format("--each {}: is given by --set too", name));
    std::vector<Settings> larger;
    for (const Settings& set : sets) {
      for (const std::string& value : values) {
        Settings one = set;
        one.insert_or_assign(name, Written::parse(value));
        larger.push_back(std::move(one));
      }
    }
    sets = std::move(larger);
  }
  return sets;
}

std::vector<Settings> parameter_bank(const Settings& fixed, const std::vector<std::string>& lists) {
  const auto is_given = [&](std::string_view name) {
    return fixed.contains(name) || std::ranges::any_of(lists, [&](const std::string& list) {
             return list.starts_with(std::string(name) + "=");
           });
  };
  std::vector<std::string> all = lists;
  if (!is_given("scale")) all.emplace_back("scale=0.1,0.0078431,0x1.555556p-2,0.001,0.7,0x1p-15,1e37,bits:0x000116c2");
  std::vector<Settings> sets;
  struct BankRow {
    const char* dtype;
    const char* zero_points;
  };
  for (const auto& [dtype, zero_points] :
       {BankRow{"uint8", "zero_point=0,3,128,255"}, BankRow{"int8", "zero_point=-128,-1,0,127"}}) {
    std::vector<std::string> of_type = all;
    if (!is_given("zero_point")) of_type.emplace_back(zero_points);
    Settings with_type = fixed;
    if (!is_given("dtype")) with_type.insert_or_assign("dtype", Written::scalar(dtype));
    for (Settings& set : crossed(with_type, of_type)) sets.push_back(std::move(set));
    if (is_given("dtype")) break;
  }
  return sets;
}

}  // namespace qassay
