#include "tools/diagnosis/conclusion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "tools/diagnosis/probing.hpp"
#include "tools/generators.hpp"

namespace qassay {
namespace {

bool is_expected_itself(const Hypothesis& hypothesis, const Formula& expected) {
  return hypothesis.named != nullptr && hypothesis.named->signature == expected.signature && hypothesis.rule == Rule{};
}

/// The rules that give what the expected formula gives for everything that was asked.
std::vector<Rule> rules_of_expected(const Subject& subject, const Evidence& evidence) {
  const Evidence own = evidence.answered_by(subject.expected);
  std::vector<Hypothesis> fitting =
      own.fitting(arithmetic_rules(subject.expected, subject.family, {}), subject.expected, Stage::arithmetic);
  fitting = own.fitting(spread_over(Stage::edges, subject.family, fitting), subject.expected, Stage::edges);
  std::vector<Rule> rules;
  for (const Hypothesis& hypothesis : own.fitting(fitting, subject.expected, Stage::surroundings))
    rules.push_back(hypothesis.rule);
  return rules;
}

/// A pair of rules: what was found, and what was expected in the same terms.
struct Pairing {
  Hypothesis found;
  Rule expected;
  std::size_t distance = 0;
};

/// The closest pair: the difference is said in as few words as possible.
std::optional<Pairing> closest(const Subject& subject, const std::vector<Hypothesis>& fitting,
                               const std::vector<Rule>& expected_rules) {
  std::optional<Pairing> best;
  const auto offer = [&](const Hypothesis& found, const Rule& rule, const Rule& expected) {
    const std::size_t steps = distance(rule, expected, subject.family);
    if (best && best->distance <= steps) return;
    best = {found, expected, steps};
    best->found.rule = rule;
  };
  for (const Hypothesis& hypothesis : fitting) {
    if (hypothesis.named == nullptr) {
      for (const Rule& expected : expected_rules) offer(hypothesis, hypothesis.rule, expected);
    } else if (hypothesis.named->signature == subject.expected.signature) {
      offer(hypothesis, hypothesis.rule, Rule{});  // the expected formula in other surroundings
    }
  }
  return best;
}

std::string name_of(const Hypothesis& hypothesis, const Subject& subject, const Rule& reference) {
  std::string name = hypothesis.named != nullptr ? std::string(hypothesis.named->id()) : std::string();
  const std::string choices =
      difference_name(hypothesis.rule, hypothesis.named != nullptr ? Rule{} : reference, subject.family);
  if (name.empty()) return choices.empty() ? "the rule as expected" : choices;
  return choices.empty() ? name : fmt::format("{}, {}", name, choices);
}

std::optional<Witness> first_misfit(const Formula& formula, const std::vector<Batch>& batches, const Misfit& misfit) {
  if (!misfit.batch) return std::nullopt;
  const Batch& batch = batches[*misfit.batch];
  try {
    const Evaluation evaluation = formula.evaluate(batch.arguments, batch.inputs);
    for (const Output& output : formula.signature->outputs) {
      const Tensor& got = batch.observed.find(output.name)->second;
      const Tensor& expected = evaluation.outputs.find(output.name)->second;
      if (got.type() != expected.type() || got.shape() != expected.shape() || misfit.element >= got.size() ||
          got.size() != batch.elements())
        return std::nullopt;
      if (got.bits(misfit.element) != expected.bits(misfit.element))
        return witness_of(batch, misfit.element, expected, got);
    }
    return std::nullopt;
  } catch (const RequestError&) {
    return std::nullopt;
  }
}

Rejected rejected(const Hypothesis& hypothesis, const Subject& subject, const std::vector<Batch>& batches,
                  const Rule& reference) {
  const Formula formula = formula_of(hypothesis, subject.expected);
  const Misfit misfit = misfit_of(formula, batches);
  Rejected result{
      name_of(hypothesis, subject, reference), {}, misfit.mismatches, first_misfit(formula, batches, misfit)};
  if (hypothesis.named != nullptr) result.about = std::string(hypothesis.named->signature->summary);
  return result;
}

/// The one with the fewest mismatches, but some.
std::optional<Rejected> nearest(const std::vector<Hypothesis>& hypotheses, const Subject& subject,
                                const std::vector<Batch>& batches, const Rule& reference) {
  const Hypothesis* best = nullptr;
  std::size_t fewest = SIZE_MAX;
  for (const Hypothesis& hypothesis : hypotheses) {
    const std::size_t mismatches = misfit_of(formula_of(hypothesis, subject.expected), batches, fewest).mismatches;
    if (mismatches == 0 || mismatches >= fewest) continue;
    fewest = mismatches;
    best = &hypothesis;
  }
  if (best == nullptr) return std::nullopt;
  return rejected(*best, subject, batches, reference);
}

/// Rules one choice away, and the formulas of the registry.
std::vector<Hypothesis> neighbours(const Rule& rule, const Subject& subject) {
  std::vector<Hypothesis> result = named_hypotheses(subject.expected);
  for (const Aspect& aspect : aspects()) {
    if (!aspect.concerns(subject.family) || aspect.stage == Stage::surroundings) continue;
    for (std::size_t choice = 0; choice < aspect.choices.size(); ++choice) {
      Hypothesis other{nullptr, rule};
      aspect.set(other.rule, choice);
      if (other.rule != rule) result.push_back(other);
    }
  }
  return result;
}

/// The input of that order, with the settings given.
Witness witness_at(const Subject& subject, const Settings& scalars, const ScalarFunction& expected,
                   const ScalarFunction& actual, std::int64_t order) {
  Batch batch;
  batch.inputs =
      shaped_inputs(*subject.expected.signature, tensor_of(subject.input_type, {bits_at(subject.input_type, order)}));
  batch.arguments = subject.expected.arguments(batch.inputs, scalars);
  const Tensor x = batch.inputs.begin()->second;
  return witness_of(batch, 0, expected.evaluate(x), actual.evaluate(x));
}

/// What differs for the settings given, over all inputs; or why that was not counted.
void count_touched(Diagnosis& diagnosis, const Subject& subject, const Hypothesis& found) {
  const Rule& rule = found.rule;
  const bool depends_on_place = rule.channels != Channels::own || rule.tail != Tail::as_body;
  const bool wraps = rule.quantize.overflow == QuantizeRule::Overflow::wrap ||
                     rule.quantize.overflow == QuantizeRule::Overflow::int32_low_bits ||
                     rule.quantize.rounding == QuantizeRule::Rounding::half_odd;
  if (subject.family == Family::other) diagnosis.uncounted = "it is no function of one number";
  else if (depends_on_place) diagnosis.uncounted = "it depends on where an element stands";
  else if (wraps) diagnosis.uncounted = "the rule is not monotone between powers of two";
  else if (rule.mask != Mask::in_range) diagnosis.uncounted = "it shows in the mask";
  if (!diagnosis.uncounted.empty()) return;
  try {
    const Settings scalars = settings_bank(subject.expected, subject.settings, subject.input_type, false).front();
    const Formula formula = formula_of(found, subject.expected);
    const ScalarFunction expected(subject.expected, scalars, subject.input_type);
    const ScalarFunction actual(formula, scalars, subject.input_type);
    diagnosis.touched = compare_by_segments(expected, actual);
    if (const auto smallest = diagnosis.touched->smallest())
      diagnosis.witness = witness_at(subject, scalars, expected, actual, *smallest);
  } catch (const RequestError& error) {
    diagnosis.uncounted = error.what();
  }
}

/// The observed element of an output nearest to zero that the expected formula does not give.
std::optional<Witness> smallest_witness(const Subject& subject, const std::vector<Batch>& batches,
                                        std::string_view output) {
  std::optional<Witness> smallest;
  double magnitude = INFINITY;
  for (const Batch& batch : batches) {
    const Evaluation evaluation = subject.expected.evaluate(batch.arguments, batch.inputs);
    const Tensor& expected = evaluation.outputs.find(output)->second;
    const Tensor& got = batch.observed.find(output)->second;
    const auto open = evaluation.unspecified.find(output);
    const Tensor& x = batch.inputs.begin()->second;
    if (got.type() != expected.type() || got.size() != expected.size() || got.size() != x.size()) continue;
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (got.bits(i) == expected.bits(i) || (std::isnan(got.real(i)) && std::isnan(expected.real(i)))) continue;
      if (open != evaluation.unspecified.end() && open->second[i] != 0) continue;
      if (i < batch.ignored.size() && batch.ignored[i] != 0) continue;
      const double size = std::isnan(x.real(i)) ? INFINITY : std::abs(x.real(i));
      if (smallest && size >= magnitude) continue;
      magnitude = size;
      smallest = witness_of(batch, i, expected, got);
    }
  }
  return smallest;
}

/// Of the first output that shows a difference.
std::optional<Witness> smallest_witness(const Subject& subject, const std::vector<Batch>& batches) {
  for (const Output& output : subject.expected.signature->outputs) {
    if (auto witness = smallest_witness(subject, batches, output.name)) return witness;
  }
  return std::nullopt;
}

/// The code of NaN follows from a conversion to integers, where there is one.
bool has_say(const Aspect& aspect, const Rule& rule) {
  const bool converts = rule.quantize.overflow != QuantizeRule::Overflow::saturate &&
                        rule.quantize.overflow != QuantizeRule::Overflow::wrap;
  return aspect.name != "NaN" || !converts;
}

std::vector<Settled> fingerprint_of(const std::vector<Hypothesis>& fitting, Family family) {
  std::vector<Settled> fingerprint;
  for (const Aspect& aspect : aspects()) {
    if (!aspect.concerns(family)) continue;
    Settled settled{aspect.name, {}};
    for (const Hypothesis& hypothesis : fitting) {
      const bool says =
          (hypothesis.named == nullptr && has_say(aspect, hypothesis.rule)) || aspect.stage == Stage::surroundings;
      const std::string_view choice = aspect.choice_of(hypothesis.rule).name;
      if (says && std::ranges::find(settled.choices, choice) == settled.choices.end())
        settled.choices.push_back(choice);
    }
    if (!settled.choices.empty()) fingerprint.push_back(std::move(settled));
  }
  return fingerprint;
}

void say_difference(Diagnosis& diagnosis, const Subject& subject, const std::optional<Pairing>& pairing) {
  std::vector<std::string_view> others;
  for (const std::string_view id : diagnosis.formulas) {
    if (id != subject.expected.id()) others.push_back(id);
  }
  if (diagnosis.verdict == Diagnosis::Verdict::follows_expected) {
    diagnosis.cause = "none";
    diagnosis.sentence = fmt::format("follows {}", subject.expected.id());
    return;
  }
  if (pairing && pairing->distance > 0) {
    diagnosis.cause = difference_name(pairing->found.rule, pairing->expected, subject.family);
    diagnosis.sentence = difference_sentence(pairing->found.rule, pairing->expected, subject.family);
    if (!others.empty()) diagnosis.sentence += fmt::format(": this is {}", fmt::join(others, ", "));
  } else if (!others.empty()) {
    diagnosis.cause = others.front();
    diagnosis.sentence = fmt::format("computes what {} computes", fmt::join(others, ", "));
  } else {
    diagnosis.cause = "another rule";
    diagnosis.sentence = "follows a rule that is not said in terms of the expected one";
  }
}

}  // namespace

