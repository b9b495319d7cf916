#include "tests/mutants/mutants.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tools/harness/translation.hpp"

namespace qassay::mutants {
namespace {

using Quotient = QuantizeRule::Quotient;
using Rounding = QuantizeRule::Rounding;
using ZeroPoint = QuantizeRule::ZeroPoint;
using Overflow = QuantizeRule::Overflow;
using Range = QuantizeRule::Range;

bool is_subnormal(Type type, double value) {
  return value != 0 && std::abs(value) < std::ldexp(1.0, lowest_exponent(type));
}

void flush_subnormals(const Signature& /*signature*/, Inputs& inputs, Settings& settings) {
  const auto flush = [](Tensor& tensor) {
    if (!is_floating(tensor.type())) return;
    for (std::size_t i = 0; i < tensor.size(); ++i) {
      const double value = tensor.real(i);
      if (is_subnormal(tensor.type(), value)) tensor.set_real(i, std::copysign(0.0, value));
    }
  };
  for (auto& [name, tensor] : inputs) flush(tensor);
  for (auto& [name, written] : settings) {
    if (written.tensor) flush(*written.tensor);
  }
}

void first_channels_parameters(const Signature& /*signature*/, Inputs& /*inputs*/, Settings& settings) {
  for (auto& [name, written] : settings) {
    if (!written.tensor) continue;
    for (std::size_t i = 1; i < written.tensor->size(); ++i) written.tensor->set_bits(i, written.tensor->bits(0));
  }
}

/// Spreads a vector of parameters over the last axis, where it has the right length there, else backwards.
void parameters_of_another_axis(const Signature& signature, Inputs& inputs, Settings& settings) {
  const Parameter* const axis = signature.parameter(Role::axis);
  const Shape& shape = inputs.begin()->second.shape();
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto written = settings.find(axis->name);
  const std::int64_t given =
      std::stoll(written == settings.end() ? std::string(axis->fallback) : written->second.elements.at(0));
  const std::int64_t right = given < 0 ? given + rank : given;
  if (right < 0 || right >= rank) return;
  for (std::int64_t other = rank; other-- > 0;) {
    if (other == right || shape[static_cast<std::size_t>(other)] != shape[static_cast<std::size_t>(right)]) continue;
    settings.insert_or_assign(std::string(axis->name), Written::scalar(std::to_string(other)));
    return;
  }
  for (auto& [name, value] : settings) {
    if (!value.tensor || value.tensor->shape().size() != 1) continue;
    for (std::size_t i = 0, j = value.tensor->size(); i + 1 < j; ++i) {
      const std::uint64_t kept = value.tensor->bits(i);
      value.tensor->set_bits(i, value.tensor->bits(--j));
      value.tensor->set_bits(j, kept);
    }
  }
}

/// The elements behind the last full vector of 8 hold what the one before them should.
void tail_off_by_one(const Signature& /*signature*/, const Inputs& /*inputs*/, Outputs& outputs) {
  for (auto& [name, tensor] : outputs) {
    for (std::size_t i = tensor.size(); i-- > std::max<std::size_t>(tensor.size() / 8 * 8, 1);) {
      tensor.set_bits(i, tensor.bits(i - 1));
    }
  }
}

}  // namespace

std::span<const Mutant> all() {
  static const std::vector<Mutant> mutants{
      {"reciprocal", "multiplies by 1/scale, rounded, in place of dividing by the scale",
       QuantizeRule{.quotient = Quotient::reciprocal}},
      {"double_intermediate", "divides in binary64", QuantizeRule{.quotient = Quotient::binary64}},
      {"ties_away", "rounds ties away from zero", QuantizeRule{.rounding = Rounding::half_away}},
      {"half_up", "rounds ties up, as floor(x + 0.5)", QuantizeRule{.rounding = Rounding::half_up}},
      {"truncate", "drops the fraction", QuantizeRule{.rounding = Rounding::truncate}},
      {"zero_point_before_rounding", "adds the zero point to the quotient and rounds the sum",
       QuantizeRule{.zero_point = ZeroPoint::before_rounding}},
      {"fma", "computes x * (1/scale) + zero_point in one fused step and rounds that",
       QuantizeRule{.zero_point = ZeroPoint::fused}},
      {"wrap", "keeps the low bits of what is out of range", QuantizeRule{.overflow = Overflow::wrap}},
      {"narrow_range", "never gives the lowest code", QuantizeRule{.range = Range::without_lowest}},
      {"off_by_one_max", "never gives the highest code", QuantizeRule{.range = Range::without_highest}},
      {"wrong_axis", "spreads the parameters over another axis", BeforeFormula(parameters_of_another_axis),
       Needs::an_axis},
      {"first_channel_only", "takes the first channel's parameters for all", BeforeFormula(first_channels_parameters),
       Needs::an_axis},
      {"flush_subnormals", "takes subnormal inputs and scales for zero", BeforeFormula(flush_subnormals)},
      {"tail_off_by_one", "shifts the elements behind the last full vector of 8 by one", AfterFormula(tail_off_by_one)},
  };
  return mutants;
}

const Mutant* find(std::string_view name) {
  const auto found = std::ranges::find(all(), name, &Mutant::name);
  return found == all().end() ? nullptr : &*found;
}

bool Mutant::applies_to(const Signature& signature) const {
  if (std::holds_alternative<QuantizeRule>(how)) return is_quantization(signature);
  return needs == Needs::nothing || signature.parameter(Role::axis) != nullptr;
}

Outputs Mutant::evaluate(const Formula& formula, Inputs inputs, Settings settings) const {
  const Arguments arguments = formula.arguments(inputs, settings);  // what is refused stays refused
  if (const auto* rule = std::get_if<QuantizeRule>(&how)) {
    return {{std::string(formula.signature->outputs[0].name), quantize(arguments, inputs.begin()->second, *rule)}};
  }
  if (const auto* before = std::get_if<BeforeFormula>(&how)) {
    settings = settings_of(arguments);
    (*before)(*formula.signature, inputs, settings);
    return formula(inputs, settings).outputs;
  }
  Outputs outputs = formula(inputs, settings).outputs;
  std::get<AfterFormula>(how)(*formula.signature, inputs, outputs);
  return outputs;
}

}  // namespace qassay::mutants
