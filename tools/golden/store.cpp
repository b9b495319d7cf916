#include "tools/golden/store.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "tools/golden/digest.hpp"
#include "tools/golden/manifest.hpp"
#include "tools/npy.hpp"

namespace qassay {
namespace {

namespace fs = std::filesystem;

/// In golden/, but not made by this program's goldens.
bool is_kept(const std::string& path) {
  return path == "README.md" || path == "MANIFEST.json" || path == "witnesses.json";
}

/// What golden/ must hold.
struct Wanted {
  ManifestFormulas formulas;
  std::map<std::string, std::string> files;  ///< by path below golden/: the content of files made now
  std::map<std::string, std::string> paths;  ///< of all files, those of other formulas too: the digest
  GoldenSummary summary;
};

/// The cases formula by formula; within one, in the order in which they come.
std::map<std::string, std::vector<CaseSpec>> by_folder(const std::vector<CaseSpec>& cases) {
  std::map<std::string, std::vector<CaseSpec>> folders;
  for (const CaseSpec& spec : cases) folders[golden_folder(*spec.formula)].push_back(spec);
  return folders;
}

Wanted make_wanted(const GoldenRequest& request, const ManifestFormulas& before) {
  Wanted wanted;
  const Witnesses witnesses = read_witnesses(request.folder / "witnesses.json");
  if (!request.is_everything) wanted.formulas = before;
  for (const auto& [folder, cases] : by_folder(request.cases)) {
    GoldenFormula formula = make_golden_formula(cases, witnesses);
    for (auto& [name, content] : formula.files) {
      wanted.summary.bytes += content.size();
      wanted.files.emplace(fmt::format("{}/{}", folder, name), std::move(content));
    }
    wanted.formulas.insert_or_assign(folder, std::move(formula.json));
    ++wanted.summary.formulas;
    wanted.summary.cases += cases.size();
  }
  for (const auto& [folder, formula] : wanted.formulas) {
    for (const auto& [name, digest] : files_of(formula)) {
      const std::string path = fmt::format("{}/{}", folder, name);
      wanted.paths.emplace(path, digest);
      std::error_code error;
      if (!wanted.files.contains(path) && fs::exists(request.folder / path, error))
        wanted.summary.bytes += fs::file_size(request.folder / path, error);
    }
  }
  return wanted;
}

/// Files on disk that belong to nothing.
std::vector<std::string> left_over(const fs::path& folder, const std::map<std::string, std::string>& paths) {
  std::vector<std::string> found;
  std::error_code error;
  if (!fs::exists(folder, error)) return found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string path = fs::relative(entry.path(), folder).generic_string();
    if (!entry.is_directory() && !is_kept(path) && !paths.contains(path)) found.push_back(path);
  }
  std::ranges::sort(found);
  return found;
}

/// What an interrupted run leaves behind.
bool is_temporary(const fs::path& path) {
  return path.filename().string().starts_with('.') && path.extension() == ".tmp";
}

/// A folder without a manifest that holds something else is not ours to clean up.
void refuse_foreign(const fs::path& folder, const std::vector<std::string>& found) {
  const auto foreign = std::ranges::find_if_not(found, is_temporary);
  if (foreign == found.end()) return;
  throw RequestError(ErrorKind::bad_file, fmt::format("{}: has no MANIFEST.json, but other files such as {}; choose an "
                                                      "empty folder",
                                                      folder.string(), *foreign));
}

void refuse_unrevised(const ManifestFormulas& before, const ManifestFormulas& now) {
  constexpr std::size_t kMostNamed = 5;
  std::vector<std::string> changed;
  for (const auto& [folder, formula] : now) {
    const auto found = before.find(folder);
    if (found == before.end()) continue;
    std::ranges::move(changed_outputs(found->second, formula), std::back_inserter(changed));
  }
  if (changed.empty()) return;
  const std::size_t count = changed.size();
  changed.resize(std::min(count, kMostNamed));
  throw RequestError(ErrorKind::bad_value,
                     fmt::format("the outputs of {} cases changed, but the revision of their formula did not: {}{}; "
                                 "count up its signature's revision and say why there",
                                 count, fmt::join(changed, ", "), count > kMostNamed ? ", …" : ""));
}

/// The first case that the two manifests say differently, or "".
std::string first_difference(const JsonValue& before, const JsonValue& now) {
  const auto known = cases_of(before);
  for (const JsonValue& group : now.at("groups").items) {
    for (const JsonValue& made : group.at("cases").items) {
      const auto found = known.find(made.at("case").text);
      if (found == known.end() || found->second->dump() != made.dump()) return " (first " + made.at("case").text + ")";
    }
  }
  return "";
}

void note_changes(const ManifestFormulas& before, const ManifestFormulas& now, std::vector<std::string>& damage) {
  for (const auto& [folder, formula] : now) {
    const auto found = before.find(folder);
    if (found == before.end()) damage.push_back(fmt::format("missing: {} in MANIFEST.json", folder));
    else if (found->second.dump() != formula.dump())
      damage.push_back(fmt::format("changed: {} in MANIFEST.json{}", folder, first_difference(found->second, formula)));
  }
  for (const auto& [folder, formula] : before) {
    if (!now.contains(folder)) damage.push_back(fmt::format("left over: {} in MANIFEST.json", folder));
  }
}

void remove_empty_folders(const fs::path& folder) {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_directory()) folders.push_back(entry.path());
  }
  std::ranges::sort(folders, std::greater<>{});
  for (const fs::path& inner : folders) {
    std::error_code ignored;
    if (fs::is_empty(inner, ignored)) fs::remove(inner, ignored);
  }
}

}  // namespace

