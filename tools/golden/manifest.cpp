#include "tools/golden/manifest.hpp"

#include <fmt/format.h>

namespace qassay {
namespace {

constexpr std::string_view kSchema = "qassay-golden-1";

std::string lines_of(const std::vector<JsonValue>& items) {
  std::string text;
  for (const JsonValue& item : items) text += fmt::format("{}\n    {}", text.empty() ? "" : ",", item.dump());
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

ManifestGroups read_manifest(const std::filesystem::path& file) {
  ManifestGroups groups;
  if (!std::filesystem::exists(file)) return groups;
  const JsonValue json = read_json(file);
  json.expect_keys({"schema", "groups"});
  if (const JsonValue& schema = json.at("schema"); schema.string() != kSchema)
    schema.fail(fmt::format("found '{}', expected '{}'", schema.text, kSchema));
  for (const JsonValue& group : json.at("groups").array()) {
    group.expect_keys({"formula", "revision", "group", "folder", "inputs_from", "files", "cases"});
    files_of(group);
    group.at("revision").integer(1, INT32_MAX);
    group.at("cases").array();
    if (!groups.emplace(group.at("folder").string(), group).second) group.at("folder").fail("is named twice");
  }
  return groups;
}

std::string manifest_text(const ManifestGroups& groups) {
  std::string text = fmt::format("{{\n\"schema\": \"{}\",\n\"groups\": [", kSchema);
  bool is_first = true;
  for (const auto& [folder, group] : groups) {
    text += is_first ? "\n  {" : ",\n  {";
    is_first = false;
    for (std::size_t i = 0; i < group.keys.size(); ++i) {
      const bool has_lines = group.keys[i] == "files" || group.keys[i] == "cases";
      text += fmt::format("{}{}: {}",
                          i == 0      ? ""
                          : has_lines ? ",\n   "
                                      : ", ",
                          json_string(group.keys[i]),
                          has_lines ? "[" + lines_of(group.items[i].items) + "]" : group.items[i].dump());
    }
    text += "}";
  }
  return text + "\n]}\n";
}

std::map<std::string, std::string> files_of(const JsonValue& group) {
  std::map<std::string, std::string> files;
  for (const JsonValue& file : group.at("files").array()) {
    const std::string& name = file.at("name").string();
    if (name.find('/') != std::string::npos || name.starts_with('.')) file.at("name").fail("is no name of a file");
    files.emplace(name, file.at("sha256").string());
  }
  return files;
}

std::vector<std::string> changed_outputs(const JsonValue& before, const JsonValue& now) {
  std::vector<std::string> changed;
  if (before.at("revision").text != now.at("revision").text) return changed;
  std::map<std::string_view, const JsonValue*> known;
  for (const JsonValue& old : before.at("cases").items) known.emplace(old.at("case").string(), &old);
  for (const JsonValue& made : now.at("cases").items) {
    const auto found = known.find(made.at("case").string());
    if (found == known.end()) continue;
    const JsonValue& old = *found->second;
    const JsonValue* outputs = made.find("outputs");
    const JsonValue* old_outputs = old.find("outputs");
    if (outputs == nullptr || old_outputs == nullptr) continue;
    if (old.at("parameters").dump() == made.at("parameters").dump() &&
        digests_of(old.at("inputs")) == digests_of(made.at("inputs")) &&
        digests_of(*old_outputs) != digests_of(*outputs)) {
      changed.push_back(made.at("case").text);
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
