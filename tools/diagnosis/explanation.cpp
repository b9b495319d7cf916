#include "tools/diagnosis/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "interpreter/program.hpp"
#include "tools/diagnosis/channel_settings.hpp"
#include "tools/diagnosis/hypothesis.hpp"

namespace qassay {
namespace {

// ---- numbers ----

Rational half() {
  return {1, 2};
}

/// A traced number. A sum that its integer type cannot hold stands in binary64, as in the compiled reading.
StoredNumber stored(const Traced& number) {
  const double value = number.value();
  Tensor holder(number.format(), {});
  if (is_floating(number.format())) {
    holder.set_real(0, value);
  } else if (value >= static_cast<double>(lowest(number.format())) &&
             value < static_cast<double>(highest(number.format())) + 1) {
    holder.set_integer(0, static_cast<std::int64_t>(value));
  } else {
    return {Type::float64, encode(Type::float64, value)};
  }
  return stored(holder, 0);
}

// ---- steps ----

/// How steps of the signatures speak of an act: an act that begins so is meant where one of the words stands.
struct ActWords {
  std::string_view act;
  std::vector<std::string_view> words;
};

const std::vector<ActWords>& act_words() {
  static const std::vector<ActWords> table{
      {"divide", {"division"}},
      {"multiply and add", {"fused"}},
      {"multiply", {"multiplication"}},
      {"add", {"added", "sum", "addition"}},
      {"subtract", {"subtraction", "difference", " - "}},
      {"round half to even", {"ties to even"}},
      {"integer to floating point", {"rounded once"}},
      {"round to ", {"rounded to binary32", "converted to"}},
      {"at least", {"at least", "limited"}},
      {"at most", {"at most", "limited"}},
      {"to int", {"to int"}},
      {"saturate", {"saturated", "limited"}},
      {"keep the low bits", {"low bits"}},
      {"minimum", {"smallest"}},
      {"maximum", {"largest"}},
  };
  return table;
}

bool is_said_by(const std::string& act, const Step& step) {
  const auto found = std::ranges::find_if(act_words(), [&](const ActWords& row) { return act.starts_with(row.act); });
  if (found == act_words().end()) return false;
  return std::ranges::any_of(found->words, [&](std::string_view word) {
    return step.about.find(word) != std::string_view::npos || step.name.find(word) != std::string_view::npos;
  });
}

/// The first step from `next` on that speaks of the act; `next` moves behind it. Steps that rounded nothing are
/// skipped: a trace leaves them out.
const Step* find_step(const std::vector<Step>& steps, std::size_t& next, const std::string& act) {
  for (std::size_t i = next; i < steps.size(); ++i) {
    if (!is_said_by(act, steps[i])) continue;
    next = i + 1;
    return &steps[i];
  }
  return nullptr;
}

/// Names the steps of a trace as the signature does, or as the signature of their part. A step that neither speaks of
/// belongs to the one before, if that can take two acts.
void set_names(std::vector<ExplainedStep>& steps, const Trace& trace, const Signature& signature) {
  std::size_t next_of_whole = 0;
  std::size_t next_of_part = 0;
  const Signature* part = nullptr;
  const Step* last = nullptr;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (trace[i].part != part) {
      part = trace[i].part;
      next_of_part = 0;
      last = nullptr;
    }
    const std::string& act = steps[i].act;
    const Step* step = find_step(signature.steps, next_of_whole, act);
    if (step == nullptr && part != nullptr) step = find_step(part->steps, next_of_part, act);
    if (step == nullptr && last != nullptr && (act.starts_with("round to ") || is_said_by(act, *last))) step = last;
    if (step == nullptr) continue;
    steps[i].name = step->name;
    last = step;
  }
}

bool has_changed(const TraceStep& step) {
  if (step.operands.empty()) return false;
  const double before = step.operands.front().value();
  return !(before == step.result.value() || (std::isnan(before) && std::isnan(step.result.value())));
}

bool is_exact(const TraceStep& step) {
  return step.exact.is_finite() && step.exact == step.result.exact();
}

/// Whether an integer was lost: a conversion out of range, or a sum or code that wrapped.
bool overflows(const TraceStep& step) {
  if (step.kind == StepKind::converts_to_integer) return has_changed(step);
  return step.kind == StepKind::wraps && !is_exact(step);
}

std::string rounding_note(const ExplainedStep& step, const TraceStep& trace) {
  const double result = trace.result.value();
  if (std::isnan(result)) return "not a number";
  if (!trace.exact.is_finite()) return "infinite";
  if (std::isinf(result)) return fmt::format("overflow: beyond the largest {}", name(step.result.type));
  if (*step.error_ulp == 0) return "exact";
  const bool is_tie = abs(*step.error_ulp) == half();
  return fmt::format("error {}{} ulp{}", *step.error_ulp > 0 ? "+" : "", few_digits(*step.error_ulp),
                     is_tie ? fmt::format(": a tie of {}, even wins", name(step.result.type)) : "");
}

constexpr int kFewUlp = 1000;

std::string tie_note(const NearestTie& tie) {
  const std::string at = readable(Exact(tie.at));
  if (tie.distance == 0) return fmt::format("tie: {} exactly, even wins", at);
  const std::string_view side = tie.distance < 0 ? "below" : "above";
  if (abs(tie.ulp) < kFewUlp) return fmt::format("{} ulp {} the tie {}", few_digits(abs(tie.ulp)), side, at);
  return fmt::format("{} {} the tie {}", few_digits(abs(tie.distance)), side, at);
}

std::string note_of(const ExplainedStep& step, const TraceStep& trace) {
  const bool was_nan = !trace.operands.empty() && std::isnan(trace.operands.front().value());
  switch (step.kind) {
    case StepKind::rounds_to_format: return rounding_note(step, trace);
    case StepKind::rounds_to_integer:
      if (step.tie) return tie_note(*step.tie);
      return std::isfinite(trace.result.value()) ? "an integer already" : "not finite: stays";
    case StepKind::rounds_by_rule: return is_exact(trace) ? "exact" : has_changed(trace) ? "rounded so" : "unchanged";
    case StepKind::limits:
      if (was_nan) return has_changed(trace) ? "NaN becomes the bound" : "NaN stays";
      return has_changed(trace) ? "limited" : "within the bound";
    case StepKind::converts_to_integer:
      if (was_nan) return "NaN becomes the lowest integer";
      return has_changed(trace) ? "out of range: becomes the lowest integer" : "exact";
    case StepKind::wraps: return overflows(trace) ? "wraps" : "exact";
    case StepKind::exact:
      if (!trace.exact.is_finite()) return "not finite";
      return is_exact(trace) ? "exact" : "beyond 2^53: held in binary64";
  }
  return {};
}

std::optional<NearestTie> tie_of(const Traced& operand) {
  if (!std::isfinite(operand.value()) || std::trunc(operand.value()) == operand.value()) return std::nullopt;
  const Rational value(operand.value());
  const Rational at = Rational(floor_integer(value)) + half();
  const Rational distance = value - at;
  return NearestTie{at, distance, distance / ulp_of(operand.value(), operand.format())};
}

ExplainedStep explained(const TraceStep& trace) {
  ExplainedStep step;
  step.act = trace.act;
  if (trace.part != nullptr) step.part = trace.part->id;
  step.kind = trace.kind;
  for (const Traced& operand : trace.operands) {
    const Origin& origin = operand.origin();
    step.operands.push_back(
        {origin.step ? fmt::format("S{}", *origin.step + 1) : std::string(origin.name), stored(operand)});
  }
  step.exact = trace.exact;
  step.result = stored(trace.result);
  if (step.kind == StepKind::rounds_to_format) {
    if (const auto error = difference(trace.result.exact(), trace.exact))
      step.error_ulp = *error / ulp_of(trace.result.value(), trace.result.format());
  }
  if (step.kind == StepKind::rounds_to_integer) step.tie = tie_of(trace.operands.front());
  step.note = note_of(step, trace);
  return step;
}

// ---- what decides ----

/// The last step of the last part for which `is_it` holds.
template <class Condition>
std::optional<std::size_t> last_step(const Trace& trace, Condition is_it) {
  for (std::size_t i = trace.size(); i-- > 0;) {
    if (trace[i].part != trace.back().part) break;
    if (is_it(trace[i])) return i;
  }
  return std::nullopt;
}

/// The rounding that gave a number, seen through steps that only let it pass.
std::optional<std::size_t> rounding_before(const Trace& trace, const Traced& number) {
  std::optional<std::size_t> at = number.origin().step;
  while (at && trace[*at].kind == StepKind::limits && !has_changed(trace[*at]))
    at = trace[*at].operands.front().origin().step;
  if (!at || trace[*at].kind != StepKind::rounds_to_format || is_exact(trace[*at])) return std::nullopt;
  return at;
}

std::string shown(const Traced& number) {
  return decimal(stored(number));
}

std::string because_of_integer(const Trace& trace, const ExplainedStep& step, std::size_t at) {
  const Traced& operand = trace[at].operands.front();
  const std::string result = shown(trace[at].result);
  if (step.tie->distance != 0)
    return fmt::format("S{} rounds {} to {}: {}.", at + 1, shown(operand), result, step.note);
  std::string text = fmt::format("S{} meets a tie: {} goes to the even {}.", at + 1, shown(operand), result);
  if (const auto before = rounding_before(trace, operand); before && trace[*before].exact.is_finite()) {
    const BigInteger unrounded = nearest_integer(trace[*before].exact.value());
    text += fmt::format(" S{} had rounded {} onto it", *before + 1, readable(trace[*before].exact));
    text += Exact(Rational(unrounded)) == trace[at].result.exact()
                ? "."
                : fmt::format("; unrounded it would go to {}.", unrounded.str());
  }
  return text;
}

struct Decision {
  std::optional<std::size_t> step;
  std::string because;
};

Decision decision(const Trace& trace, const std::vector<ExplainedStep>& steps) {
  const auto sentence = [&](std::size_t at) {
    return fmt::format("S{} turns {} into {} ({}).", at + 1, shown(trace[at].operands.front()), shown(trace[at].result),
                       steps[at].note);
  };
  if (const auto at = last_step(trace, overflows)) return {at, sentence(*at)};
  const auto limits = [](const TraceStep& step) { return step.kind == StepKind::limits && has_changed(step); };
  if (const auto at = last_step(trace, limits)) return {at, sentence(*at)};
  const auto rounds = [](const TraceStep& step) {
    return step.kind == StepKind::rounds_to_integer && has_changed(step);
  };
  if (const auto at = last_step(trace, rounds)) return {at, because_of_integer(trace, steps[*at], *at)};
  const auto moves = [](const TraceStep& step) {
    return (step.kind == StepKind::rounds_to_format || step.kind == StepKind::rounds_by_rule) && !is_exact(step);
  };
  if (const auto at = last_step(trace, moves)) {
    return {at, fmt::format("S{} rounds {} to {}: {}.", *at + 1, readable(trace[*at].exact), shown(trace[*at].result),
                            steps[*at].note)};
  }
  return {std::nullopt, "Nothing is rounded or limited on the way."};
}

// ---- one element ----

void require_index(const Signature& signature, std::size_t index, std::size_t elements) {
  if (index < elements) return;
  const bool is_elementwise = signature.kind == FormulaKind::elementwise;
  throw RequestError(
      ErrorKind::out_of_domain,
      is_elementwise && elements == 1
          ? fmt::format("--index {}: {} is given no vector of parameters to choose from", index, signature.id)
          : fmt::format("--index {}: there are {} {}, expected 0 to {}", index, elements,
                        is_elementwise ? "channels" : "elements", elements == 0 ? 0 : elements - 1));
}

std::vector<Given> given_inputs(const Arguments& arguments, const Inputs& inputs, std::size_t index) {
  std::vector<Given> given;
  for (const Input& input : arguments.signature->inputs) {
    const Tensor& tensor = inputs.find(input.name)->second;
    const StoredNumber number = stored(tensor, place_in(tensor.shape(), arguments, index));
    given.push_back({input.name, number, decimal(number), false});
  }
  return given;
}

std::vector<Given> given_parameters(const Arguments& arguments) {
  const bool is_elementwise = arguments.signature->kind == FormulaKind::elementwise;
  std::vector<Given> given;
  const Settings settings = settings_of(arguments);
  for (const Parameter& parameter : arguments.signature->parameters) {
    if (is_elementwise && (parameter.role == Role::axis || parameter.role == Role::block_size)) continue;
    const Argument& argument = arguments[parameter.role];
    Given one{parameter.name, std::nullopt, {}, !argument.is_set};
    if (argument.tensor) {
      one.number = stored(*argument.tensor, 0);
      one.text = decimal(*one.number);
    } else {
      one.text = settings.find(parameter.name)->second.elements.front();
    }
    given.push_back(std::move(one));
  }
  return given;
}

std::string note_of(const ExplainedOutput& output, bool has_overflowed) {
  if (output.is_unspecified) return "the specification leaves it open";
  const double value = value_of(output.number);
  const Exact exact(value);
  if (exact == output.ideal) return "as the ideal";
  const std::string ideal = readable(output.ideal);
  if (!is_floating(output.number.type)) {
    return fmt::format("ideal: {}; {} changed it", ideal, has_overflowed ? "overflow" : "rounding");
  }
  if (!output.from_ideal) return fmt::format("ideal: {}", ideal);
  const Rational ulp = abs(*output.from_ideal) / ulp_of(value, output.number.type);
  const bool is_nearest = round_to(output.number.type, output.ideal) == value;
  return fmt::format("ideal: {}; {} ulp off{}", ideal, few_digits(ulp), is_nearest ? ", the nearest there is" : "");
}

std::vector<ExplainedOutput> outputs_of(const Formula& formula, const Arguments& arguments, const Inputs& inputs,
                                        std::size_t index, bool has_overflowed) {
  const Evaluation evaluation = formula.evaluate(arguments, inputs);
  const std::vector<Exact> ideals = formula.exact(arguments, inputs, index);
  std::vector<ExplainedOutput> outputs;
  for (std::size_t o = 0; o < ideals.size(); ++o) {
    ExplainedOutput output;
    output.name = formula.signature->outputs[o].name;
    const Tensor& tensor = evaluation.outputs.find(output.name)->second;
    const std::size_t place = place_in(tensor.shape(), arguments, index);
    output.number = stored(tensor, place);
    if (const auto open = evaluation.unspecified.find(output.name); open != evaluation.unspecified.end())
      output.is_unspecified = open->second[place] != 0;
    output.ideal = ideals[o];
    output.from_ideal = difference(Exact(value_of(output.number)), output.ideal);
    output.note = note_of(output, has_overflowed);
    outputs.push_back(std::move(output));
  }
  return outputs;
}

}  // namespace

