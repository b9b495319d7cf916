#pragma once

#include "interpreter/elementwise.hpp"
#include "interpreter/onnx/parameters.hpp"

namespace qassay::onnx_reference {

enum class AccumulatorOp : std::uint8_t { conv, matmul };

inline std::vector<Parameter> requantize_parameters() {
  std::vector<Parameter> parameters = onnx::requantize_parameters();
  parameters.push_back({.name = "op",
                        .role = Role::accumulator_op,
                        .kind = ParameterKind::choice,
                        .fallback = "conv",
                        .words = {"conv", "matmul"},
                        .about = "QLinearConv limits before it rounds, QLinearMatMul after"});
  return parameters;
}

/// What QLinearConv and QLinearMatMul of onnx.reference.ReferenceEvaluator do to an int32 accumulator, one element:
/// NumPy scales it in binary64, and the zero point is added before rounding.
struct requantize {
  inline static const Signature signature{
      .id = "onnx_reference.requantize",
      .summary =
          "y = round_half_even(acc * ((x_scale * w_scale) / y_scale) + y_zero_point), limited to the output type",
      .inputs = {{"acc", {Type::int32}, "accumulators, any shape"}},
      .parameters = requantize_parameters(),
      .outputs = {{"y", OutputRule::of_dtype, {}, "codes, shaped like acc"}},
      .steps = {{"product", "x_scale * w_scale, one binary32 multiplication"},
                {"multiplier", "product / y_scale, one binary32 division"},
                {"scaled", "acc * multiplier, one binary64 multiplication"},
                {"shifted", "the zero point added, one binary64 addition"},
                {"limited", "to the output type; NaN stays (conv; after rounding for matmul)"},
                {"rounded", "to an integral value, ties to even"},
                {"code", "to int32 and its low bits"}},
      .edges = "A NaN multiplier gives code 0.",
      .source = "onnx/reference/ops/op_qlinear_conv.py, op_qlinear_matmul.py",
      .verified = "onnx 1.23.2",
  };

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Integer<Real>;
    Single<Real> x_scale;
    Single<Real> w_scale;
    Single<Real> y_scale;
    Integer<Real> y_zero_point;
    Integer<Real> lowest;
    Integer<Real> highest;
    CodeRange range;
    AccumulatorOp op;

    static Element at(const Values<Real>& values) {
      const CodeRange range = values.codes(Role::dtype);
      return {values.binary32(Role::input_scale),
              values.binary32(Role::weight_scale),
              values.binary32(Role::scale),
              values.integer(Role::zero_point),
              values.number(range.lowest),
              values.number(range.highest),
              range,
              values.template choice<AccumulatorOp>(Role::accumulator_op)};
    }
    QASSAY_STEP auto operator()(Input acc) const {
      auto product = multiply(x_scale, w_scale);
      auto multiplier = divide(product, y_scale);
      auto scaled = multiply(integer_to_binary64(acc), to_binary64(multiplier));
      auto shifted = add(scaled, integer_to_binary64(y_zero_point));
      auto result = op == AccumulatorOp::conv ? round_half_even(limited(shifted)) : limited(round_half_even(shifted));
      return wrap(truncate_to_int32(result), range);
    }
    QASSAY_STEP Double<Real> limited(Double<Real> value) const {
      return at_most_keeping_nan(at_least_keeping_nan(value, integer_to_binary64(lowest)),
                                 integer_to_binary64(highest));
    }
  };
};

}  // namespace qassay::onnx_reference
