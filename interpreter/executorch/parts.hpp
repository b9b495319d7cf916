// Parts of ExecuTorch's formulas.
#pragma once

#include "interpreter/elementwise.hpp"
#include "interpreter/program.hpp"
#include "interpreter/pytorch/choose_quantization_params.hpp"
#include "interpreter/quantized_decomposed/parameters.hpp"
#include "interpreter/reduction.hpp"

namespace qassay::executorch {

/// What the kernels read and write.
inline const std::vector<Type> kRealTypes{Type::float32, Type::float16};
inline const std::vector<Type> kZeroPointTypes{Type::int64, Type::int32};
inline Parameter real_output_parameter(std::string_view name) {
  Parameter parameter = quantized_decomposed::real_output_parameter(name);
  parameter.types = {Type::float32, Type::float16, Type::float64};
  return parameter;
}

/// quantize_val: the arithmetic of all quantize kernels.
template <class Real>
struct QuantizeElement {
  using Number = Real;
  using Input = Real;
  Single<Real> scale;
  Integer<Real> zero_point;
  CodeRange range;

  static QuantizeElement at(const Values<Real>& values) {
    return {values.binary32(Role::scale),
            values.integer(Role::zero_point),
            {values.raw_whole(Role::quant_min), values.raw_whole(Role::quant_max)}};
  }
  QASSAY_STEP auto operator()(Real x) const {
    auto inverse = reciprocal(scale);
    auto product = multiply(inverse, x);
    auto rounded = round_half_even(product);
    auto shifted = add(integer_to_binary32(zero_point), rounded);
    return saturate(truncate_to_int64(shifted), range);
  }
};

inline constexpr std::string_view kQuantizingSummary =
    "q = clamp(int64(zero_point + round_half_even(x * (1 / binary32(scale)))), quant_min, quant_max)";
inline const std::vector<Step> kQuantizingSteps{
    {"inverse", "1 / scale, one binary32 division; the scale is rounded first"},
    {"product", "inverse * x, one binary32 multiplication"},
    {"rounded", "to an integral value, ties to even"},
    {"shifted", "zero point added in binary32, one rounding"},
    {"integer", "to int64; NaN and what does not fit give INT64_MIN"},
    {"code", "limited to [quant_min, quant_max]"},
};
inline constexpr std::string_view kQuantizingEdges =
    "NaN, +inf and sums of 2^63 and more give quant_min; between quant_max and 2^63 it is quant_max. The process ends "
    "at "
    "a range that leaves the type; zero points are not checked.";

/// The arithmetic of the dequantize kernels: integers are subtracted, and binary32 is the type of the product.
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
    auto difference = subtract_wrapping(q, zero_point);
    auto converted = integer_to_binary32(difference);
    return multiply(converted, scale);
  }
};

inline constexpr std::string_view kDequantizingSummary = "y = binary32(int32(q - zero_point)) * binary32(scale)";
inline const std::vector<Step> kDequantizingSteps{
    {"difference", "q - zero_point in int32, modulo 2^32"},
    {"converted", "to binary32, rounded where it does not fit"},
    {"product", "times the scale rounded to binary32, one binary32 multiplication"},
    {"y", "rounded to its type"},
};

/// The kernels want one scale and one zero point for each slice, and no scalar for all.
inline void check_one_for_each_slice(const Arguments& arguments, std::int64_t slices) {
  for (const Role role : {Role::scale, Role::zero_point}) {
    const std::int64_t count = element_count(arguments[role].tensor->shape());
    if (count == slices) continue;
    throw RequestError(ErrorKind::wrong_shape,
                       fmt::format("{}: {}: has {} values, expected {}", arguments.signature->id,
                                   arguments.signature->parameter(role)->name, count, slices));
  }
}
inline std::int64_t channel_count(const Arguments& arguments) {
  const auto rank = static_cast<std::int64_t>(arguments.shape.size());
  const std::int64_t axis = arguments.whole(Role::axis);
  return arguments.shape[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)];
}
inline std::int64_t token_count(const Arguments& arguments) {
  std::int64_t count = 1;
  for (std::size_t d = 0; d + 1 < arguments.shape.size(); ++d) count *= arguments.shape[d];
  return count;
}
/// Only the vectorised kernel from int8 to float32 looks at zero points.
inline void check_zero_points_are_codes(const Arguments& arguments) {
  if (arguments.input_type != Type::int8 || arguments.type(Role::dtype) != Type::float32) return;
  const std::int64_t low = arguments.whole(Role::quant_min);
  const std::int64_t high = arguments.whole(Role::quant_max);
  const Tensor& zero_points = *arguments[Role::zero_point].tensor;
  for (std::size_t i = 0; i < zero_points.size(); ++i) {
    const std::int64_t zero_point = arguments.integer(Role::zero_point, {i});
    if (low <= zero_point && zero_point <= high) continue;
    throw RequestError(ErrorKind::out_of_domain, fmt::format("{}: zero_points: {} is outside [{}, {}]",
                                                             arguments.signature->id, zero_point, low, high));
  }
}

