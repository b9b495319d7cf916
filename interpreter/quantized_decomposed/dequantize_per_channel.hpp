#pragma once

#include "interpreter/elementwise.hpp"
#include "interpreter/quantized_decomposed/parameters.hpp"

namespace qassay::quantized_decomposed {

/// The type in which torch subtracts integers of two types.
inline Type promoted(Type a, Type b) {
  if (a == b) return a;
  if (row(a).bits == row(b).bits) return Type::int16;  // int8 and uint8
  return row(a).bits > row(b).bits ? a : b;
}

/// quantized_decomposed.dequantize_per_channel, one element. Codes and zero points are subtracted as integers of their
/// common type, and the type of the scales is the type of the multiplication.
struct dequantize_per_channel {
  inline static const Signature signature{
      .id = "quantized_decomposed.dequantize_per_channel",
      .summary = "y = (q - zero_point) * scale, the difference in the integers' common type",
      .inputs = {{"q", kSubtractableTypes, "codes, any shape"}},
      .parameters = {scales_parameter(Spread::along_axis), zero_points_parameter(Spread::along_axis, kZeroPointTypes),
                     axis_parameter(), quant_min_parameter("lowest"), quant_max_parameter("highest"),
                     real_output_parameter("out_dtype")},
      .outputs = {{"y", OutputRule::of_dtype, {}, "shaped like q"}},
      .steps = {{"difference", "in the common type of q and zero_points, its low bits; exact with int64"},
                {"converted", "to the type of the scales, rounded once where it does not fit"},
                {"product", "one multiplication in that type"},
                {"y", "converted to its type, from binary64 to 16 bits by way of binary32"}},
      .edges =
          "int8 codes with int8 zero points wrap: 127 - -128 is -1; so do uint8 with uint8 (3 - 5 is 254) and int32 "
          "with anything but int64.",
      .source = "torch/ao/quantization/fx/_decomposed.py, dequantize_per_channel",
      .verified = "torch 2.13.0",
  };

  /// With zero points of int64, the usual ones.
  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Integer<Real>;
    Real scale;
    Integer<Real> zero_point;
    bool is_binary64;

    static Element at(const Values<Real>& values) {
      return {values.real(Role::scale), values.integer(Role::zero_point), values.dtype() == Type::float64};
    }
    QASSAY_STEP auto operator()(Input q) const {
      auto difference = subtract_exact(q, zero_point);
      auto converted = in_format_of(scale, difference);
      auto product = multiply(converted, scale);
      return is_binary64 ? product : in_format_of(product, to_binary32(product));
    }
  };

  template <class Real>
  struct WrappingElement {
    using Number = Real;
    using Input = Integer<Real>;
    Real scale;
    Integer<Real> zero_point;
    CodeRange common;
    bool is_binary64;

    static WrappingElement at(const Values<Real>& values) {
      const Type type = promoted(values.input_type(), values.own_type(Role::zero_point));
      return {values.real(Role::scale), values.integer(Role::zero_point), code_range(type),
              values.dtype() == Type::float64};
    }
    QASSAY_STEP auto operator()(Input q) const {
      auto difference = wrap(subtract_wrapping(q, zero_point), common);
      auto converted = from_integer(difference, scale);
      auto product = multiply(converted, scale);
      return is_binary64 ? product : in_format_of(product, to_binary32(product));
    }
  };

  static void check(const Arguments& arguments) { check_range_fits(arguments, arguments.input_type); }

  static auto select(const Arguments& arguments, auto run) {
    const bool is_wide = arguments.own_type(Role::scale) == Type::float64;
    if (arguments.own_type(Role::zero_point) == Type::int64) {
      return is_wide ? run.template operator()<Element, double>() : run.template operator()<Element, float>();
    }
    return is_wide ? run.template operator()<WrappingElement, double>()
                   : run.template operator()<WrappingElement, float>();
  }
};

}  // namespace qassay::quantized_decomposed
