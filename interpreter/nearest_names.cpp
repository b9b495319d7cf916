#include "interpreter/nearest_names.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace qassay {
namespace {

/// Insertions, deletions and replacements between two words, case ignored.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i]) == lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view given, const std::vector<std::string>& names,
                                       std::size_t most) {
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const std::string& name : names) {
    const std::string_view tail = std::string_view(name).substr(std::min(name.size(), name.find('.') + 1));
    const std::size_t distance = std::min(edit_distance(given, name), 1 + edit_distance(given, tail));
    if (distance <= std::max<std::size_t>(2, given.size() / 3)) ranked.emplace_back(distance, name);
  }
  std::ranges::sort(ranked);
  std::vector<std::string> result;
  for (std::size_t i = 0; i < std::min(most, ranked.size()); ++i) result.push_back(ranked[i].second);
  return result;
}

std::string did_you_mean(std::string_view given, const std::vector<std::string>& names) {
  const std::vector<std::string> near = nearest_names(given, names);
  if (near.empty()) return {};
  std::string text = " (did you mean ";
  for (std::size_t i = 0; i < near.size(); ++i) text += (i > 0 ? " or " : "") + ("'" + near[i] + "'");
  return text + "?)";
}

}  // namespace qassay
