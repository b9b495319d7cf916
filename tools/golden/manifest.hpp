// MANIFEST.json: which file holds which case.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tools/golden/golden_formula.hpp"

namespace qassay {

/// The formulas by folder, as the manifest says them.
using ManifestFormulas = std::map<std::string, JsonValue>;

/// Nothing where there is no manifest. Throws RequestError(bad_file) for one that is damaged.
ManifestFormulas read_manifest(const std::filesystem::path& file);

/// One file, one case a line.
std::string manifest_text(const ManifestFormulas& formulas);

/// Files of a formula by name, with the digests that the manifest gives them.
std::map<std::string, std::string> files_of(const JsonValue& formula);

/// The cases of a formula by name.
std::map<std::string, const JsonValue*> cases_of(const JsonValue& formula);

/// What changed without a new revision: cases whose parameters and inputs are as before, but whose outputs are not.
std::vector<std::string> changed_outputs(const JsonValue& before, const JsonValue& now);

/// golden/witnesses.json: {"onnxruntime 1.32.0": ["case", …]}; nothing where there is no such file.
Witnesses read_witnesses(const std::filesystem::path& file);

}  // namespace qassay
