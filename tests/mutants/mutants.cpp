#include "tests/mutants/mutants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "interpreter/registry.hpp"

namespace qassay::mutants {
namespace {

/// What a formula does otherwise than ONNX.
struct Base {
  std::string_view formula;
  std::vector<Change> changes;
};

const std::vector<Base>& bases() {
  static const std::vector<Base> all{
      {"onnx_reference.QuantizeLinear", {{"overflow", "int32"}}},
      {"pytorch.quantize_per_tensor", {{"quotient", "reciprocal"}, {"overflow", "int32, capped"}}},
      {"pytorch.quantize_per_tensor@2.13",
       {{"quotient", "reciprocal"}, {"zero point", "fused"}, {"overflow", "int32, capped"}}},
      {"pytorch.quantize_per_channel", {{"quotient", "reciprocal"}, {"NaN", "NaN to 0"}}},
      {"pytorch.quantize_per_channel@2.13",
       {{"quotient", "reciprocal"}, {"zero point", "before rounding"}, {"NaN", "NaN to 0"}}},
      {"pytorch.fake_quantize_per_tensor_affine", {{"quotient", "reciprocal"}}},
      {"pytorch.fake_quantize_per_channel_affine",
       {{"quotient", "reciprocal"}, {"overflow", "int64"}, {"product", "binary64"}}},
      {"onnx.DequantizeLinear", {{"product", "in output type"}}},
      {"onnxruntime.DequantizeLinear", {{"difference", "wraps in int32"}}},
      {"onnx_reference.DequantizeLinear", {{"difference", "binary32"}}},
      {"pytorch.dequantize_per_tensor", {{"difference", "wraps in int32"}}},
      {"pytorch.dequantize_per_channel", {{"difference", "binary32"}, {"product", "binary64"}}},
      {"onnx_reference.requantize", {{"scaling", "float64, zero point first"}}},
  };
  return all;
}

const Aspect& aspect_of(const Change& change) {
  const auto found = std::ranges::find(aspects(), change.aspect, &Aspect::name);
  if (found == aspects().end()) throw std::logic_error(fmt::format("no aspect '{}'", change.aspect));
  return *found;
}

Rule changed(Rule rule, const std::vector<Change>& changes) {
  for (const Change& change : changes) {
    const Aspect& aspect = aspect_of(change);
    const auto choice = std::ranges::find(aspect.choices, change.choice, &Choice::name);
    if (choice == aspect.choices.end())
      throw std::logic_error(fmt::format("no choice '{}' of the aspect '{}'", change.choice, change.aspect));
    aspect.set(rule, static_cast<std::size_t>(choice - aspect.choices.begin()));
  }
  return rule;
}

/// Whether a code of NaN is chosen at all: a conversion to integers has its own.
bool has_code_of_nan(const Rule& rule) {
  return rule.quantize.overflow == QuantizeRule::Overflow::saturate ||
         rule.quantize.overflow == QuantizeRule::Overflow::wrap;
}

/// A fused sum has no quotient of its own.
bool is_in_vain(const Change& change, const Rule& base, const std::vector<Change>& all) {
  if (change.aspect == "quotient" && all.size() == 1) return base.quantize.zero_point == QuantizeRule::ZeroPoint::fused;
  return change.aspect == "NaN" && !has_code_of_nan(base);
}

/// What a specification leaves open cannot be wrong.
bool is_left_open(const Change& change, const Signature& signature) {
  return change.aspect == "NaN" && signature.authority == Authority::specification;
}

/// Whether there are numbers that could be subnormal.
bool has_subnormals(const Change& change, const Signature& signature) {
  const Family family = family_of(signature);
  if (change.choice == "flushed on input") return is_floating(signature.inputs.front().types.front());
  return change.choice != "flushed on output" || family == Family::dequantize || family == Family::fake_quantize;
}

bool has_real_zero_point(const Arguments& arguments) {
  const Parameter* const zero_point = arguments.signature->parameter(Role::zero_point);
  return zero_point != nullptr && arguments.is_real(*zero_point);
}

}  // namespace

std::span<const Mutant> all() {
  static const std::vector<Mutant> mutants{
      {"reciprocal", "multiplies by 1/scale, rounded, in place of dividing by the scale", {{"quotient", "reciprocal"}}},
      {"reciprocal_binary64", "multiplies by 1/scale in binary64", {{"quotient", "reciprocal in binary64"}}},
      {"double_intermediate", "divides in binary64", {{"quotient", "binary64"}}},
      {"float16_quotient", "rounds the quotient to float16", {{"quotient", "float16"}}},
      {"bfloat16_quotient", "rounds the quotient to bfloat16", {{"quotient", "bfloat16"}}},
      {"division", "divides by the scale in place of multiplying by 1/scale", {{"quotient", "divide"}}},

      {"zero_point_before_rounding",
       "adds the zero point to the quotient and rounds the sum",
       {{"zero point", "before rounding"}}},
      {"zero_point_after_rounding",
       "rounds the product before it adds the zero point",
       {{"zero point", "after rounding"}}},
      {"fma",
       "computes x * (1/scale) + zero_point in one fused step and rounds that",
       {{"zero point", "fused"}, {"quotient", "reciprocal"}}},
      {"clamp_before_zero_point",
       "limits the quotient to the codes, then adds the zero point",
       {{"zero point", "after saturation"}}},

      {"ties_away", "rounds ties away from zero", {{"rounding", "half away"}}},
      {"half_up", "rounds ties up", {{"rounding", "half up"}}},
      {"half_down", "rounds ties down", {{"rounding", "half down"}}},
      {"half_odd", "rounds ties to odd", {{"rounding", "half to odd"}}},
      {"truncate", "drops the fraction", {{"rounding", "toward zero"}}},
      {"floor", "always rounds down", {{"rounding", "floor"}}},
      {"ceiling", "always rounds up", {{"rounding", "ceiling"}}},
      {"to_odd", "rounds all that is no integer to an odd one", {{"rounding", "to odd"}}},
      {"floor_of_sum", "rounds as floor(x + 0.5), the sum itself rounded", {{"rounding", "floor of sum"}}},
      {"truncated_sum", "rounds as trunc(x + copysign(0.5, x)), the sum rounded", {{"rounding", "truncated sum"}}},

      {"wrap", "keeps the low bits of what is out of range", {{"overflow", "wrap"}}},
      {"int32_indefinite",
       "converts to int32 before it limits: INT_MIN for all that is beyond",
       {{"overflow", "int32"}}},
      {"int32_capped", "converts to int32 before it limits, capped at 2147483520", {{"overflow", "int32, capped"}}},
      {"int32_low_bits", "converts to int32 and keeps the low bits", {{"overflow", "int32, low bits"}}},
      {"int64_indefinite",
       "converts to int64 before it limits: INT64_MIN for all that is beyond",
       {{"overflow", "int64"}}},
      {"saturating_conversion", "saturates where the formula has an int32's INT_MIN", {{"overflow", "saturate"}}},
      {"narrow_range", "never gives the lowest code", {{"code range", "without lowest"}}},
      {"off_by_one_max", "never gives the highest code", {{"code range", "without highest"}}},
      {"nan_highest", "gives NaN the highest code", {{"NaN", "NaN highest"}}},
      {"nan_zero", "gives NaN the code 0", {{"NaN", "NaN to 0"}}, "output_dtype=int8"},
      {"nan_zero_point", "gives NaN the zero point", {{"NaN", "NaN to zero point"}}},

      {"mask_between_ends", "lets no gradient through at the ends of the range", {{"mask", "between ends"}}},
      {"mask_everywhere", "lets the gradient through everywhere", {{"mask", "everywhere"}}},

      {"flush_inputs", "takes subnormal inputs for zero", {{"subnormals", "flushed on input"}}},
      {"flush_scales", "takes subnormal scales for zero", {{"subnormals", "scales flushed"}}},
      {"flush_subnormals", "takes subnormal inputs and scales for zero", {{"subnormals", "inputs and scales flushed"}}},
      {"flush_outputs", "gives zero for subnormal results", {{"subnormals", "flushed on output"}}},
      {"first_channel_only", "takes the first channel's parameters for all", {{"channels", "first"}}},
      {"wrong_axis", "spreads the parameters over another axis", {{"channels", "another axis or reversed"}}},
      {"reversed_channels", "takes the channels' parameters in reverse", {{"channels", "reversed"}}},
      {"tail_of_4", "repeats the element before, behind the last full vector of 4", {{"tail", "repeats behind 4"}}},
      {"tail_off_by_one",
       "repeats the element before, behind the last full vector of 8",
       {{"tail", "repeats behind 8"}}},
      {"tail_of_32", "repeats the element before, behind the last full vector of 32", {{"tail", "repeats behind 32"}}},

      {"code_difference_wraps",
       "subtracts the zero point in the type of the codes, where it wraps",
       {{"difference", "wraps in code type"}}},
      {"binary64_product",
       "multiplies by the scale in binary64",
       {{"product", "binary64"}},
       "",
       "pytorch.dequantize_per_tensor"},
      {"binary32_product",
       "multiplies by the scale in binary32",
       {{"product", "binary32"}},
       "",
       "pytorch.dequantize_per_channel"},
      {"folded", "computes code * scale - zero_point * scale", {{"product", "folded"}}},
      {"fused_product", "computes fma(code, scale, -(zero_point * scale))", {{"product", "fused"}}},

      {"multiplier_from_product",
       "divides the binary32 product of the scales in binary64, and multiplies there",
       {{"multiplier", "binary32 product"}, {"scaling", "float64"}}},
      {"multiplier_binary64", "computes the multiplier in binary64", {{"multiplier", "binary64"}}},
      {"requantize_half_away",
       "rounds scaled accumulators away from zero at ties",
       {{"scaling", "float32, half away"}}},
      {"requantize_binary64", "scales accumulators in binary64", {{"scaling", "float64"}}},
      {"requantize_zero_point_first",
       "adds the zero point to the binary64 product before it rounds",
       {{"scaling", "float64, zero point first"}}},
      {"fixed_point_single",
       "scales in 31-bit fixed point with one rounding, ties up",
       {{"scaling", "fixed point, single rounding"}}},
      {"fixed_point_double",
       "scales in 31-bit fixed point with two roundings, the second away from zero",
       {{"scaling", "fixed point, double rounding"}}},
      {"fixed_point_half_up",
       "scales in 31-bit fixed point with two roundings, both ties up",
       {{"scaling", "fixed point, half up twice"}}},
  };
  return mutants;
}

const Mutant* find(std::string_view name) {
  const auto found = std::ranges::find(all(), name, &Mutant::name);
  return found == all().end() ? nullptr : &*found;
}

const Formula& home(const Mutant& mutant) {
  if (!mutant.home.empty()) return formula(mutant.home);
  const auto found =
      std::ranges::find_if(all_formulas(), [&](const Formula& one) { return mutant.applies_to(*one.signature); });
  if (found == all_formulas().end()) throw std::logic_error(fmt::format("'{}' applies to no formula", mutant.name));
  return *found;
}

Rule base_rule(const Signature& signature) {
  const auto found = std::ranges::find(bases(), signature.id, &Base::formula);
  return found == bases().end() ? Rule{} : changed({}, found->changes);
}

/// The dialects that mutants are made of: their formulas follow rules that are stated above.
constexpr std::array<std::string_view, 4> kDialects{"onnx", "onnxruntime", "onnx_reference", "pytorch"};

bool has_base_rule(const Signature& signature) {
  return std::ranges::find(kDialects, dialect_of(signature.id)) != kDialects.end() &&
         family_of(signature) != Family::other;
}

bool Mutant::applies_to(const Signature& signature) const {
  if (!has_base_rule(signature)) return false;
  const Family family = family_of(signature);
  const Rule base = base_rule(signature);
  return changed(base, changes) != base && std::ranges::all_of(changes, [&](const Change& change) {
           return aspect_of(change).concerns(family) &&
                  (change.aspect != "channels" || signature.parameter(Role::axis) != nullptr) &&
                  !is_in_vain(change, base, changes) && !is_left_open(change, signature) &&
                  has_subnormals(change, signature);
         });
}

Outputs Mutant::evaluate(const Formula& formula, const Inputs& inputs, const Settings& settings) const {
  const Arguments arguments = formula.arguments(inputs, settings);  // what is refused stays refused
  const auto given_by = [&](const Hypothesis& hypothesis) {
    return formula_of(hypothesis, formula).evaluate(arguments, inputs).outputs;
  };
  const bool is_around_formula =
      std::ranges::all_of(changes, [](const Change& change) { return aspect_of(change).stage == Stage::surroundings; });
  if (is_around_formula) return given_by({&formula, changed({}, changes)});

  Outputs outputs = formula.evaluate(arguments, inputs).outputs;
  if (has_real_zero_point(arguments)) return outputs;  // rules have integers there
  const Rule base = base_rule(*formula.signature);
  const Outputs of_base = given_by({nullptr, base});
  const Outputs of_change = given_by({nullptr, changed(base, changes)});
  for (auto& [output, tensor] : outputs) {
    const Tensor& from = of_base.find(output)->second;
    const Tensor& to = of_change.find(output)->second;
    for (std::size_t i = 0; i < tensor.size(); ++i) {
      if (from.bits(i) != to.bits(i)) tensor.set_bits(i, to.bits(i));
    }
  }
  return outputs;
}

}  // namespace qassay::mutants
