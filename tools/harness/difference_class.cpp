#include "tools/harness/difference_class.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "interpreter/parameter_layout.hpp"

namespace qassay {
namespace {

double value_of(Type type, std::uint64_t bits) {
  if (is_floating(type)) return decode(type, bits);
  const Dyadic exact = dyadic(type, bits);
  return static_cast<double>(exact.significand);
}
double expected_of(const DifferingElement& e) {
  return value_of(e.type, e.difference.expected);
}
double got_of(const DifferingElement& e) {
  return value_of(e.type, e.difference.got);
}
double input_of(const DifferingElement& e) {
  return e.input ? value_of(e.input->type, e.input->bits) : 0;
}
double steps_of(const DifferingElement& e) {
  return std::rint(std::abs(e.difference.lsb.value_or(0)));
}
bool is_low(const DifferingElement& e, double value) {
  return value <= e.lowest;
}
bool is_high(const DifferingElement& e, double value) {
  return value >= e.highest;
}
bool is_at_an_end(const DifferingElement& e, double value) {
  return is_low(e, value) || is_high(e, value);
}
/// Less than half a step apart, or without steps.
bool is_below_a_step(const DifferingElement& e) {
  return e.difference.ulp.has_value() && steps_of(e) == 0;
}

using E = const DifferingElement&;
constexpr std::array<DifferenceClassRow, 13> kClasses{{
    {DifferenceClass::nan_input, "nan_input", "the input is NaN", [](E e) { return std::isnan(input_of(e)); }},
    {DifferenceClass::infinite_input, "infinite_input", "the input is an infinity",
     [](E e) { return std::isinf(input_of(e)); }},
    {DifferenceClass::nan_on_one_side, "nan_on_one_side", "one gives NaN, the other does not",
     [](E e) { return std::isnan(expected_of(e)) != std::isnan(got_of(e)); }},
    {DifferenceClass::opposite_ends, "opposite_ends", "one gives the lowest value there is, the other the highest",
     [](E e) {
       return (is_low(e, expected_of(e)) && is_high(e, got_of(e))) ||
              (is_high(e, expected_of(e)) && is_low(e, got_of(e)));
     }},
    {DifferenceClass::infinity_on_one_side, "infinity_on_one_side", "one gives an infinity, the other does not",
     [](E e) { return std::isinf(expected_of(e)) != std::isinf(got_of(e)); }},
    {DifferenceClass::end_on_one_side, "end_on_one_side",
     "one stops at an end of the range, the other is more than a step away from it",
     [](E e) { return is_at_an_end(e, expected_of(e)) != is_at_an_end(e, got_of(e)) && steps_of(e) > 1; }},
    {DifferenceClass::sign_of_zero, "sign_of_zero", "one gives 0, the other -0",
     [](E e) { return expected_of(e) == 0 && got_of(e) == 0; }},
    {DifferenceClass::tie, "tie", "the exact quotient of input and scale lies halfway between two integers",
     [](E e) { return e.is_tie; }},
    {DifferenceClass::one_ulp, "one_ulp", "less than half a step apart: neighbours in the output's type",
     [](E e) { return is_below_a_step(e) && *e.difference.ulp == 1; }},
    {DifferenceClass::several_ulp, "several_ulp", "less than half a step apart, by several ulp",
     [](E e) { return is_below_a_step(e); }},
    {DifferenceClass::one_step, "one_step", "one step apart, and no tie", [](E e) { return steps_of(e) == 1; }},
    {DifferenceClass::several_steps, "several_steps", "several steps apart", [](E e) { return steps_of(e) > 1; }},
    {DifferenceClass::without_measure, "without_measure", "apart, with no unit to say how far", [](E) { return true; }},
}};

double lowest_of(Type type) {
  if (is_floating(type)) return -INFINITY;
  return type == Type::boolean ? 0 : static_cast<double>(lowest(type));
}
double highest_of(Type type) {
  if (is_floating(type)) return INFINITY;
  return type == Type::boolean ? 1 : static_cast<double>(highest(type));
}

/// The end of the codes, where the formula is told one.
std::optional<double> told_end(const Arguments& arguments, Role role) {
  if (arguments.signature->parameter(role) == nullptr || arguments[role].is_none) return std::nullopt;
  return static_cast<double>(arguments.whole(role));
}

/// Where a real output on the grid of some codes ends, half a step inside: for values that were computed otherwise.
std::function<Ends(std::size_t)> ends_of_grid(const Arguments& arguments) {
  const Signature& signature = *arguments.signature;
  const Parameter* const zero_point = signature.parameter(Role::zero_point);
  const auto low = told_end(arguments, Role::quant_min);
  const auto high = told_end(arguments, Role::quant_max);
  if (zero_point == nullptr || signature.parameter(Role::scale) == nullptr || !low || !high) return {};
  return [&arguments, zero_point, low = *low, high = *high, layout = parameter_layout(arguments)](std::size_t element) {
    const Position at = layout.position(element);
    const double scale = arguments.real(Role::scale, at);
    // A learned one is rounded and limited.
    const double offset = arguments.is_real(*zero_point)
                              ? std::clamp(std::nearbyint(arguments.real(Role::zero_point, at)), low, high)
                              : static_cast<double>(arguments.integer(Role::zero_point, at));
    const auto [lowest, highest] = std::minmax({(low - offset) * scale, (high - offset) * scale});
    return Ends{lowest + std::abs(scale) / 2, highest - std::abs(scale) / 2};
  };
}

/// Whether the quotient of input and scale is rounded to an integer on the way.
bool rounds_quotients(const Formula& formula, const Arguments& arguments, const Inputs& inputs) {
  const Parameter* scale = formula.signature->parameter(Role::scale);
  if (scale == nullptr || !arguments.is_real(*scale) || !is_floating(arguments.input_type)) return false;
  const Trace trace = formula.trace(arguments, inputs, 0);
  return std::ranges::find(trace, StepKind::rounds_to_integer, &TraceStep::kind) != trace.end();
}

}  // namespace

std::span<const DifferenceClassRow> difference_classes() {
  return kClasses;
}

const DifferenceClassRow& row(DifferenceClass kind) {
  return kClasses[static_cast<std::size_t>(kind)];
}

DifferenceClass class_of(const DifferingElement& element) {
  return std::ranges::find_if(kClasses, [&](const DifferenceClassRow& one) { return one.holds(element); })->kind;
}

DifferingElements::DifferingElements(const Formula& formula, const Arguments* arguments, const Inputs& inputs,
                                     std::size_t output, const Tensor& got)
    : type_(got.type()), lowest_(lowest_of(type_)), highest_(highest_of(type_)) {
  if (arguments == nullptr) return;
  grid_ = grid_of(*arguments, output);
  if (is_integer(type_)) {
    lowest_ = told_end(*arguments, Role::quant_min).value_or(lowest_);
    highest_ = told_end(*arguments, Role::quant_max).value_or(highest_);
  } else if (formula.signature->outputs[output].rule == OutputRule::of_input) {
    ends_ = ends_of_grid(*arguments);
  }
  if (formula.signature->inputs.empty() || !is_element_by_element(*formula.signature, inputs, got.shape())) return;
  input_ = &inputs.find(formula.signature->inputs.front().name)->second;
  if (got.size() > 0 && rounds_quotients(formula, *arguments, inputs)) {
    scale_ = [arguments, layout = parameter_layout(*arguments)](std::size_t element) {
      return arguments->real(Role::scale, layout.position(element));
    };
  }
}

DifferingElement DifferingElements::at(std::size_t element, std::uint64_t expected, std::uint64_t got) const {
  DifferingElement one{.type = type_,
                       .difference = measured(type_, element, expected, got, grid_),
                       .input = std::nullopt,
                       .lowest = lowest_,
                       .highest = highest_};
  if (input_ == nullptr) return one;
  if (ends_) {
    const Ends ends = ends_(element);
    one.lowest = ends.lowest;
    one.highest = ends.highest;
  }
  one.input = TypedBits{input_->type(), input_->bits(element)};
  if (scale_) {
    // A remainder is exact: half a scale means halfway between two multiples.
    const double scale = std::abs(scale_(element));
    one.is_tie = scale > 0 && std::abs(std::remainder(input_->real(element), scale)) == scale / 2;
  }
  return one;
}

}  // namespace qassay
