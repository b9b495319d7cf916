#include "tools/golden/manifest.hpp"

#include <fmt/format.h>

namespace qassay {
namespace {

constexpr std::string_view kSchema = "qassay-golden-1";

/// Items one a line.
std::string lines_of(const std::vector<JsonValue>& items, std::string_view indent) {
  std::string text;
  for (const JsonValue& item : items) text += fmt::format("{}\n{}{}", text.empty() ? "" : ",", indent, item.dump());
  return text;
}

/// A formula or a group: short members on one line, lists of files and cases below.
std::string block_of(const JsonValue& json, std::string_view indent) {
  std::string text;
  for (std::size_t i = 0; i < json.keys.size(); ++i) {
    const std::string& key = json.keys[i];
    std::string value = json.items[i].dump();
    if (key == "files" || key == "cases") {
      value = fmt::format("[{}]", lines_of(json.items[i].items, fmt::format("{}  ", indent)));
    } else if (key == "groups") {
      value.clear();
      for (const JsonValue& group : json.items[i].items)
        value +=
            fmt::format("{}\n{} {{{}}}", value.empty() ? "" : ",", indent, block_of(group, fmt::format("{} ", indent)));
      value = fmt::format("[{}]", value);
    }
    const bool is_short = key != "files" && key != "cases" && key != "groups";
    text += fmt::format("{}{}: {}",
                        i == 0     ? ""
                        : is_short ? ", "
                                   : fmt::format(",\n{}", indent),
                        json_string(key), value);
  }
  return text;
}

/// What a formula gave for a case: the digests of its outputs, without where they stand.
std::map<std::string, std::string> digests_of(const JsonValue& tensors) {
  std::map<std::string, std::string> digests;
  for (std::size_t i = 0; i < tensors.keys.size(); ++i)
    digests.emplace(tensors.keys[i], tensors.items[i].at("sha256").string());
  return digests;
}

}  // namespace

ManifestFormulas read_manifest(const std::filesystem::path& file) {
  ManifestFormulas formulas;
  if (!std::filesystem::exists(file)) return formulas;
  const JsonValue json = read_json(file);
  json.expect_keys({"schema", "formulas"});
  if (const JsonValue& schema = json.at("schema"); schema.string() != kSchema)
    schema.fail(fmt::format("found '{}', expected '{}'", schema.text, kSchema));
  for (const JsonValue& formula : json.at("formulas").array()) {
    formula.expect_keys({"formula", "revision", "folder", "files", "groups"});
    files_of(formula);
    cases_of(formula);
    formula.at("revision").integer(1, INT32_MAX);
    if (!formulas.emplace(formula.at("folder").string(), formula).second) formula.at("folder").fail("is named twice");
  }
  return formulas;
}

std::string manifest_text(const ManifestFormulas& formulas) {
  std::string text;
  for (const auto& [folder, formula] : formulas)
    text += fmt::format("{}\n {{{}}}", text.empty() ? "" : ",", block_of(formula, "  "));
  return fmt::format("{{\n\"schema\": \"{}\",\n\"formulas\": [{}\n]}}\n", kSchema, text);
}

std::map<std::string, std::string> files_of(const JsonValue& formula) {
  std::map<std::string, std::string> files;
  for (const JsonValue& file : formula.at("files").array()) {
    const std::string& name = file.at("name").string();
    if (name.find('/') != std::string::npos || name.starts_with('.')) file.at("name").fail("is no name of a file");
    files.emplace(name, file.at("sha256").string());
  }
  return files;
}

std::map<std::string, const JsonValue*> cases_of(const JsonValue& formula) {
  std::map<std::string, const JsonValue*> cases;
  for (const JsonValue& group : formula.at("groups").array()) {
    for (const JsonValue& made : group.at("cases").array()) cases.emplace(made.at("case").string(), &made);
  }
  return cases;
}

std::vector<std::string> changed_outputs(const JsonValue& before, const JsonValue& now) {
  std::vector<std::string> changed;
  if (before.at("revision").text != now.at("revision").text) return changed;
  const auto known = cases_of(before);
  for (const auto& [name, made] : cases_of(now)) {
    const auto found = known.find(name);
    if (found == known.end()) continue;
    const JsonValue& old = *found->second;
    const JsonValue* outputs = made->find("outputs");
    const JsonValue* old_outputs = old.find("outputs");
    if (outputs == nullptr || old_outputs == nullptr) continue;
    if (old.at("parameters").dump() == made->at("parameters").dump() &&
        digests_of(old.at("inputs")) == digests_of(made->at("inputs")) &&
        digests_of(*old_outputs) != digests_of(*outputs)) {
      changed.push_back(name);
    }
  }
  return changed;
}

Witnesses read_witnesses(const std::filesystem::path& file) {
  Witnesses witnesses;
  if (!std::filesystem::exists(file)) return witnesses;
  const JsonValue json = read_json(file);
  if (!json.is(JsonValue::Kind::object)) json.fail("expected {\"backend version\": [\"case\", …]}");
  for (std::size_t i = 0; i < json.keys.size(); ++i) {
    for (const JsonValue& name : json.items[i].array()) witnesses[name.string()].push_back(json.keys[i]);
  }
  for (auto& [name, backends] : witnesses) std::ranges::sort(backends);
  return witnesses;
}

}  // namespace qassay
