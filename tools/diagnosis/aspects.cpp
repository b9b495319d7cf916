#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tools/diagnosis/rule_space.hpp"

namespace qassay {
namespace {

/// Where a choice is kept: in the rule itself, or in a part of it.
template <auto member>
struct OfRule {
  static std::size_t get(const Rule& rule) { return static_cast<std::size_t>(rule.*member); }
  static void set(Rule& rule, std::size_t choice) {
    rule.*member = static_cast<std::remove_reference_t<decltype(rule.*member)>>(choice);
  }
};
template <auto part, auto member>
struct OfPart {
  static std::size_t get(const Rule& rule) { return static_cast<std::size_t>((rule.*part).*member); }
  static void set(Rule& rule, std::size_t choice) {
    (rule.*part).*member = static_cast<std::remove_reference_t<decltype((rule.*part).*member)>>(choice);
  }
};

template <class Place>
Aspect aspect(std::string_view name, Stage stage, std::vector<Family> families, std::vector<Choice> choices) {
  return {name, stage, std::move(families), std::move(choices), Place::get, Place::set};
}

const std::vector<Family> kToCodes{Family::quantize, Family::fake_quantize};
const std::vector<Family> kToReals{Family::dequantize, Family::fake_quantize};
const std::vector<Family> kAll{Family::quantize, Family::fake_quantize, Family::dequantize, Family::requantize};

std::vector<Aspect> make_aspects() {
  using Q = QuantizeRule;
  using D = DequantizeRule;
  using R = RequantizeRule;
  constexpr Stage arithmetic = Stage::arithmetic;
  return {
      aspect<OfPart<&Rule::quantize, &Q::quotient>>(
          "quotient", arithmetic, kToCodes,
          {{"divide", "divides by the scale", "dividing by the scale"},
           {"reciprocal", "multiplies by the rounded reciprocal of the scale", "multiplying by its rounded reciprocal"},
           {"binary64", "divides in binary64", "dividing in binary64"},
           {"reciprocal in binary64", "multiplies by the reciprocal of the scale in binary64",
            "multiplying by the reciprocal in binary64"},
           {"float16", "rounds the quotient to float16", "rounding the quotient to float16"},
           {"bfloat16", "rounds the quotient to bfloat16", "rounding the quotient to bfloat16"}}),
      aspect<OfPart<&Rule::quantize, &Q::zero_point>>(
          "zero point", arithmetic, kToCodes,
          {{"after rounding", "adds the zero point after rounding", "adding the zero point after rounding"},
           {"before rounding", "adds the zero point before rounding", "adding the zero point before rounding"},
           {"fused", "rounds the fused fma(x, 1 / scale, zero_point)",
            "rounding the fused fma(x, 1 / scale, zero_point)"},
           {"after saturation", "limits to the codes before it adds the zero point", "limiting after the zero point"}}),
      aspect<OfPart<&Rule::quantize, &Q::rounding>>(
          "rounding", arithmetic, kToCodes,
          {{"half to even", "rounds ties to even", "rounding ties to even"},
           {"half away", "rounds ties away from zero", "rounding ties away from zero"},
           {"half up", "rounds ties up", "rounding ties up"},
           {"half down", "rounds ties down", "rounding ties down"},
           {"toward zero", "drops the fraction", "dropping the fraction"},
           {"floor", "always rounds down", "always rounding down"},
           {"ceiling", "always rounds up", "always rounding up"},
           {"half to odd", "rounds ties to odd", "rounding ties to odd"},
           {"to odd", "rounds everything inexact to odd", "rounding everything inexact to odd"},
           {"floor of sum", "takes the floor of a rounded sum with 0.5", "taking the floor of a rounded sum with 0.5"},
           {"truncated sum", "drops the fraction of a rounded sum with 0.5",
            "dropping the fraction of a rounded sum with 0.5"}}),
      aspect<OfPart<&Rule::dequantize, &D::difference>>(
          "difference", arithmetic, {Family::dequantize},
          {{"exact", "subtracts the zero point exactly", "subtracting exactly"},
           {"wraps in code type", "subtracts the zero point in the type of the codes (where it wraps)",
            "subtracting in the type of the codes"},
           {"wraps in int32", "subtracts the zero point in int32 (where it wraps)", "subtracting in int32"},
           {"binary32", "rounds code and zero point to binary32 before it subtracts", "subtracting in binary32"}}),
      aspect<OfPart<&Rule::dequantize, &D::product>>(
          "product", arithmetic, kToReals,
          {{"binary32", "multiplies by the scale in binary32", "multiplying by the scale in binary32"},
           {"binary64", "multiplies by the scale in binary64", "multiplying in binary64"},
           {"in output type", "multiplies by the scale in the type of the output", "multiplying in the output's type"},
           {"folded", "computes code * scale - zero_point * scale", "computing code * scale - zero_point * scale"},
           {"fused", "computes fma(code, scale, -(zero_point * scale))",
            "computing fma(code, scale, -(zero_point * scale))"}}),
      aspect<OfPart<&Rule::requantize, &R::multiplier>>(
          "multiplier", arithmetic, {Family::requantize},
          {{"binary32", "computes the multiplier in binary32", "computing it in binary32"},
           {"binary32 product", "divides the binary32 product of the scales in binary64", "dividing it in binary64"},
           {"binary64", "computes the multiplier in binary64", "computing it in binary64"}}),
      aspect<OfPart<&Rule::requantize, &R::scaling>>(
          "scaling", arithmetic, {Family::requantize},
          {{"float32, half to even", "multiplies in binary32 and rounds ties to even before the zero point",
            "multiplying in binary32"},
           {"float32, half away", "multiplies in binary32 and rounds ties away from zero", "rounding ties away"},
           {"float64", "multiplies in binary64", "multiplying in binary64"},
           {"float64, zero point first", "adds the zero point to the binary64 product before it rounds",
            "adding the zero point before rounding in binary64"},
           {"fixed point, single rounding", "multiplies in fixed point with one rounding (ties up)",
            "rounding once in fixed point"},
           {"fixed point, double rounding",
            "multiplies in fixed point with two roundings (ties up, then away from zero)",
            "rounding twice in fixed point"},
           {"fixed point, half up twice", "multiplies in fixed point with two roundings (both ties up)",
            "rounding up twice in fixed point"}}),
      aspect<OfPart<&Rule::quantize, &Q::overflow>>(
          "overflow", Stage::edges, kToCodes,
          {{"saturate", "saturates", "saturating"},
           {"wrap", "keeps the low bits of what is out of range", "keeping the low bits"},
           {"int32", "converts to int32 first (INT_MIN for what does not fit)", "converting to int32 first"},
           {"int32, capped", "converts to int32 first (capped at 2147483520)", "converting to int32 with a cap"},
           {"int64", "converts to int64 first (INT64_MIN for what does not fit)", "converting to int64 first"},
           {"int32, low bits", "converts to int32 and keeps the low bits",
            "converting to int32 and keeping low bits"}}),
      aspect<OfPart<&Rule::quantize, &Q::range>>(
          "code range", Stage::edges, kToCodes,
          {{"full", "uses all codes", "using all codes"},
           {"without lowest", "never gives the lowest code", "using all codes"},
           {"without highest", "never gives the highest code", "using all codes"}}),
      aspect<OfPart<&Rule::quantize, &Q::not_a_number>>(
          "NaN", Stage::edges, kToCodes,
          {{"NaN lowest", "gives NaN the lowest code", "giving it the lowest code"},
           {"NaN highest", "gives NaN the highest code", "giving it the highest code"},
           {"NaN to 0", "gives NaN the code 0", "giving it the code 0"},
           {"NaN to zero point", "gives NaN the zero point", "giving it the zero point"}}),
      aspect<OfRule<&Rule::mask>>(
          "mask", Stage::edges, {Family::fake_quantize},
          {{"in range", "has a mask that is true in range", "one that is true in range"},
           {"between ends", "has a mask that is true between the ends", "one that is true between the ends"},
           {"everywhere", "has a mask that is true everywhere", "one that is true everywhere"}}),
      aspect<OfRule<&Rule::subnormals>>(
          "subnormals", Stage::surroundings, kAll,
          {{"honoured", "honours subnormal numbers", "honouring them"},
           {"flushed on input", "takes subnormal inputs for zero", "honouring them"},
           {"scales flushed", "takes subnormal scales for zero", "honouring them"},
           {"inputs and scales flushed", "takes subnormal inputs and scales for zero", "honouring them"},
           {"flushed on output", "gives zero for subnormal results", "honouring them"},
           {"flushed everywhere", "takes all subnormal numbers for zero", "honouring them"}}),
      aspect<OfRule<&Rule::channels>>(
          "channels", Stage::surroundings, kAll,
          {{"own", "gives each channel its own parameters", "giving each its own"},
           {"first", "takes the first channel's parameters for all channels", "giving each its own"},
           {"another axis", "spreads the parameters over another axis", "along the right one"},
           {"reversed", "takes the channels' parameters in reverse", "in their order"},
           {"another axis or reversed", "spreads the parameters over another axis (backwards where none fits)",
            "along the right one"}}),
      aspect<OfRule<&Rule::tail>>(
          "tail", Stage::surroundings, kAll,
          {{"as body", "treats all elements alike", "treating all alike"},
           {"repeats behind 4", "repeats the element before behind the last full vector of 4", "treating all alike"},
           {"repeats behind 8", "repeats the element before behind the last full vector of 8", "treating all alike"},
           {"repeats behind 16", "repeats the element before behind the last full vector of 16", "treating all alike"},
           {"repeats behind 32", "repeats the element before behind the last full vector of 32", "treating all alike"},
           {"repeats behind 64", "repeats the element before behind the last full vector of 64",
            "treating all alike"}}),
  };
}

const std::vector<std::string_view> kStillRounded{"ties still go to even", "ties still go away from zero",
                                                  "ties still go up", "ties still go down",
                                                  "the fraction is still dropped"};

/// Rules that no input can tell from another rule of the space are left out.
bool is_canonical(const Rule& rule) {
  const QuantizeRule& quantize = rule.quantize;
  const bool is_fused = quantize.zero_point == QuantizeRule::ZeroPoint::fused;
  const bool has_nan_code =
      quantize.overflow == QuantizeRule::Overflow::saturate || quantize.overflow == QuantizeRule::Overflow::wrap;
  const bool has_difference = rule.dequantize.product != DequantizeRule::Product::folded &&
                              rule.dequantize.product != DequantizeRule::Product::fused;
  // In the end such a multiplier is rounded to binary32 all the same.
  const bool is_rounded_later = rule.requantize.scaling == RequantizeRule::Scaling::binary32 ||
                                rule.requantize.scaling == RequantizeRule::Scaling::binary32_half_away;
  const bool is_twin = is_rounded_later && rule.requantize.multiplier == RequantizeRule::Multiplier::binary32_product;
  return !is_twin && (!is_fused || quantize.quotient == QuantizeRule::Quotient::reciprocal) &&
         (has_nan_code || quantize.not_a_number == QuantizeRule::NotANumber::lowest) &&
         (has_difference || rule.dequantize.difference == DequantizeRule::Difference::exact);
}

}  // namespace

bool Aspect::concerns(Family family) const {
  return std::ranges::find(families, family) != families.end();
}

std::span<const Aspect> aspects() {
  static const std::vector<Aspect> all = make_aspects();
  return all;
}

std::vector<Hypothesis> spread_over(const Aspect& aspect, const std::vector<Hypothesis>& bases) {
  std::vector<Hypothesis> spread;
  for (const Hypothesis& base : bases) {
    const bool is_open = base.named == nullptr || aspect.stage == Stage::surroundings;
    for (std::size_t choice = 0; choice < (is_open ? aspect.choices.size() : 1); ++choice) {
      spread.push_back(base);
      if (is_open) aspect.set(spread.back().rule, choice);
    }
  }
  return spread;
}

std::vector<Hypothesis> spread_over(Stage stage, Family family, const std::vector<Hypothesis>& bases) {
  std::vector<Hypothesis> spread = bases;
  for (const Aspect& aspect : aspects()) {
    if (aspect.stage == stage && aspect.concerns(family)) spread = spread_over(aspect, spread);
  }
  std::erase_if(spread, [](const Hypothesis& one) { return one.named == nullptr && !is_canonical(one.rule); });
  return spread;
}

std::size_t distance(const Rule& a, const Rule& b, Family family) {
  return static_cast<std::size_t>(std::ranges::count_if(
      aspects(), [&](const Aspect& aspect) { return aspect.concerns(family) && aspect.get(a) != aspect.get(b); }));
}

std::string difference_sentence(const Rule& found, const Rule& expected, Family family) {
  std::vector<std::string> parts;
  for (const Aspect& aspect : aspects()) {
    if (!aspect.concerns(family) || aspect.get(found) == aspect.get(expected)) continue;
    // The fused sum says itself that it multiplies by the reciprocal.
    const bool is_said = aspect.name == "quotient" && found.quantize.zero_point == QuantizeRule::ZeroPoint::fused;
    if (is_said) continue;
    parts.push_back(fmt::format("{} instead of {}", aspect.choice_of(found).does, aspect.choice_of(expected).doing));
  }
  const bool to_codes = std::ranges::find(kToCodes, family) != kToCodes.end();
  const bool core_differs = found.quantize.quotient != expected.quantize.quotient ||
                            found.quantize.zero_point != expected.quantize.zero_point;
  const auto rounding = static_cast<std::size_t>(found.quantize.rounding);
  std::string sentence = fmt::format("{}", fmt::join(parts, ", and "));
  if (to_codes && core_differs && found.quantize.rounding == expected.quantize.rounding &&
      rounding < kStillRounded.size()) {
    sentence += fmt::format("; {}", kStillRounded[rounding]);
  }
  return sentence;
}

std::string difference_name(const Rule& found, const Rule& expected, Family family) {
  std::vector<std::string_view> names;
  for (const Aspect& aspect : aspects()) {
    if (!aspect.concerns(family) || aspect.get(found) == aspect.get(expected)) continue;
    if (aspect.name == "quotient" && found.quantize.zero_point == QuantizeRule::ZeroPoint::fused) continue;
    names.push_back(aspect.choice_of(found).name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace qassay
