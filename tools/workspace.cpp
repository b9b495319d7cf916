#include "tools/workspace.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "interpreter/error.hpp"

namespace qassay {
namespace {

namespace fs = std::filesystem;

bool is_root(const fs::path& folder) {
  return fs::exists(folder / "cases" / "traps.json");
}

fs::path root_above(fs::path folder) {
  while (!is_root(folder)) {
    if (!folder.has_parent_path() || folder == folder.parent_path()) return {};
    folder = folder.parent_path();
  }
  return folder;
}

}  // namespace

fs::path workspace_root() {
  if (const char* given =
          std::getenv("QASSAY_ROOT")) {  // NOLINT(concurrency-mt-unsafe): nothing here sets the environment
    if (is_root(given)) return given;
    throw RequestError(ErrorKind::not_found,
                       fmt::format("QASSAY_ROOT: '{}' has no cases/traps.json; set it to the project's folder", given));
  }
  std::error_code ignored;
  for (const fs::path& start : {fs::current_path(ignored), fs::read_symlink("/proc/self/exe", ignored).parent_path()}) {
    if (const fs::path root = root_above(start); !root.empty()) return root;
  }
  throw RequestError(ErrorKind::not_found,
                     "cases/traps.json is neither above this folder nor above the program; run in the project's folder "
                     "or set QASSAY_ROOT");
}

}  // namespace qassay
