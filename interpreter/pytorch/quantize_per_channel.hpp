#pragma once

#include "interpreter/elementwise.hpp"
#include "interpreter/pytorch/parameters.hpp"

namespace qassay::pytorch {

/// torch.quantize_per_channel on CPU, one element: the scalar kernel, all types.
struct quantize_per_channel {
  inline static const Signature signature{
      .id = "pytorch.quantize_per_channel",
      .summary = "q = clip(round_half_even(x * (1 / scale)) + zero_point)",
      .inputs = {{"x", {Type::float32}, "any shape"}},
      .parameters = {scales_parameter(), zero_points_parameter(Within::output_type), axis_parameter(),
                     dtype_parameter()},
      .outputs = {{"q", OutputRule::of_dtype, {}, "codes, shaped like x"}},
      .steps = {{"scale", "rounded to binary32"},
                {"inverse", "1 / scale, one binary32 division"},
                {"product", "x * inverse, one binary32 multiplication"},
                {"rounded", "to an integral value, ties to even"},
                {"shifted", "zero point added in binary32, one rounding"},
                {"raised", "to at least the lowest code, in binary64; NaN stays"},
                {"limited", "to at most the highest code; NaN stays"},
                {"code", "to int32 and its low bits; NaN gives INT_MIN, so 0 in 8 bits"}},
      .edges = "NaN gives 0 (INT_MIN for qint32); infinities saturate.",
      .source = "FBGEMM include/fbgemm/QuantUtils.h, Quantize; torch 2.12.1 and 2.14.1",
      .verified = {},
  };

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Real;
    Double<Real> scale;
    Integer<Real> zero_point;
    Integer<Real> lowest;
    Integer<Real> highest;
    CodeRange range;

    static Element at(const Values<Real>& values) {
      const CodeRange range = values.codes(Role::dtype);
      return {values.binary64(Role::scale), values.integer(Role::zero_point), values.number(range.lowest),
              values.number(range.highest), range};
    }
    QASSAY_STEP auto operator()(Real x) const {
      auto inverse = reciprocal(to_binary32(scale));
      auto product = multiply(x, inverse);
      auto rounded = round_half_even(product);
      auto shifted = to_binary64(add(integer_to_binary32(zero_point), rounded));
      auto raised = at_least_keeping_nan(shifted, integer_to_binary64(lowest));
      auto limited = at_most_keeping_nan(raised, integer_to_binary64(highest));
      return wrap(truncate_to_int32(limited), range);
    }
  };
};

/// torch.quantize_per_channel as torch 2.13 computes it: the zero point is added before rounding, not fused.
struct quantize_per_channel_2_13 {
  inline static const Signature signature{
      .id = "pytorch.quantize_per_channel@2.13",
      .summary = "q = clip(round_half_even(zero_point + x * (1 / scale)))",
      .inputs = quantize_per_channel::signature.inputs,
      .parameters = quantize_per_channel::signature.parameters,
      .outputs = quantize_per_channel::signature.outputs,
      .steps = {{"scale", "rounded to binary32"},
                {"inverse", "1 / scale, one binary32 division"},
                {"product", "x * inverse, one binary32 multiplication"},
                {"shifted", "zero point added in binary32, one rounding"},
                {"rounded", "to an integral value, ties to even"},
                {"raised", "to at least the lowest code, in binary64; NaN stays"},
                {"limited", "to at most the highest code; NaN stays"},
                {"code", "to int32 and its low bits; NaN gives INT_MIN, so 0 in 8 bits"}},
      .edges = quantize_per_channel::signature.edges,
      .source = "FBGEMM include/fbgemm/QuantUtils.h, Quantize with LEGACY; torch 2.13.0",
      .verified = "torch 2.13.0",
  };

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Real;
    Double<Real> scale;
    Integer<Real> zero_point;
    Integer<Real> lowest;
    Integer<Real> highest;
    CodeRange range;

    static Element at(const Values<Real>& values) {
      const CodeRange range = values.codes(Role::dtype);
      return {values.binary64(Role::scale), values.integer(Role::zero_point), values.number(range.lowest),
              values.number(range.highest), range};
    }
    QASSAY_STEP auto operator()(Real x) const {
      auto inverse = reciprocal(to_binary32(scale));
      auto product = multiply(x, inverse);
      auto shifted = add(integer_to_binary32(zero_point), product);
      auto rounded = to_binary64(round_half_even(shifted));
      auto raised = at_least_keeping_nan(rounded, integer_to_binary64(lowest));
      auto limited = at_most_keeping_nan(raised, integer_to_binary64(highest));
      return wrap(truncate_to_int32(limited), range);
    }
  };
};

}  // namespace qassay::pytorch
