// Walks the registry: nothing may be missing for a formula, nothing may be left over from one.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "catch.hpp"
#include "interpreter/registry.hpp"

using namespace qassay;

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = QASSAY_SOURCE_ROOT;

/// "QuantizeLinear" is quantize_linear, "RESCALE" is rescale, "MXQuantize" is mx_quantize.
std::string snake_case(std::string_view op) {
  const auto is_upper = [&](std::size_t i) {
    return i < op.size() && std::isupper(static_cast<unsigned char>(op[i])) != 0;
  };
  const auto is_lower = [&](std::size_t i) {
    return i < op.size() && std::islower(static_cast<unsigned char>(op[i])) != 0;
  };
  std::string snake;
  for (std::size_t i = 0; i < op.size(); ++i) {
    const bool begins_word = is_upper(i) && i > 0 && op[i - 1] != '_' && (!is_upper(i - 1) || is_lower(i + 1));
    if (begins_word) snake += '_';
    snake += static_cast<char>(std::tolower(static_cast<unsigned char>(op[i])));
  }
  return snake;
}

/// "onnx/quantize_linear"; versions share it.
fs::path place_of(std::string_view id) {
  return fs::path(std::string(dialect_of(id))) / snake_case(op_of(id));
}

/// "pytorch/quantize_per_tensor@2.13": versions have their own.
fs::path versioned_place_of(std::string_view id) {
  const std::string_view version = version_of(id);
  return place_of(id).string() + (version.empty() ? "" : "@" + std::string(version));
}

std::set<std::string> dialects() {
  std::set<std::string> found;
  for (const Formula& formula : all_formulas()) found.emplace(dialect_of(formula.id()));
  return found;
}

/// What stands in a folder for each dialect, as "dialect/name": files with the extension, or folders where it is empty.
std::set<std::string> standing_in(const fs::path& folder, std::string_view prefix, std::string_view extension) {
  std::set<std::string> found;
  for (const std::string& dialect : dialects()) {
    if (!fs::exists(folder / dialect)) continue;
    for (const auto& entry : fs::directory_iterator(folder / dialect)) {
      std::string name = entry.path().filename().string();
      if (entry.is_directory() != extension.empty() || !name.starts_with(prefix) || !name.ends_with(extension))
        continue;
      name = name.substr(prefix.size(), name.size() - prefix.size() - extension.size());
      found.insert(dialect + "/" + name);
    }
  }
  return found;
}

std::string read(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::set<std::string> places(fs::path (*place)(std::string_view)) {
  std::set<std::string> found;
  for (const Formula& formula : all_formulas()) found.insert(place(formula.id()).generic_string());
  return found;
}

/// Every text under a key "formula", wherever it stands.
void collect_formulas(const nlohmann::json& json, std::set<std::string>& found) {
  if (json.is_object() && json.contains("formula") && json["formula"].is_string()) found.insert(json["formula"]);
  if (json.is_structured()) {
    for (const auto& member : json) collect_formulas(member, found);
  }
}

}  // namespace

TEST_CASE("ops in file names") {
  CHECK(snake_case("QuantizeLinear") == "quantize_linear");
  CHECK(snake_case("quantize_per_tensor") == "quantize_per_tensor");
  CHECK(snake_case("DynamicQuantizeLinear") == "dynamic_quantize_linear");
  CHECK(snake_case("RESCALE") == "rescale");
  CHECK(snake_case("MinMaxObserver") == "min_max_observer");
  CHECK(snake_case("MXQuantize") == "mx_quantize");
  CHECK(snake_case("ChooseQuantizationParams") == "choose_quantization_params");
}

TEST_CASE("a formula's id is its address") {
  for (const Formula& formula : all_formulas()) {
    CAPTURE(formula.id());
    const fs::path file = kRoot / "interpreter" / (place_of(formula.id()).string() + ".hpp");
    REQUIRE(fs::exists(file));
    CHECK(read(file).find('"' + std::string(formula.id()) + '"') != std::string::npos);
  }
}

TEST_CASE("no header of a dialect is left without its formula") {
  const std::set<std::string> known = places(place_of);
  for (const std::string& header : standing_in(kRoot / "interpreter", "", ".hpp")) {
    CAPTURE(header);
    const bool is_of_the_dialect = header.ends_with("/parameters") || header.ends_with("parts");
    CHECK((is_of_the_dialect || known.contains(header)));
  }
}

TEST_CASE("every dialect has its README", "[completeness]") {
  for (const std::string& dialect : dialects()) {
    CAPTURE(dialect);
    CHECK(read(kRoot / "interpreter" / dialect / "README.md").size() > 200);
  }
}

TEST_CASE("every formula has a test, and every test of a dialect its formula", "[completeness]") {
  const std::set<std::string> known = places(place_of);
  const std::set<std::string> tests = standing_in(kRoot / "tests/interpreter", "test_", ".cpp");
  for (const Formula& formula : all_formulas()) {
    CAPTURE(formula.id());
    const fs::path place = place_of(formula.id());
    REQUIRE(tests.contains(place.generic_string()));
    const fs::path file =
        kRoot / "tests/interpreter" / place.parent_path() / ("test_" + place.filename().string() + ".cpp");
    CHECK(read(file).find('"' + std::string(formula.id()) + '"') != std::string::npos);
  }
  for (const std::string& test : tests) {
    CAPTURE(test);
    CHECK((test.ends_with("/parameters") || known.contains(test)));
  }
}

TEST_CASE("every formula has cases, and every case file its formula", "[completeness]") {
  const std::set<std::string> known = places(versioned_place_of);
  for (const Formula& formula : all_formulas()) {
    CAPTURE(formula.id());
    const fs::path file = kRoot / "cases" / (versioned_place_of(formula.id()).string() + ".json");
    REQUIRE(fs::exists(file));
    const nlohmann::json cases = nlohmann::json::parse(read(file));
    CHECK(cases["formula"] == std::string(formula.id()));
    CHECK_FALSE(cases["groups"].empty());
  }
  for (const std::string& file : standing_in(kRoot / "cases", "", ".json")) {
    CAPTURE(file);
    CHECK(known.contains(file));
  }
}

TEST_CASE("every formula has goldens, and every golden its formula", "[completeness]") {
  const fs::path manifest = kRoot / "golden/MANIFEST.json";
  REQUIRE(fs::exists(manifest));
  std::set<std::string> in_manifest;
  collect_formulas(nlohmann::json::parse(read(manifest)), in_manifest);
  for (const Formula& formula : all_formulas()) {
    CAPTURE(formula.id());
    CHECK(in_manifest.contains(std::string(formula.id())));
  }
  for (const std::string& id : in_manifest) {
    CAPTURE(id);
    if (!id.starts_with("program.")) CHECK(find_formula(id) != nullptr);
  }
  const std::set<std::string> known = places(versioned_place_of);
  for (const std::string& folder : standing_in(kRoot / "golden", "", "")) {
    CAPTURE(folder);
    CHECK(known.contains(folder));
  }
}
