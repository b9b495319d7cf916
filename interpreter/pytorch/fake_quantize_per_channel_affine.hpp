#pragma once

#include "interpreter/elementwise.hpp"
#include "interpreter/pytorch/parameters.hpp"

namespace qassay::pytorch {

/// torch.fake_quantize_per_channel_affine on CPU, one element. With an integer zero point rounding comes before it is
/// added, with a floating one after; there the compiler fuses product and sum where the build has FMA.
struct fake_quantize_per_channel_affine {
  inline static const Signature signature{
      .id = "pytorch.fake_quantize_per_channel_affine",
      .summary =
          "y = (clamp(int64(zero_point + round_half_even(x * (1 / scale))), quant_min, quant_max) - zero_point) * "
          "scale",
      .inputs = {{"x", {Type::float32, Type::float16, Type::bfloat16, Type::float64}, "any shape"}},
      .parameters = {{.name = "scale",
                      .role = Role::scale,
                      .kind = ParameterKind::real,
                      .own_type = OwnType::float32,
                      .spread = Spread::along_axis,
                      .about = "one for each slice along axis"},
                     {.name = "zero_point",
                      .role = Role::zero_point,
                      .kind = ParameterKind::integer_or_real,
                      .own_type = OwnType::float32,
                      .within = Within::quant_range,
                      .spread = Spread::along_axis,
                      .about = "one for each slice along axis; floating ones are neither rounded nor checked"},
                     axis_parameter(),
                     quant_min_parameter(),
                     quant_max_parameter(),
                     {.name = "zero_point_dtype",
                      .role = Role::zero_point_dtype,
                      .kind = ParameterKind::dtype,
                      .fallback = "int32",
                      .types = {Type::int32, Type::float32},
                      .about = "the type of zero_point"},
                     {.name = "contraction",
                      .role = Role::contraction,
                      .kind = ParameterKind::choice,
                      .fallback = "fma",
                      .words = {"fma", "none"},
                      .about =
                          "with a floating zero point: fma as AVX2 and AVX-512 builds, none as the default build"}},
      .outputs = {{"y", OutputRule::of_input, {}, "on the grid, shaped like x"},
                  {"mask", OutputRule::fixed, Type::boolean, "true where the gradient passes"}},
      .steps = {{"inverse", "1 / scale, one binary32 division"},
                {"product", "x * inverse, one binary32 multiplication"},
                {"rounded", "to an integral value, ties to even (floating zero point: after the sum)"},
                {"shifted", "zero point added, one rounding (floating zero point: fused with the product under fma)"},
                {"integer", "to int64; NaN and what is out of range become INT64_MIN"},
                {"raised", "to at least quant_min"},
                {"code", "to at most quant_max"},
                {"difference", "code - zero point, in binary64"},
                {"y", "one binary64 multiplication, then binary32 and the type of x (a binary64 x: at once)"}},
      .edges = "NaN, +inf and sums of 2^63 and more give quant_min's value, not quant_max's, with mask false.",
      .source = "aten/src/ATen/native/quantized/cpu/kernels/QuantizedOpKernels.cpp, fake_quantize_per_channel",
      .verified = "torch 2.13.0",
  };

  /// From the integer on both kinds of zero point go the same way.
  template <class Real>
  struct Grid {
    Single<Real> scale;
    Integer<Real> quant_min;
    Integer<Real> quant_max;

    QASSAY_STEP std::tuple<Real, bool> operator()(Real x, Double<Real> integer, Double<Real> zero_point) const {
      auto low = integer_to_binary64(quant_min);
      auto high = integer_to_binary64(quant_max);
      auto raised = at_least_or_bound_if_nan(integer, low);
      auto code = at_most_or_bound_if_nan(raised, high);
      auto y = in_format_of(x, multiply(subtract(code, zero_point), to_binary64(scale)));
      return {y, is_between(integer, low, high)};
    }
  };

  template <class Real>
  struct IntegerZeroPoint {
    using Number = Real;
    using Input = Real;
    Grid<Real> grid;
    Integer<Real> zero_point;

    static IntegerZeroPoint at(const Values<Real>& values) {
      return {{values.binary32(Role::scale), values.whole(Role::quant_min), values.whole(Role::quant_max)},
              values.integer(Role::zero_point)};
    }
    QASSAY_STEP auto operator()(Real x) const {
      auto inverse = reciprocal(grid.scale);
      auto product = multiply(x, in_format_of(x, inverse));
      auto rounded = round_half_even(product);
      auto shifted = add(from_integer(zero_point, x), rounded);
      auto integer = truncate_to_int64(shifted);
      return grid(x, integer, integer_to_binary64(zero_point));
    }
  };

  template <class Real>
  struct FloatZeroPoint {
    using Number = Real;
    using Input = Real;
    Grid<Real> grid;
    Single<Real> zero_point;
    Contraction contraction;

    static FloatZeroPoint at(const Values<Real>& values) {
      return {{values.binary32(Role::scale), values.whole(Role::quant_min), values.whole(Role::quant_max)},
              values.binary32(Role::zero_point),
              values.template choice<Contraction>(Role::contraction)};
    }
    QASSAY_STEP auto operator()(Real x) const {
      auto inverse = in_format_of(x, reciprocal(grid.scale));
      auto offset = in_format_of(x, zero_point);
      auto sum =
          contraction == Contraction::fma ? fused_multiply_add(x, inverse, offset) : add(multiply(x, inverse), offset);
      auto shifted = to_binary32(sum);
      auto rounded = round_half_even(shifted);
      auto integer = truncate_to_int64(rounded);
      return grid(x, integer, to_binary64(zero_point));
    }
  };

  static void check(const Arguments& arguments) {
    if (arguments.type(Role::zero_point_dtype) == Type::int32) check_has_channels(arguments);
  }

  static auto select(const Arguments& arguments, auto run) {
    const bool is_wide = arguments.input_type == Type::float64;
    if (arguments.type(Role::zero_point_dtype) == Type::float32) {
      return is_wide ? run.template operator()<FloatZeroPoint, double>()
                     : run.template operator()<FloatZeroPoint, float>();
    }
    return is_wide ? run.template operator()<IntegerZeroPoint, double>()
                   : run.template operator()<IntegerZeroPoint, float>();
  }
};

}  // namespace qassay::pytorch
