#include "tools/harness/variant.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tools/harness/request.hpp"

namespace qassay {
namespace {

bool is_open(const Parameter& parameter, const Signature& asked) {
  return parameter.kind == ParameterKind::choice && !parameter.fallback.empty() &&
         asked.parameter(parameter.role) == nullptr && asked.parameter(parameter.name) == nullptr;
}

/// The default first.
std::vector<std::string_view> words_of(const Parameter& parameter) {
  std::vector<std::string_view> words = parameter.words;
  std::stable_partition(words.begin(), words.end(), [&](std::string_view word) { return word == parameter.fallback; });
  return words;
}

}  // namespace

std::string Variant::text() const {
  std::string text(formula->id());
  for (const auto& [name, value] : settings_as_text(set))
    text += fmt::format("{} {}={}", text.size() == formula->id().size() ? " with" : "", name, value);
  return text;
}

std::vector<Variant> variants_of(const Formula& formula, const Signature& asked) {
  std::vector<Variant> variants{formula};
  for (const Parameter& parameter : formula.signature->parameters) {
    if (!is_open(parameter, asked)) continue;
    std::vector<Variant> more;
    for (const Variant& variant : variants) {
      for (const std::string_view word : words_of(parameter)) {
        more.push_back(variant);
        more.back().set.insert_or_assign(std::string(parameter.name), Written::scalar(std::string(word)));
      }
    }
    variants = std::move(more);
  }
  return variants;
}

}  // namespace qassay
