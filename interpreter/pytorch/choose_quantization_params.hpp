#pragma once

#include "interpreter/pytorch/parts.hpp"

namespace qassay::pytorch {

/// Scales below this are raised to it.
inline constexpr float kSmallestScale = 6.1e-5F;

/// Where the two versions of the rule part.
enum class ScaleFormat : std::uint8_t { binary32, binary64 };
enum class ErrorTerm : std::uint8_t { sum, difference };

/// Scale and zero point from a range of values. The two dialects in torch share all but two points, and ExecuTorch's
/// kernels all but the last rounding.
template <class Real, ScaleFormat scale_format, ErrorTerm error_term>
struct ChosenParameters {
  using Number = Real;
  using Input = Real;
  Single<Real> minimum;
  Single<Real> maximum;
  CodeRange codes;
  bool preserve_sparsity;

  /// The scale, and the zero point before it is limited and rounded.
  QASSAY_STEP auto scale_and_candidate() const {
    const auto number = [&](std::int64_t n) { return constant(static_cast<double>(n), to_binary64(minimum)); };
    const auto zero = constant(0, minimum);
    auto low = minimum;
    auto high = maximum;
    const bool is_made_symmetric = preserve_sparsity && is_below(low, zero) && is_below(zero, high);
    if (is_made_symmetric) {
      const std::int64_t half = (codes.highest - codes.lowest) / 2;
      auto below = constant(static_cast<double>(-(half + 1)), low);
      auto above = constant(static_cast<double>(half), high);
      auto from_low = to_binary64(absolute(divide(low, below)));
      auto from_high = to_binary64(absolute(divide(high, above)));
      auto largest = is_below(from_low, from_high) ? from_high : from_low;
      low = to_binary32(multiply(largest, to_binary64(below)));
      high = to_binary32(multiply(largest, to_binary64(above)));
    }
    low = at_most_keeping_nan(low, zero);
    high = at_least_keeping_nan(high, zero);

    auto scale = divide(subtract(to_binary64(high), to_binary64(low)), number(codes.highest - codes.lowest));
    auto single_scale = to_binary32(scale);
    if (is_equal(single_scale, zero) || is_infinite(reciprocal(single_scale))) {
      single_scale = constant(0.1F, single_scale);
      scale = scale_format == ScaleFormat::binary32 ? to_binary64(single_scale) : constant(0.1, scale);
    }
    if constexpr (scale_format == ScaleFormat::binary32) scale = to_binary64(single_scale);
    if (is_below(scale, constant(kSmallestScale, scale))) {
      const auto smallest = constant(kSmallestScale, low);
      auto reach = multiply(smallest, to_binary32(number(codes.highest - codes.lowest)));
      auto amplifier = divide(smallest, single_scale);
      const bool is_above_zero = is_equal(low, zero);
      const bool is_below_zero = is_equal(high, zero);
      if (is_above_zero) {
        high = reach;
      } else if (is_below_zero) {
        low = negate(reach);
      } else {
        low = multiply(low, amplifier);
        high = multiply(high, amplifier);
      }
      scale = to_binary64(smallest);
    }

    auto steps_low = divide(to_binary64(low), scale);
    auto steps_high = divide(to_binary64(high), scale);
    auto from_low = subtract(number(codes.lowest), steps_low);
    auto from_high = subtract(number(codes.highest), steps_high);
    auto error = [&](auto end, auto steps) {
      return error_term == ErrorTerm::sum ? add(absolute(end), absolute(steps))
                                          : subtract(absolute(end), absolute(steps));
    };
    const bool takes_low = is_below(error(number(codes.lowest), steps_low), error(number(codes.highest), steps_high));
    auto zero_point = takes_low ? from_low : from_high;
    if (preserve_sparsity && is_below(low, zero) && is_below(zero, high))
      zero_point = divide(number(codes.lowest + codes.highest), number(2));
    return std::tuple(scale, zero_point);
  }

  QASSAY_STEP auto operator()() const {
    const auto [scale, candidate] = scale_and_candidate();
    auto raised = at_least_keeping_nan(candidate, constant(static_cast<double>(codes.lowest), candidate));
    auto limited = at_most_keeping_nan(raised, constant(static_cast<double>(codes.highest), candidate));
    return std::tuple(scale, truncate_to_int32(round_half_even(limited)));
  }
};

/// Beyond int32 torch's own difference overflows.
inline void check_span_of_codes(const Arguments& arguments) {
  const std::int64_t span = arguments.whole(Role::quant_max) - arguments.whole(Role::quant_min);
  if (span <= INT32_MAX) return;
  throw RequestError(ErrorKind::out_of_domain, fmt::format("{}: qmax - qmin is {}; expected at most {}",
                                                           arguments.signature->id, span, INT32_MAX));
}

inline const std::vector<Step> kChoosingSteps{
    {"made symmetric",
     "under preserve_sparsity, if 0 lies inside: n = (qmax - qmin) / 2; largest = max(|min / -(n + 1)|, "
     "|max / n|); min = -(n + 1) * largest, max = n * largest"},
    {"extended", "so that the range holds 0"},
    {"scale", "(max - min) / (qmax - qmin) in binary64; 0.1 where it or its reciprocal vanishes in binary32"},
    {"raised", "to 6.1e-5, and min and max with it"},
    {"candidates", "qmin - min / scale and qmax - max / scale in binary64"},
    {"zero_point",
     "the candidate of the smaller error term; the middle of the codes for a symmetric range; limited, "
     "then rounded half to even"}};

/// FBGEMM's ChooseQuantizationParams, which torch's fused operators call.
struct ChooseQuantizationParams {
  inline static const Signature signature{
      .id = "pytorch.ChooseQuantizationParams",
      .summary = "scale = (max - min) / (qmax - qmin), at least 6.1e-5; zero_point = clamp(qmin - min / scale)",
      .inputs = {},
      .parameters = {minimum_parameter("min"),
                     maximum_parameter("max"),
                     quant_min_parameter("qmin"),
                     quant_max_parameter("qmax"),
                     {.name = "preserve_sparsity",
                      .role = Role::symmetry,
                      .kind = ParameterKind::boolean,
                      .fallback = "false",
                      .about = "makes a range symmetric, if it has 0 inside"}},
      .outputs = {{"scale", OutputRule::fixed, Type::float32, "shaped like min"},
                  {"zero_point", OutputRule::fixed, Type::int32, "shaped like min"}},
      .steps = kChoosingSteps,
      .edges =
          "NaN gives scale NaN and zero point INT_MIN; min above max is not refused. The scale is rounded to "
          "binary32 before it is used; the error terms are sums.",
      .source = "FBGEMM src/QuantUtils.cc, ChooseQuantizationParams",
      .verified = "torch 2.13.0",
  };
  static constexpr std::size_t input_count = 0;

  template <class Real>
  struct Element : ChosenParameters<Real, ScaleFormat::binary32, ErrorTerm::sum> {
    static Element at(const Values<Real>& values) {
      return {{values.binary32(Role::minimum),
               values.binary32(Role::maximum),
               {values.raw_whole(Role::quant_min), values.raw_whole(Role::quant_max)},
               values.raw_whole(Role::symmetry) != 0}};
    }
  };

  static void check(const Arguments& arguments) { check_span_of_codes(arguments); }
};

}  // namespace qassay::pytorch
