#include "tools/harness/results.hpp"

#include <algorithm>

namespace qassay {

std::string_view name(Verdict verdict) {
  static constexpr std::array<std::string_view, kVerdictCount> kNames{
      "pass",  "mismatch", "known_difference", "unexpected_pass", "unspecified", "unsupported",
      "error", "crash",    "timeout"};
  return kNames[static_cast<std::size_t>(verdict)];
}

bool is_failure(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
    case Verdict::known_difference:
    case Verdict::unspecified:
    case Verdict::unsupported: return false;
    default: return true;
  }
}

std::array<std::size_t, kVerdictCount> RunResults::verdicts() const {
  std::array<std::size_t, kVerdictCount> counts{};
  for (const CaseResult& result : cases) ++counts[static_cast<std::size_t>(result.verdict)];
  return counts;
}

std::size_t RunResults::elements() const {
  std::size_t sum = 0;
  for (const CaseResult& result : cases) {
    for (const OutputResult& output : result.outputs) sum += output.comparison.elements;
  }
  return sum;
}

std::size_t RunResults::compared() const {
  std::size_t sum = 0;
  for (const CaseResult& result : cases) {
    for (const OutputResult& output : result.outputs) sum += output.comparison.compared();
  }
  return sum;
}

std::size_t RunResults::judged_cases() const {
  return static_cast<std::size_t>(std::ranges::count_if(cases, [](const CaseResult& result) {
    switch (result.verdict) {
      case Verdict::pass:
      case Verdict::mismatch:
      case Verdict::known_difference:
      case Verdict::unexpected_pass: return true;
      default: return false;
    }
  }));
}

std::uint64_t OutputResult::whole_steps() const {
  std::uint64_t count = 0;
  if (!comparison.lsb) return count;
  for (const auto& [steps, elements] : comparison.lsb->histogram) count += steps == 0 ? 0 : elements;
  return count;
}

std::optional<LetThrough> RunResults::let_through() const {
  std::optional<LetThrough> sum;
  for (const CaseResult& result : cases) {
    std::size_t differing = 0;
    std::size_t whole_steps = 0;
    bool passes = true;
    for (const OutputResult& output : result.outputs) {
      if (!output.tolerance) continue;
      if (!sum) sum.emplace().tolerance = output.tolerance->tolerance;
      passes = passes && output.tolerance->passes;
      differing += output.comparison.mismatches;
      whole_steps += output.whole_steps();
    }
    if (differing == 0 || !passes) continue;
    ++sum->cases;
    sum->elements += differing;
    sum->whole_steps += whole_steps;
  }
  return sum;
}

}  // namespace qassay
