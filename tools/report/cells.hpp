// One backend's results on one formula, added up.
#pragma once

#include <vector>

#include "tools/harness/results.hpp"

namespace qassay {

struct Cell {
  std::size_t backend = 0;
  std::string_view formula;
  std::array<std::size_t, kVerdictCount> verdicts{};
  std::size_t elements = 0;
  std::size_t compared = 0;
  std::size_t mismatches = 0;
  double max_lsb = 0;
  Sqnr sqnr;  ///< the worst
};

/// In the order in which they first appear.
std::vector<Cell> cells_of(const RunResults& results);

}  // namespace qassay
