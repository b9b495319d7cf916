#include "tools/harness/pair.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "tools/harness/request.hpp"

namespace qassay {
namespace {

using Kind = Answer::Kind;

bool gives_outputs(const PairSide& side) {
  return side.given.answer.kind == Kind::done;
}

/// Whether it says that it does not compute the case, in good order.
bool declines(const PairSide& side) {
  return side.given.answer.kind == Kind::unsupported || side.given.answer.kind == Kind::refused;
}

std::string_view ending_word(Kind kind) {
  switch (kind) {
    case Kind::done: return "computes it";
    case Kind::unsupported: return "does not support it";
    case Kind::refused: return "refuses it";
    case Kind::crash: return "crashes";
    case Kind::timeout: return "gives no answer in time";
    default: return "breaks the protocol";
  }
}

std::string ending_text(const PairSide& side) {
  const Answer& answer = side.given.answer;
  return fmt::format("{} {}{}{}", side.name, ending_word(answer.kind), answer.message.empty() ? "" : ": ",
                     answer.message);
}

/// What the case says of one side alone.
SideFinding beside_expectation(const CaseSpec& spec, const Case& made, const PairSide& side) {
  const CaseResult alone = judge(spec, made, side.given.answer, side.given.outputs, side.known_differences,
                                 {.policy = Policy(), .most_shown = 0});
  SideFinding finding;
  finding.verdict = alone.verdict;
  finding.known_difference = alone.known_difference;
  if (!gives_outputs(side)) finding.ending = ending_text(side);
  return finding;
}

/// Whether each side is what the case expects or a known difference of its own, and not both the former.
bool is_known(const PairFinding& pair) {
  const auto is_accounted_for = [](const SideFinding& side) {
    return side.verdict == Verdict::pass || side.verdict == Verdict::known_difference;
  };
  const auto has_cause = [](const SideFinding& side) { return side.known_difference != nullptr; };
  return std::ranges::all_of(pair.sides, is_accounted_for) && std::ranges::any_of(pair.sides, has_cause);
}

Expectation expectation_of(const Signature& signature, const std::vector<Tensor>& outputs) {
  Expectation expectation;
  for (std::size_t o = 0; o < outputs.size(); ++o)
    expectation.outputs.emplace(signature.outputs[o].name, ExpectedOutput{outputs[o], {}, {}});
  return expectation;
}

/// The verdict where one side at least gives no outputs.
Verdict verdict_on_endings(const PairSide& a, const PairSide& b) {
  for (const PairSide* side : {&a, &b}) {
    if (!gives_outputs(*side) && !declines(*side)) return verdict_of(side->given.answer.kind);
  }
  const bool both_decline = declines(a) && declines(b);
  const bool is_unsupported = a.given.answer.kind == Kind::unsupported || b.given.answer.kind == Kind::unsupported;
  return both_decline || is_unsupported ? Verdict::unsupported : Verdict::error;
}

std::vector<ClassFinding> classes_of(const CaseSpec& spec, const Case& made, const PairSide& a, const PairSide& b) {
  const Arguments* const arguments = made.arguments ? &*made.arguments : nullptr;
  std::map<std::pair<std::size_t, DifferenceClass>, ClassFinding> found;
  for (std::size_t o = 0; o < a.given.outputs.size(); ++o) {
    const Tensor& got = a.given.outputs[o];
    const Tensor& other = b.given.outputs[o];
    if (is_same(got, other)) continue;
    const DifferingElements elements(*spec.formula, arguments, made.inputs, o, got);
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (is_same_value(got.type(), other.bits(i), got.bits(i))) continue;
      const DifferingElement element = elements.at(i, other.bits(i), got.bits(i));
      const DifferenceClass kind = class_of(element);
      ClassFinding& finding = found[{o, kind}];
      if (finding.count++ > 0) continue;
      finding.kind = kind;
      finding.output = o;
      finding.example = show(element.difference, arguments, made.inputs, got.shape());
    }
  }
  std::vector<ClassFinding> classes;
  for (auto& [key, finding] : found) classes.push_back(std::move(finding));
  std::ranges::stable_sort(classes, std::greater<>{}, &ClassFinding::count);
  return classes;
}

void find_what_separates(PairFinding& pair, const CaseSpec& spec, const Case& made, const PairSide& a,
                         const PairSide& b, std::span<const Variant> causes) {
  const FingerprintSearch search(spec, made, candidates_for(*spec.formula, causes));
  const std::array<const PairSide*, 2> sides{&a, &b};
  for (std::size_t s = 0; s < sides.size(); ++s) {
    pair.sides[s].fingerprint = search.of(sides[s]->given.outputs);
    pair.sides[s].fingerprint.rule = sides[s]->given.first_parting;
  }
  pair.classes = classes_of(spec, made, a, b);
  for (ClassFinding& finding : pair.classes) {
    if (finding.example.explain.empty()) continue;
    for (std::size_t s = 0; s < sides.size(); ++s) {
      const std::vector<Variant>& fitting = pair.sides[s].fingerprint.fitting;
      if (!fitting.empty())
        finding.explain[s] = explain_by(fitting.front(), spec, made, finding.example.difference.element);
    }
  }
}

}  // namespace

CaseResult judge_pair(const CaseSpec& spec, const Case& made, const PairSide& a, const PairSide& b,
                      std::span<const Variant> causes, const Judgement& judgement) {
  CaseResult result;
  result.parameters = settings_as_text(spec.settings);
  PairFinding& pair = result.pair.emplace();
  pair.sides = {beside_expectation(spec, made, a), beside_expectation(spec, made, b)};
  if (!gives_outputs(a) || !gives_outputs(b)) {
    result.verdict = verdict_on_endings(a, b);
    result.message = fmt::format("{}; {}", ending_text(a), ending_text(b));
  } else {
    const Expectation expectation = expectation_of(*spec.formula->signature, b.given.outputs);
    const std::vector<std::string> objections =
        judge_outputs(result, spec, made, expectation, a.given.outputs, judgement.policy.value_or(Policy()), judgement);
    const bool differs = std::ranges::any_of(
        result.outputs, [](const OutputResult& output) { return output.comparison.mismatches > 0; });
    if (differs) find_what_separates(pair, spec, made, a, b, causes);
    result.verdict = objections.empty() ? Verdict::pass : Verdict::mismatch;
    result.message = fmt::format("{}", fmt::join(objections, "; "));
    const auto meets_case = [](const SideFinding& side) { return side.verdict == Verdict::pass; };
    if (differs && std::ranges::all_of(pair.sides, meets_case))
      result.message += fmt::format("{}the case leaves open all that differs", objections.empty() ? "" : "; ");
  }
  if (result.verdict == Verdict::pass) {
    for (OutputResult& output : result.outputs) output.shown.clear();
  }
  if (is_failure(result.verdict) && is_known(pair)) {
    result.verdict = Verdict::known_difference;
    for (const SideFinding& side : pair.sides) {
      if (result.known_difference == nullptr) result.known_difference = side.known_difference;
    }
  }
  return result;
}

}  // namespace qassay