Explanation explain(const Formula& formula, const Inputs& inputs, const Settings& settings, std::size_t index) {
  const Signature& signature = *formula.signature;
  const bool is_elementwise = signature.kind == FormulaKind::elementwise;
  Explanation explanation;
  explanation.signature = &signature;
  explanation.index = index;
  Settings own = settings;
  std::size_t element = index;
  if (is_elementwise) {
    explanation.elements = channels_of(settings, signature);
    require_index(signature, index, explanation.elements);
    own = of_channel(settings, signature, index);
    element = 0;
  } else if (const auto first = inputs.find(signature.inputs.front().name); first != inputs.end()) {
    explanation.elements = first->second.size();
    require_index(signature, index, explanation.elements);
  }
  const Arguments arguments = formula.arguments(inputs, own);
  explanation.inputs = given_inputs(arguments, inputs, element);
  explanation.parameters = given_parameters(arguments);

  const Trace trace = formula.trace(arguments, inputs, element);
  for (const TraceStep& step : trace) explanation.steps.push_back(explained(step));
  set_names(explanation.steps, trace, signature);
  if (!trace.empty()) {
    const Decision decided = decision(trace, explanation.steps);
    explanation.deciding = decided.step;
    explanation.because = decided.because;
  }
  const bool has_overflowed = std::ranges::any_of(trace, overflows);
  explanation.outputs = outputs_of(formula, arguments, inputs, element, has_overflowed);

  const Question question{formula, arguments, inputs, own, element};
  const StoredNumber& result = explanation.outputs.front().number;
  explanation.formulas = other_formulas(question, result);
  if (is_quantization(signature) && is_floating(arguments.input_type))
    explanation.rules = other_rules(question, result);
  return explanation;
}

}  // namespace qassay
