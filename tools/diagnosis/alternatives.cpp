#include "tools/diagnosis/alternatives.hpp"

#include <algorithm>
#include <cmath>

#include "interpreter/program.hpp"
#include "interpreter/registry.hpp"
#include "tools/diagnosis/channel_settings.hpp"
#include "tools/diagnosis/hypothesis.hpp"
#include "tools/harness/translation.hpp"

namespace qassay {
namespace {

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
      const Tensor& result = evaluation.outputs.find(to.outputs.front().name)->second;
      return stored(result, place_in(result.shape(), arguments, question.index));
    } catch (const RequestError&) {
      // A formula that does not take these arguments is no alternative.
    }
  }
  return std::nullopt;
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

}  // namespace

Alternatives other_formulas(const Question& question, const StoredNumber& result) {
  Alternatives alternatives;
  for (const Formula& other : all_formulas()) {
    if (other.signature == question.formula.signature) continue;
    if (!are_alike(*question.formula.signature, *other.signature)) continue;
    const auto number = answer(other, question);
    if (!number || number->type != result.type) continue;
    add(alternatives, {std::string(other.id()), std::string(other.signature->summary), *number, {}}, result);
  }
  sort_by_distance(alternatives);
  return alternatives;
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

}  // namespace qassay
