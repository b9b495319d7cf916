// What the gradients of the two learnable fake quantizations share: all but the zero point that they shift by.
#pragma once

#include "interpreter/pytorch/parts.hpp"

namespace qassay::pytorch {

inline std::vector<Input> gradient_inputs() {
  return {{"x", {Type::float32}, "as in the forward pass"}, {"dy", {Type::float32}, "the gradient of y"}};
}

/// Of the sums it is said how many there are.
inline std::vector<Output> gradient_outputs(std::string_view about_dscale, std::string_view about_dzero_point) {
  return {{"dx", OutputRule::fixed, Type::float32, "the gradient of x"},
          {"dscale_terms", OutputRule::fixed, Type::float32, "each element's part of dscale"},
          {"dzero_point_terms", OutputRule::fixed, Type::float32, "each element's part of dzero_point"},
          {"dscale", OutputRule::fixed, Type::float32, about_dscale, "dscale_terms"},
          {"dzero_point", OutputRule::fixed, Type::float32, about_dzero_point, "dzero_point_terms"}};
}

inline std::vector<Step> gradient_steps(std::string_view about_shift) {
  return {{"shift", about_shift},
          {"inverse", "1 / scale, one binary32 division"},
          {"sum", "x * inverse + shift, fused under fma, else two roundings"},
          {"code", "to an integral value, ties to even, then to int64; out of range gives INT64_MIN"},
          {"in range",
           "dx = dy; error = (code - shift) * scale - x, the last two fused under fma; dscale = dy * error * inverse * "
           "grad_factor; dzero_point = 0"},
          {"out of range",
           "dx = dy * 0; dscale = dy * (bound - shift) * grad_factor; dzero_point = -dy * scale * grad_factor"}};
}

/// The terms of one element. `Shift` rounds and limits the zero point, and takes it from a code:
///   static auto of(zero_point, quant_min, quant_max)             // a struct with
///   auto added() const; auto taken_from(code) const;             // what is added before rounding; code - shift
template <class Real, template <class> class Shift>
struct GradientTerms {
  using Number = Real;
  using Input = Real;
  Single<Real> scale;
  Single<Real> zero_point;
  Single<Real> grad_factor;
  Integer<Real> quant_min;
  Integer<Real> quant_max;
  Contraction contraction;

  static GradientTerms at(const Values<Real>& values) {
    return {values.binary32(Role::scale),       values.binary32(Role::zero_point),
            values.binary32(Role::grad_factor), values.whole(Role::quant_min),
            values.whole(Role::quant_max),      values.template choice<Contraction>(Role::contraction)};
  }
  QASSAY_STEP std::tuple<Real, Real, Real> operator()(Real x, Real dy) const {
    const auto shift = Shift<Real>::of(zero_point, integer_to_binary32(quant_min), integer_to_binary32(quant_max));
    auto inverse = reciprocal(scale);
    auto sum = contraction == Contraction::fma ? fused_multiply_add(x, inverse, shift.added())
                                               : add(shift.added(), multiply(x, inverse));
    auto integer = truncate_to_int64(round_half_even(sum));
    auto lowest = integer_to_binary64(quant_min);
    auto highest = integer_to_binary64(quant_max);
    auto code = at_most_keeping_nan(at_least_keeping_nan(integer, lowest), highest);
    auto difference = shift.taken_from(code);
    // Only sums can be seen, and they begin at +0.
    const auto summed = [](Real term) { return add(constant(0, term), term); };
    if (!is_between(integer, lowest, highest)) {
      auto towards_scale = multiply(multiply(dy, difference), grad_factor);
      auto towards_zero_point = multiply(multiply(negate(dy), scale), grad_factor);
      return {multiply(dy, constant(0, dy)), summed(towards_scale), summed(towards_zero_point)};
    }
    auto error = contraction == Contraction::fma ? fused_multiply_add(difference, scale, negate(x))
                                                 : subtract(multiply(difference, scale), x);
    auto towards_scale = multiply(multiply(multiply(dy, error), inverse), grad_factor);
    return {multiply(dy, constant(1, dy)), summed(towards_scale), constant(0, dy)};
  }
};

/// The terms of every element, and their sums over `slices`.
template <class Terms, Spread slices>
ProgramCalls gradients_program(const Arguments& arguments) {
  ProgramCalls calls{{elementwise<Terms>(),
                      {{"x", "x"}, {"dy", "dy"}},
                      same_named(Terms::signature),
                      {{"dx", "dx"}, {"dscale_terms", "dscale_terms"}, {"dzero_point_terms", "dzero_point_terms"}}}};
  for (const std::string gradient : {"dscale", "dzero_point"}) {
    ProgramCall sum{reduction<Sum<slices>>(), {{"terms", gradient + "_terms"}}, {}, {{"sum", gradient}}};
    if (slices == Spread::along_axis) sum.parameters.emplace_back("axis", FromValue{"axis"});
    calls.push_back(std::move(sum));
  }
  if (element_count(arguments.shape) == 0) calls.push_back(gradients_of_nothing_call());
  return calls;
}

}  // namespace qassay::pytorch
