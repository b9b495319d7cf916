// golden/ on disk: written so that an interruption shows, and checked against what the interpreter computes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/cases.hpp"

namespace qassay {

/// What is done about which goldens.
struct GoldenRequest {
  std::filesystem::path folder;  ///< golden/
  std::vector<CaseSpec> cases;   ///< all of each formula they are of
  bool is_everything = false;    ///< the cases are all there are: what belongs to none of them is left over
};

/// Everything below golden/ may take so many bytes.
inline constexpr std::size_t kMostGoldenBytes = 20'000'000;

struct GoldenSummary {
  std::size_t formulas = 0;
  std::size_t cases = 0;
  std::size_t bytes = 0;  ///< of the whole folder
  std::vector<std::string> written;
  std::vector<std::string> removed;
};

/// Writes changed files one by one, each whole or not at all, then removes what is left over, the manifest last. Throws
/// RequestError(bad_value) where outputs changed and the formula's revision did not.
GoldenSummary write_goldens(const GoldenRequest& request);

struct GoldenCheck {
  GoldenSummary summary;
  std::vector<std::string> damage;  ///< "missing: PATH", "changed: PATH (why)", "left over: PATH"
};
GoldenCheck check_goldens(const GoldenRequest& request);

}  // namespace qassay
