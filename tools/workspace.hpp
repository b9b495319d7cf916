// Where cases, goldens and backends are.
#pragma once

#include <filesystem>

namespace qassay {

/// The folder that holds cases/, golden/ and tools/backends/: QASSAY_ROOT, or the nearest one above the working folder
/// or above the program. Throws RequestError(not_found).
std::filesystem::path workspace_root();

}  // namespace qassay
