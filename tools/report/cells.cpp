#include "tools/report/cells.hpp"

#include <algorithm>

namespace qassay {
namespace {

/// From the best to the worst: nothing, exact, decibels falling, no signal.
bool is_worse(const Sqnr& a, const Sqnr& b) {
  const auto rank = [](const Sqnr& sqnr) {
    switch (sqnr.kind) {
      case Sqnr::Kind::nothing: return 0;
      case Sqnr::Kind::exact: return 1;
      case Sqnr::Kind::decibels: return 2;
      case Sqnr::Kind::no_signal: return 3;
    }
    return 0;
  };
  if (rank(a) != rank(b)) return rank(a) > rank(b);
  return a.kind == Sqnr::Kind::decibels && a.decibels < b.decibels;
}

}  // namespace

std::vector<Cell> cells_of(const RunResults& results) {
  std::vector<Cell> cells;
  for (const CaseResult& result : results.cases) {
    const std::string_view formula = results.specs[result.spec].formula->id();
    auto cell = std::ranges::find_if(
        cells, [&](const Cell& known) { return known.backend == result.backend && known.formula == formula; });
    if (cell == cells.end()) {
      cells.push_back({result.backend, formula, {}, 0, 0, 0, 0, {}});
      cell = cells.end() - 1;
    }
    ++cell->verdicts[static_cast<std::size_t>(result.verdict)];
    for (const OutputResult& output : result.outputs) {
      const OutputComparison& comparison = output.comparison;
      cell->elements += comparison.elements;
      cell->compared += comparison.compared();
      cell->mismatches += comparison.mismatches;
      if (comparison.lsb) cell->max_lsb = std::max(cell->max_lsb, comparison.lsb->max);
      if (is_worse(comparison.sqnr, cell->sqnr)) cell->sqnr = comparison.sqnr;
    }
  }
  return cells;
}

}  // namespace qassay
