#include "tools/diagnosis/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "interpreter/registry.hpp"
#include "tools/diagnosis/hypothesis.hpp"
#include "tools/harness/translation.hpp"

namespace qassay {
namespace {

// ---- numbers ----

Rational half() {
  return {1, 2};
}

double value_of(const StoredNumber& number) {
  Tensor holder(number.type, {});
  holder.set_bits(0, number.bits);
  return holder.real(0);
}

StoredNumber stored(const Tensor& tensor, std::size_t index) {
  return {tensor.type(), tensor.bits(tensor.size() == 1 ? 0 : index)};
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

/// The distance from a value to the next of its format.
Rational ulp_of(double value, Type format) {
  const int exponent = value == 0 ? lowest_exponent(format) : std::max(std::ilogb(value), lowest_exponent(format));
  return Rational(std::ldexp(1.0, exponent - row(format).precision + 1));
}

/// The difference of two numbers; nothing where one is not finite.
std::optional<Rational> difference(const Exact& a, const Exact& b) {
  if (!a.is_finite() || !b.is_finite()) return std::nullopt;
  return Rational(a.value() - b.value());
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
  const auto moves = [](const TraceStep& step) { return step.kind == StepKind::rounds_to_format && !is_exact(step); };
  if (const auto at = last_step(trace, moves)) {
    return {at, fmt::format("S{} rounds {} to {}: {}.", *at + 1, readable(trace[*at].exact), shown(trace[*at].result),
                            steps[*at].note)};
  }
  return {std::nullopt, "Nothing is rounded or limited on the way."};
}

// ---- one element ----

bool is_spread(const Parameter& parameter) {
  return parameter.kind == ParameterKind::real || parameter.kind == ParameterKind::integer ||
         parameter.kind == ParameterKind::integer_or_real;
}

std::size_t count(const Written& written) {
  return written.tensor ? written.tensor->size() : written.elements.size();
}

/// The number of channels that parameters are given for.
std::size_t channels_of(const Settings& settings, const Signature& signature) {
  std::size_t channels = 1;
  for (const Parameter& parameter : signature.parameters) {
    const auto written = settings.find(parameter.name);
    if (!is_spread(parameter) || written == settings.end() || count(written->second) == 1) continue;
    if (channels != 1 && channels != count(written->second)) {
      throw RequestError(ErrorKind::wrong_shape,
                         fmt::format("{}: {}: has {} values, but another parameter has {}", signature.id,
                                     parameter.name, count(written->second), channels));
    }
    channels = count(written->second);
  }
  return channels;
}

Written chosen(const Written& written, std::size_t channel, const Shape& shape) {
  const std::size_t at = count(written) == 1 ? 0 : channel;
  Written one;
  one.type = written.type;
  one.shape = shape;
  if (written.tensor) {
    Tensor tensor(written.tensor->type(), shape);
    tensor.set_bits(0, written.tensor->bits(at));
    one.tensor = std::move(tensor);
  } else {
    one.elements = {written.elements[at]};
  }
  return one;
}

/// The settings of one channel for a tensor of one element. An axis that has to be there is the only one.
Settings of_channel(const Settings& settings, const Signature& signature, std::size_t channel) {
  Settings result = settings;
  for (const Parameter& parameter : signature.parameters) {
    const bool is_along_axis = parameter.spread == Spread::along_axis;
    if (is_along_axis)
      result.insert_or_assign(std::string(signature.parameter(Role::axis)->name), Written::scalar("0"));
    const auto written = result.find(parameter.name);
    if (!is_spread(parameter) || written == result.end() || count(written->second) == 0) continue;
    written->second = chosen(written->second, channel, is_along_axis ? Shape{1} : Shape{});
  }
  return result;
}

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

std::vector<Given> given_inputs(const Signature& signature, const Inputs& inputs, std::size_t index) {
  std::vector<Given> given;
  for (const Input& input : signature.inputs) {
    const StoredNumber number = stored(inputs.find(input.name)->second, index);
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
    output.number = stored(tensor, index);
    if (const auto open = evaluation.unspecified.find(output.name); open != evaluation.unspecified.end())
      output.is_unspecified = open->second[tensor.size() == 1 ? 0 : index] != 0;
    output.ideal = ideals[o];
    output.from_ideal = difference(Exact(value_of(output.number)), output.ideal);
    output.note = note_of(output, has_overflowed);
    outputs.push_back(std::move(output));
  }
  return outputs;
}

// ---- alternatives ----

void add(Alternatives& alternatives, Alternative alternative, const StoredNumber& explained_result) {
  if (alternative.result == explained_result) {
    ++alternatives.agreeing;
    return;
  }
  alternative.difference = difference(Exact(value_of(alternative.result)), Exact(value_of(explained_result)));
  alternatives.differing.push_back(std::move(alternative));
}

void sort_by_distance(Alternatives& alternatives) {
  std::ranges::stable_sort(alternatives.differing, [](const Alternative& a, const Alternative& b) {
    if (!a.difference || !b.difference) return a.difference.has_value() && !b.difference;
    return abs(*a.difference) < abs(*b.difference);
  });
}

/// Whether two formulas may be told apart by one element: they compute from scales of the same roles.
bool are_alike(const Signature& a, const Signature& b) {
  if (&a == &b || a.kind != b.kind || a.inputs.size() != b.inputs.size()) return false;
  return std::ranges::all_of(
      std::array{Role::scale, Role::zero_point, Role::input_scale, Role::weight_scale, Role::quant_min},
      [&](Role role) { return (a.parameter(role) == nullptr) == (b.parameter(role) == nullptr); });
}

/// Numbers without their types, so that a formula can read them into its own.
Settings as_text(const Settings& settings) {
  Settings texts;
  for (const auto& [name, written] : settings) {
    if (!written.tensor) {
      texts.emplace(name, written);
      continue;
    }
    Written text;
    text.shape = written.tensor->shape();
    for (std::size_t i = 0; i < written.tensor->size(); ++i)
      text.elements.push_back(number_text(written.tensor->type(), written.tensor->bits(i)));
    texts.emplace(name, std::move(text));
  }
  return texts;
}

/// What was asked for, in the words it was asked in, and the defaults beside it.
struct Question {
  const Formula& formula;
  const Arguments& arguments;
  const Inputs& inputs;
  const Settings& settings;
  std::size_t index;
};

/// The first output of another formula, or nothing where it refuses the same arguments.
std::optional<StoredNumber> answer(const Formula& other, const Question& question) {
  const Signature& from = *question.formula.signature;
  const Signature& to = *other.signature;
  const Settings checked = settings_of(question.arguments);
  Settings as_asked = question.settings;
  as_asked.insert(checked.begin(), checked.end());
  for (const Settings& settings : {as_asked, as_text(checked)}) {
    try {
      Settings translated = translate(settings, from, to);
      if (to.kind == FormulaKind::elementwise) translated = of_channel(translated, to, 0);
      const Inputs inputs = translate(question.inputs, from, to);
      const Arguments arguments = other.arguments(inputs, translated);
      const Evaluation evaluation = other.evaluate(arguments, inputs);
      return stored(evaluation.outputs.find(to.outputs.front().name)->second, question.index);
    } catch (const RequestError&) {
      // A formula that does not take these arguments is no alternative.
    }
  }
  return std::nullopt;
}

Alternatives other_formulas(const Question& question, const StoredNumber& result) {
  Alternatives alternatives;
  for (const Formula& other : all_formulas()) {
    if (!are_alike(*question.formula.signature, *other.signature)) continue;
    const auto number = answer(other, question);
    if (!number || number->type != result.type) continue;
    add(alternatives, {std::string(other.id()), std::string(other.signature->summary), *number, {}}, result);
  }
  sort_by_distance(alternatives);
  return alternatives;
}

struct NamedRule {
  std::string_view name;
  std::string_view about;
  QuantizeRule rule;
};

/// The rules that formulas are made of.
std::vector<NamedRule> basic_rules() {
  using Quotient = QuantizeRule::Quotient;
  using ZeroPoint = QuantizeRule::ZeroPoint;
  return {
      {"divide", "saturate(round_half_even(x / scale) + zero_point)", {}},
      {"reciprocal", "saturate(round_half_even(x * (1 / scale)) + zero_point)", {.quotient = Quotient::reciprocal}},
      {"zero point first",
       "saturate(round_half_even(x / scale + zero_point))",
       {.zero_point = ZeroPoint::before_rounding}},
      {"reciprocal, zero point first",
       "saturate(round_half_even(x * (1 / scale) + zero_point))",
       {.quotient = Quotient::reciprocal, .zero_point = ZeroPoint::before_rounding}},
      {"fused", "saturate(round_half_even(fma(x, 1 / scale, zero_point)))", {.zero_point = ZeroPoint::fused}},
  };
}

/// The rules that differ from another in one choice.
std::vector<NamedRule> rules_beside(const QuantizeRule& base) {
  using Quotient = QuantizeRule::Quotient;
  using Rounding = QuantizeRule::Rounding;
  using ZeroPoint = QuantizeRule::ZeroPoint;
  using Overflow = QuantizeRule::Overflow;
  using Range = QuantizeRule::Range;
  std::vector<NamedRule> rules;
  const auto add_choice = [&](auto QuantizeRule::*member, auto choice, std::string_view name, std::string_view about) {
    QuantizeRule rule = base;
    rule.*member = choice;
    if (rule != base) rules.push_back({name, about, rule});
  };
  if (base.zero_point != ZeroPoint::fused) {
    add_choice(&QuantizeRule::quotient, Quotient::divide, "divide", "x / scale");
    add_choice(&QuantizeRule::quotient, Quotient::reciprocal, "reciprocal", "x * (1 / scale), each rounded");
    add_choice(&QuantizeRule::quotient, Quotient::binary64, "binary64 quotient", "x / scale in binary64");
  }
  add_choice(&QuantizeRule::rounding, Rounding::half_away, "ties away", "from zero");
  add_choice(&QuantizeRule::rounding, Rounding::half_up, "ties up", "towards +inf");
  add_choice(&QuantizeRule::rounding, Rounding::half_down, "ties down", "towards -inf");
  add_choice(&QuantizeRule::rounding, Rounding::half_odd, "ties odd", "to the odd neighbour");
  add_choice(&QuantizeRule::rounding, Rounding::floor_of_sum, "floor of sum", "floor(v + 0.5), the sum rounded");
  add_choice(&QuantizeRule::rounding, Rounding::truncate, "truncate", "towards zero");
  add_choice(&QuantizeRule::rounding, Rounding::floor, "floor", "always down");
  add_choice(&QuantizeRule::rounding, Rounding::ceil, "ceil", "always up");
  add_choice(&QuantizeRule::zero_point, ZeroPoint::after_rounding, "zero point last", "added after rounding");
  add_choice(&QuantizeRule::zero_point, ZeroPoint::before_rounding, "zero point first", "added before rounding");
  add_choice(&QuantizeRule::zero_point, ZeroPoint::fused, "fused", "fma(x, 1 / scale, zero_point) before rounding");
  add_choice(&QuantizeRule::overflow, Overflow::wrap, "wrap", "the low bits instead of the nearest code");
  add_choice(&QuantizeRule::range, Range::without_lowest, "without lowest", "the lowest code is not used");
  add_choice(&QuantizeRule::range, Range::without_highest, "without highest", "the highest code is not used");
  return rules;
}

/// Elements on which rules part: the ties around zero and their neighbours.
Tensor telling_elements(const Question& question) {
  constexpr int kTies = 16;
  const Type type = question.inputs.begin()->second.type();
  const double scale = question.arguments.real(Role::scale, {});
  std::vector<double> values;
  for (int k = -kTies; k <= kTies; ++k) {
    const double tie = decode(type, encode(type, (k + 0.5) * scale));
    const double ulp = std::isfinite(tie) ? ulp_of(tie, type).convert_to<double>() : 0;
    for (int i = -2; i <= 2; ++i) values.push_back(tie + i * ulp);
  }
  Tensor x(type, {1, static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i) x.set_real(i, values[i]);
  return x;
}

/// The basic rule that a formula follows: the one with the fewest differences, the first of several.
NamedRule rule_of(const Question& question) {
  const Signature& signature = *question.formula.signature;
  const Tensor x = telling_elements(question);
  Arguments arguments = question.arguments;
  arguments.shape = x.shape();
  const Inputs inputs{{std::string(signature.inputs.front().name), x}};
  const Evaluation evaluation = question.formula.evaluate(arguments, inputs);
  const Tensor& codes = evaluation.outputs.find(signature.outputs.front().name)->second;
  const std::vector<NamedRule> rules = basic_rules();
  return *std::ranges::min_element(rules, {}, [&](const NamedRule& named) {
    const Tensor by_rule = quantize(arguments, x, named.rule);
    std::size_t differences = 0;
    for (std::size_t i = 0; i < x.size(); ++i) differences += by_rule.bits(i) != codes.bits(i) ? 1 : 0;
    return differences;
  });
}

RuleAlternatives other_rules(const Question& question, const StoredNumber& result) {
  const NamedRule base = rule_of(question);
  RuleAlternatives alternatives;
  alternatives.base = base.about;
  const Tensor& x = question.inputs.begin()->second;
  for (const NamedRule& named : rules_beside(base.rule)) {
    const Tensor code = quantize(question.arguments, x, named.rule);
    add(alternatives, {std::string(named.name), std::string(named.about), stored(code, 0), {}}, result);
  }
  sort_by_distance(alternatives);
  return alternatives;
}

}  // namespace

std::string decimal(const StoredNumber& number) {
  constexpr double kMostDigits = 1e15;
  const double value = is_floating(number.type) ? decode(number.type, number.bits) : 0.5;
  const bool is_whole = std::trunc(value) == value && std::abs(value) < kMostDigits;
  return is_whole ? fmt::format("{:.0f}", value) : decimal_text(number.type, number.bits);
}

std::string few_digits(const Rational& value) {
  const auto nearest = value.convert_to<double>();
  for (int digits = 3; digits <= 17; ++digits) {
    std::string text = fmt::format("{:.{}g}", nearest, digits);
    double parsed = 0;
    std::from_chars(text.data(), text.data() + text.size(), parsed);
    const Rational said(parsed);
    const bool is_half_integer = denominator(Rational(said * 2)) == 1;
    if (said == value || !is_half_integer) return text;
  }
  return fmt::format("~{:.17g}", nearest);
}

std::string readable(const Exact& exact) {
  constexpr std::size_t kShort = 20;
  if (!exact.is_finite()) return to_text(exact);
  const Rational& value = exact.value();
  // A dyadic fraction has as many decimals as its denominator has twos.
  const BigInteger denominator_of_value = denominator(value);
  const unsigned twos = lsb(denominator_of_value);
  if (twos < kShort && denominator_of_value == BigInteger(1) << twos) {
    std::string digits = numerator(Rational(abs(value) * Rational(pow(BigInteger(10), twos)))).str();
    if (digits.size() <= twos) digits.insert(0, twos + 1 - digits.size(), '0');
    if (twos > 0) digits.insert(digits.size() - twos, ".");
    if (digits.size() <= kShort) return (value < 0 ? "-" : "") + digits;
  }
  const std::string text = to_text(exact);
  return text.find('/') == std::string::npos ? text : fmt::format("{} ~{:.12g}", text, value.convert_to<double>());
}

std::string bits_text(const StoredNumber& number) {
  return fmt::format("0x{:0{}x}", number.bits, 2 * row(number.type).storage_bytes);
}

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
  explanation.inputs = given_inputs(signature, inputs, element);
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
