// Real backends, by version, that reproduced cases bit for bit.
#pragma once

#include <filesystem>

#include "tools/harness/results.hpp"

namespace qassay {

/// Brings the file up to date: {"onnxruntime 1.32.0": ["case", …]}. Cases of this run that were reproduced are added
/// under their backend's version, those that ran and were not are removed; everything else stays. Dialects, mutants and
/// commands are no witnesses. Throws RequestError(bad_file).
void record_witnesses(const RunResults& results, const std::filesystem::path& file);

}  // namespace qassay