GoldenSummary write_goldens(const GoldenRequest& request) {
  const fs::path manifest = request.folder / "MANIFEST.json";
  const ManifestFormulas before = read_manifest(manifest);
  Wanted wanted = make_wanted(request, before);
  refuse_unrevised(before, wanted.formulas);
  const std::string text = manifest_text(wanted.formulas);
  GoldenSummary summary = std::move(wanted.summary);
  summary.bytes += text.size();
  if (summary.bytes > kMostGoldenBytes) {
    throw RequestError(ErrorKind::bad_value,
                       fmt::format("{}: would take {} bytes, more than {}; give large cases fewer elements, or so many "
                                   "that their digests stand for them",
                                   request.folder.string(), summary.bytes, kMostGoldenBytes));
  }
  std::error_code error;
  if (!fs::exists(manifest, error)) refuse_foreign(request.folder, left_over(request.folder, wanted.paths));
  const auto write = [&](const std::string& path, const std::string& content) {
    const fs::path file = request.folder / path;
    if (fs::exists(file, error) && read_file(file) == content) return;
    fs::create_directories(file.parent_path(), error);
    write_file(file, content);
    summary.written.push_back(path);
  };
  for (const auto& [path, content] : wanted.files) write(path, content);
  for (const std::string& path : left_over(request.folder, wanted.paths)) {
    if (!is_temporary(path) && fs::path(path).extension() != ".npy") continue;
    fs::remove(request.folder / path, error);
    summary.removed.push_back(path);
  }
  write("MANIFEST.json", text);
  remove_empty_folders(request.folder);
  return summary;
}

GoldenCheck check_goldens(const GoldenRequest& request) {
  GoldenCheck check;
  const fs::path manifest = request.folder / "MANIFEST.json";
  ManifestFormulas before;
  try {
    before = read_manifest(manifest);
  } catch (const RequestError& damaged) {
    check.damage.push_back(fmt::format("changed: MANIFEST.json ({})", damaged.what()));
  }
  const Wanted wanted = make_wanted(request, before);
  check.summary = wanted.summary;
  std::error_code error;
  for (const auto& [path, digest] : wanted.paths) {
    if (!fs::exists(request.folder / path, error)) {
      check.damage.push_back(fmt::format("missing: {}", path));
      continue;
    }
    const std::string content = read_file(request.folder / path);
    const auto made = wanted.files.find(path);
    if (made != wanted.files.end() && content != made->second)
      check.damage.push_back(fmt::format("changed: {} (not what the interpreter computes)", path));
    else if (made == wanted.files.end() && sha256(content) != digest)
      check.damage.push_back(fmt::format("changed: {} (not what MANIFEST.json says)", path));
  }
  for (const std::string& path : left_over(request.folder, wanted.paths))
    check.damage.push_back(fmt::format("left over: {}", path));

  const std::string text = manifest_text(wanted.formulas);
  check.summary.bytes += text.size();
  if (!fs::exists(manifest, error)) {
    check.damage.emplace_back("missing: MANIFEST.json");
  } else if (check.damage.empty() || !check.damage.front().starts_with("changed: MANIFEST.json")) {
    note_changes(before, wanted.formulas, check.damage);
    if (check.damage.empty() && read_file(manifest) != text)
      check.damage.emplace_back("changed: MANIFEST.json (its layout)");
  }
  if (request.is_everything) {
    std::set<std::string_view> names;
    for (const CaseSpec& spec : request.cases) names.insert(spec.name);
    for (const auto& [name, backends] : read_witnesses(request.folder / "witnesses.json")) {
      if (!names.contains(name)) check.damage.push_back(fmt::format("left over: case {} in witnesses.json", name));
    }
  }
  return check;
}

}  // namespace qassay