Diagnosis conclude(const Subject& subject, const Evidence& evidence, std::vector<Hypothesis> fitting,
                   const std::vector<Hypothesis>& rivals) {
  const std::vector<Batch> batches = evidence.all();
  if (batches.empty()) {
    throw RequestError(ErrorKind::not_found,
                       fmt::format("nothing was observed{}{}", evidence.notes().empty() ? "" : ": ",
                                   evidence.notes().empty() ? "" : evidence.notes().front()));
  }
  Diagnosis diagnosis;
  diagnosis.expected = &subject.expected;
  diagnosis.settings = subject.settings;
  diagnosis.elements = evidence.elements();
  diagnosis.requests = evidence.requests();
  diagnosis.notes = evidence.notes();
  std::erase_if(fitting, [&](const Hypothesis& hypothesis) {
    return misfit_of(formula_of(hypothesis, subject.expected), batches, 1).mismatches > 0;
  });
  diagnosis.fitting = fitting;
  for (const Hypothesis& hypothesis : fitting) {
    if (hypothesis.named != nullptr && hypothesis.rule == Rule{}) diagnosis.formulas.push_back(hypothesis.named->id());
  }
  if (fitting.empty()) {
    diagnosis.verdict = Diagnosis::Verdict::none_fits;
    std::vector<Hypothesis> all = rivals;
    const std::vector<Hypothesis> basic =
        arithmetic_rules(subject.expected, subject.family, named_hypotheses(subject.expected));
    all.insert(all.end(), basic.begin(), basic.end());
    diagnosis.best = nearest(all, subject, batches, Rule{});
    diagnosis.cause = "unknown";
    diagnosis.sentence = "follows no rule that is known here";
    diagnosis.witness = smallest_witness(subject, batches);
    diagnosis.seconds = evidence.seconds();
    return diagnosis;
  }
  const bool is_expected =
      std::ranges::any_of(fitting, [&](const Hypothesis& one) { return is_expected_itself(one, subject.expected); });
  diagnosis.verdict = is_expected ? Diagnosis::Verdict::follows_expected : Diagnosis::Verdict::follows_another;
  diagnosis.fingerprint = fingerprint_of(fitting, subject.family);

  std::optional<Pairing> pairing;
  if (subject.family != Family::other) pairing = closest(subject, fitting, rules_of_expected(subject, evidence));
  say_difference(diagnosis, subject, pairing);
  if (!is_expected) {
    count_touched(diagnosis, subject, pairing ? pairing->found : fitting.front());
    if (!diagnosis.witness) diagnosis.witness = smallest_witness(subject, batches);
  }
  const std::vector<Hypothesis> others =
      pairing ? neighbours(pairing->found.rule, subject) : named_hypotheses(subject.expected);
  diagnosis.runner_up = nearest(others, subject, batches, pairing ? pairing->expected : Rule{});
  diagnosis.seconds = evidence.seconds();
  return diagnosis;
}

}  // namespace qassay
