#pragma once

#include "interpreter/executorch/parts.hpp"

namespace qassay::executorch {

/// XNNPACK takes positive normal binary32 scales, zero points of int8, and six dimensions.
inline void check_xnnpack_takes(const Arguments& arguments) {
  const auto refuse = [&](std::string_view name, std::string_view what) {
    throw RequestError(ErrorKind::out_of_domain, fmt::format("{}: {}: {}", arguments.signature->id, name, what));
  };
  const auto scale = static_cast<float>(arguments.real(Role::scale, {}));
  const bool is_normal = scale >= std::numeric_limits<float>::min() && scale <= std::numeric_limits<float>::max();
  if (!is_normal) refuse("scale", "must be positive, finite and normal in binary32");
  if (!code_range(Type::int8).contains(arguments.integer(Role::zero_point, {}))) refuse("zero_point", "is no int8");
  if (arguments.shape.size() > 6) refuse(arguments.signature->inputs[0].name, "has more than six dimensions");
}

/// XNNPACK's convert from float32 to int8, which the delegate makes of quantized_decomposed.quantize_per_tensor; one
/// element.
struct xnnpack_quantize_per_tensor {
  inline static const Signature signature{
      .id = "executorch.xnnpack_quantize_per_tensor",
      .summary = "q = saturate(int16(round_half_even(min(x * (1 / binary32(scale)), 127 - zero_point))) + zero_point)",
      .inputs = {{"x", {Type::float32}, "up to six dimensions"}},
      .parameters = {quantized_decomposed::scale_parameter(),
                     quantized_decomposed::zero_point_parameter(),
                     quantized_decomposed::quant_min_parameter("lowest"),
                     quantized_decomposed::quant_max_parameter("highest"),
                     {.name = "dtype",
                      .role = Role::dtype,
                      .kind = ParameterKind::dtype,
                      .fallback = "int8",
                      .types = {Type::int8},
                      .about = "the type of the codes"}},
      .outputs = {{"q", OutputRule::of_dtype, {}, "codes, shaped like x"}},
      .steps = {{"inverse", "1 / scale, one binary32 division; the scale is rounded first"},
                {"product", "x * inverse, one binary32 multiplication"},
                {"limited", "to at most 127 - zero point; NaN becomes that"},
                {"rounded", "to an integral value, ties to even"},
                {"integer", "to int32, below its range INT_MIN"},
                {"narrowed", "saturated to int16"},
                {"shifted", "zero point added, saturated to int16"},
                {"code", "saturated to int8"}},
      .edges = "NaN gives 127, as +inf does. quant_min and quant_max have no effect.",
      .source = "XNNPACK/src/f32-qs8-vcvt/avx512skx.c.in and avx2.c.in",
      .verified = "executorch 1.5.1",
  };

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Real;
    Single<Real> scale;
    Integer<Real> zero_point;
    Single<Real> highest;

    static Element at(const Values<Real>& values) {
      return {values.binary32(Role::scale), values.integer(Role::zero_point),
              values.single(127 - values.raw_integer(Role::zero_point))};
    }
    QASSAY_STEP auto operator()(Real x) const {
      auto inverse = reciprocal(scale);
      auto product = multiply(x, inverse);
      auto limited = at_most_or_bound_if_nan(product, highest);
      auto rounded = round_half_even(limited);
      auto narrowed = saturate(truncate_to_int32(rounded), code_range(Type::int16));
      auto shifted = saturate(add_exact(narrowed, zero_point), code_range(Type::int16));
      return saturate(shifted, code_range(Type::int8));
    }
  };

  static void check(const Arguments& arguments) { check_xnnpack_takes(arguments); }
};

}  // namespace qassay::executorch
