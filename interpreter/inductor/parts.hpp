// Parts of the formulas of torch.compile's CPU code.
#pragma once

#include "interpreter/elementwise.hpp"
#include "interpreter/quantized_decomposed/parameters.hpp"

namespace qassay::inductor {

/// Inductor has no float16 code for these operators.
inline const std::vector<Type> kRealTypes{Type::float32, Type::bfloat16};

/// From the inverse of the scale to the code. Only the last cast differs from quantized_decomposed: for int8 it
/// saturates.
template <class Real>
struct CodeOfProduct {
  Integer<Real> zero_point;
  Integer<Real> quant_min;
  Integer<Real> quant_max;
  CodeRange range;
  bool saturates;

  static CodeOfProduct at(const Values<Real>& values) {
    return {values.integer(Role::zero_point), values.whole(Role::quant_min), values.whole(Role::quant_max),
            values.codes(Role::dtype), values.dtype() == Type::int8};
  }
  QASSAY_STEP auto operator()(Real x, Real inverse) const {
    auto product = multiply(x, inverse);
    auto rounded = round_half_even(product);
    auto shifted = add(rounded, integer_to_binary32(zero_point));
    auto raised = at_least_keeping_nan(shifted, integer_to_binary32(quant_min));
    auto limited = at_most_keeping_nan(raised, integer_to_binary32(quant_max));
    auto integer = truncate_to_int32(limited);
    return saturates ? saturate(integer, range) : wrap(integer, range);
  }
};

inline const std::vector<Step> kQuantizingSteps{
    {"product", "x * inverse, one binary32 multiplication"},
    {"rounded", "to an integral value, ties to even"},
    {"shifted", "zero point added in binary32, one rounding"},
    {"raised", "to at least quant_min; NaN stays"},
    {"limited", "to at most quant_max, rounded to binary32; NaN stays"},
    {"integer", "to int32; NaN and what does not fit give INT_MIN"},
    {"code", "saturated to int8; the low bits for the other types"},
};

/// Whatever the types of codes, zero points and y: binary32, and one rounding to y's type in the end.
template <class Real>
struct DequantizeElement {
  using Number = Real;
  using Input = Integer<Real>;
  Single<Real> scale;
  Integer<Real> zero_point;

  static DequantizeElement at(const Values<Real>& values) {
    return {values.binary32(Role::scale), values.integer(Role::zero_point)};
  }
  QASSAY_STEP auto operator()(Input q) const {
    auto converted = integer_to_binary32(q);
    auto difference = subtract(converted, integer_to_binary32(zero_point));
    return multiply(difference, scale);
  }
};

inline const std::vector<Step> kDequantizingSteps{
    {"converted", "q and zero point to binary32, rounded where they do not fit"},
    {"difference", "one binary32 subtraction"},
    {"product", "times the scale rounded to binary32, one binary32 multiplication"},
    {"y", "rounded to its type"},
};

/// To the nearest integral value, ties away from zero.
template <class Real>
QASSAY_STEP Real round_half_away(Real a) {
  auto even = round_half_even(a);
  auto rest = subtract(a, even);  // exact
  const bool is_tie_towards_zero =
      is_equal(absolute(rest), constant(0.5, rest)) && is_below(absolute(even), absolute(a));
  return is_tie_towards_zero ? add(even, add(rest, rest)) : even;
}

}  // namespace qassay::inductor