/// The smallest and the largest element as they are found by comparing: a NaN is passed over, but not in first place.
template <Spread slices>
struct FoundRange {
  inline static const Signature signature{
      .id = "executorch.found_range",
      .summary = "lowest = min(x), highest = max(x)",
      .kind = FormulaKind::reduce,
      .inputs = {{"x", {Type::float32}, "any shape"}},
      .parameters = {},
      .outputs = {{"lowest", OutputRule::fixed, Type::float32, ""}, {"highest", OutputRule::fixed, Type::float32, ""}},
      .slices = slices,
      .steps = {{"minimum", ""}, {"maximum", ""}},
  };
  template <class Real>
  static std::array<Real, 2> reduce(std::span<const Real> x) {
    Real lowest = x.front();
    Real highest = x.front();
    for (const Real& value : x) {
      if (is_below(value, lowest)) lowest = value;
      if (is_below(highest, value)) highest = value;
    }
    return {lowest, highest};
  }
};

/// Scale and zero point of a range: PyTorch's rule for dynamic quantization, with another last rounding.
struct ChosenParameters {
  inline static const Signature signature{
      .id = "executorch.chosen_parameters",
      .summary = "scale and zero point of a range",
      .inputs = {},
      .parameters = {{.name = "lowest", .role = Role::minimum, .kind = ParameterKind::real},
                     {.name = "highest", .role = Role::maximum, .kind = ParameterKind::real},
                     quantized_decomposed::quant_min_parameter(),
                     quantized_decomposed::quant_max_parameter()},
      .outputs = {{"scale", OutputRule::fixed, Type::float64, ""}, {"zero_point", OutputRule::fixed, Type::int64, ""}},
      .steps = {},
  };
  static constexpr std::size_t input_count = 0;

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Real;
    pytorch::ChosenParameters<Real, pytorch::ScaleFormat::binary64, pytorch::ErrorTerm::difference> chosen;
    Integer<Real> quant_min;
    Integer<Real> quant_max;

    static Element at(const Values<Real>& values) {
      return {{values.binary32(Role::minimum),
               values.binary32(Role::maximum),
               {values.raw_whole(Role::quant_min), values.raw_whole(Role::quant_max)},
               false},
              values.whole(Role::quant_min),
              values.whole(Role::quant_max)};
    }
    QASSAY_STEP auto operator()() const {
      const auto [scale, candidate] = chosen.scale_and_candidate();
      auto rounded = truncate_to_int32(round_half_even(to_binary32(candidate)));
      if (is_below(candidate, integer_to_binary64(quant_min))) rounded = quant_min;
      else if (is_below(integer_to_binary64(quant_max), candidate)) rounded = quant_max;
      return std::tuple(scale, rounded);
    }
  };

  /// The process ends at a scale that is not positive. The codes' distance is an int32.
  static void check(const Arguments& arguments) {
    const std::int64_t span = arguments.whole(Role::quant_max) - arguments.whole(Role::quant_min);
    if (span <= 0 || span > INT32_MAX) {
      throw RequestError(ErrorKind::out_of_domain, fmt::format("{}: quant_max - quant_min is {}; expected 1 to {}",
                                                               arguments.signature->id, span, INT32_MAX));
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(element_count(arguments.shape)); ++i) {
      const double lowest = arguments.real(Role::minimum, {i});
      if (lowest == lowest) continue;
      throw RequestError(ErrorKind::out_of_domain,
                         fmt::format("{}: x begins with NaN, and the scale is not positive", arguments.signature->id));
    }
  }
};

inline const std::vector<Step> kChoosingSteps{
    {"lowest", "the smallest element; a NaN is passed over"},
    {"highest", "the largest element; a NaN is passed over"},
    {"extended", "so that the range holds 0"},
    {"scale",
     "(highest - lowest) / (quant_max - quant_min) in binary64; 0.1 where it or its reciprocal vanishes in "
     "binary32"},
    {"raised", "to 6.1e-5, and the range with it"},
    {"candidates", "quant_min - lowest / scale and quant_max - highest / scale in binary64"},
    {"candidate", "that of the smaller |quant_min| - |lowest / scale| or |quant_max| - |highest / scale|"},
    {"zero_point", "quant_min or quant_max for a candidate beyond; else rounded to binary32 and then half to even"},
};

/// The range of every slice, and scale and zero point from it.
template <Spread slices>
ProgramCalls found_range_and_choice(ProgramSource quant_min, ProgramSource quant_max) {
  return {
      {reduction<FoundRange<slices>>(), {{"x", "x"}}, {}, {{"lowest", "lowest"}, {"highest", "highest"}}},
      {elementwise<ChosenParameters>(),
       {},
       {{"lowest", FromValue{"lowest"}},
        {"highest", FromValue{"highest"}},
        {"quant_min", std::move(quant_min)},
        {"quant_max", std::move(quant_max)}},
       {{"scale", "scale"}, {"zero_point", "zero_point"}}},
  };
}

}  // namespace qassay::executorch
