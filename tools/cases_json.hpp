// Reads a case file into groups.
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "interpreter/formula.hpp"
#include "tools/case_group.hpp"

namespace qassay {

struct CaseFile {
  const Formula* formula = nullptr;
  std::vector<std::shared_ptr<const CaseGroup>> groups;
};

/// Throws RequestError(bad_file) naming file and place. Trap names are checked where `traps` is given.
CaseFile read_case_file(const std::filesystem::path& file, const std::set<std::string, std::less<>>* traps);

}  // namespace qassay
