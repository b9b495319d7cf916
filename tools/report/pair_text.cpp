// What separates two backends on a case, as text.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "tools/number_words.hpp"
#include "tools/report/report.hpp"

namespace qassay {
namespace {

constexpr std::size_t kMostFormulas = 4;

std::string fitting_text(const Fingerprint& fingerprint) {
  if (fingerprint.fitting.empty()) return fmt::format("none of {} formulas tried fits", fingerprint.tried);
  std::vector<std::string> ids;
  for (const Variant& variant : fingerprint.fitting) ids.push_back(variant.text());
  const std::size_t shown = std::min(ids.size(), kMostFormulas);
  const std::size_t hidden = ids.size() - shown;
  ids.resize(shown);
  return fmt::format("every element as {}{}", fmt::join(ids, ", "),
                     hidden == 0 ? "" : fmt::format(" and {} more", hidden));
}

/// What the case itself expects, and whether this side gives that.
std::string_view standing(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass: return "as the case expects";
    case Verdict::unspecified: return "the case says nothing of it";
    default: return "not as the case expects";
  }
}

std::string known_text(const KnownDifference& known) {
  return fmt::format("known difference, proved by {}: {}{}", known.cause_text(), known.why,
                     known.upstream.empty() ? "" : fmt::format(" ({})", known.upstream));
}

std::string side_text(const std::string& backend, const SideFinding& side) {
  std::string text = fmt::format("  {}: {}\n", backend,
                                 side.fingerprint.tried > 0
                                     ? fmt::format("{}; {}", fitting_text(side.fingerprint), standing(side.verdict))
                                 : side.ending.empty() ? std::string(standing(side.verdict))
                                                       : "gives no outputs");
  if (side.known_difference != nullptr) text += fmt::format("    {}\n", known_text(*side.known_difference));
  if (!side.fingerprint.rule.empty()) text += fmt::format("    rule: {}\n", side.fingerprint.rule);
  return text;
}

std::string sweep_text(const SweepFinding& sweep, const std::array<std::string, 2>& names) {
  if (sweep.tried == 0) return fmt::format("  sweep: not made: {}\n", sweep.failure);
  std::string text = fmt::format("  sweep: {} of {} inputs differ", grouped(sweep.differing), grouped(sweep.tried));
  if (sweep.tried < sweep.inputs)
    text += fmt::format("; stopped before all {} were tried{}{}", grouped(sweep.inputs),
                        sweep.failure.empty() ? "" : ": ", sweep.failure);
  text += "\n";
  for (const SweepClass& found : sweep.classes) {
    text += fmt::format("    {} {}: {}\n      the smallest {}: {} gives {}, {} gives {}\n", grouped(found.count),
                        row(found.kind).name, row(found.kind).about, value_text(found.input.type, found.input.bits),
                        names[1], value_text(found.output_type, found.difference.expected), names[0],
                        value_text(found.output_type, found.difference.got));
  }
  return text;
}

}  // namespace

std::string endings_text(const RunResults& results, const CaseResult& result) {
  const std::array<std::string, 2> names{results.backends[result.backend].name, results.against->name};
  std::array<std::string, 2> texts;
  for (std::size_t s = 0; s < names.size(); ++s) {
    const std::string& ending = result.pair->sides[s].ending;
    texts[s] = ending.empty() ? names[s] + " computes it" : ending.substr(0, ending.find(": "));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string pair_text(const RunResults& results, const CaseResult& result) {
  const std::array<std::string, 2> names{results.backends[result.backend].name, results.against->name};
  std::string text;
  for (std::size_t s = 0; s < names.size(); ++s) text += side_text(names[s], result.pair->sides[s]);
  if (!result.pair->classes.empty()) text += "  what separates them:\n";
  for (const ClassFinding& found : result.pair->classes) {
    const OutputComparison& comparison = result.outputs[found.output].comparison;
    text += fmt::format("    {} {}{}: {}\n", found.count, row(found.kind).name,
                        result.outputs.size() > 1 ? fmt::format(" ({})", comparison.name) : "", row(found.kind).about);
    text += fmt::format("      {}\n",
                        element_text(comparison.type, found.example, names[1] + " gives", names[0] + " gives"));
    for (std::size_t s = 0; s < names.size(); ++s) {
      if (!found.explain[s].empty()) text += fmt::format("      {}: {}\n", names[s], found.explain[s]);
    }
  }
  if (result.pair->sweep) text += sweep_text(*result.pair->sweep, names);
  return text;
}

}  // namespace qassay
