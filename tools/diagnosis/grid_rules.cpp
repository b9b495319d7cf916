#include "tools/diagnosis/grid_rules.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace qassay {
namespace {

constexpr int kFractionBits = 31;

double binary32(double value) {
  return rounded_to(Type::float32, value);
}

std::int64_t wrapped_difference(std::int64_t code, std::int64_t zero_point, CodeRange range) {
  const std::int64_t codes = range.highest - range.lowest + 1;
  const std::int64_t place = (code - zero_point - range.lowest) % codes;
  return range.lowest + (place < 0 ? place + codes : place);
}

/// floor(a * b / 2^31 + 1/2), in int32: ties go up.
std::int32_t doubled_high_product(std::int32_t a, std::int32_t b) {
  const std::int64_t product = static_cast<std::int64_t>(a) * b;
  const std::int64_t rounded = (product + (std::int64_t{1} << (kFractionBits - 1))) >> kFractionBits;
  return static_cast<std::int32_t>(std::min<std::int64_t>(rounded, std::numeric_limits<std::int32_t>::max()));
}

std::int64_t shifted_half_up(std::int64_t value, int exponent) {
  return exponent == 0 ? value : (value + (std::int64_t{1} << (exponent - 1))) >> exponent;
}

std::int64_t shifted_half_away(std::int64_t value, int exponent) {
  return value < 0 ? -shifted_half_up(-value, exponent) : shifted_half_up(value, exponent);
}

std::int64_t scaled_fixed(std::int32_t accumulator, double multiplier, RequantizeRule::Scaling scaling) {
  using Scaling = RequantizeRule::Scaling;
  const FixedPointMultiplier fixed = fixed_point(multiplier);
  if (scaling == Scaling::fixed_single) {
    const int right = std::clamp(kFractionBits - fixed.shift, 1, 62);
    return shifted_half_up(static_cast<std::int64_t>(accumulator) * fixed.multiplier, right);
  }
  const auto left = static_cast<unsigned>(std::clamp(fixed.shift, 0, kFractionBits));
  const auto raised = static_cast<std::int32_t>(static_cast<std::uint32_t>(accumulator) << left);
  const std::int32_t high = doubled_high_product(raised, fixed.multiplier);
  const int right = std::max(-fixed.shift, 0);
  return scaling == Scaling::fixed_double ? shifted_half_away(high, right) : shifted_half_up(high, right);
}

double real_multiplier(const RequantizeScales& scales, RequantizeRule::Multiplier rule) {
  using Multiplier = RequantizeRule::Multiplier;
  switch (rule) {
    case Multiplier::binary32: break;
    case Multiplier::binary32_product: return binary32(scales.input * scales.weight) / scales.output;
    case Multiplier::binary64: return scales.input * scales.weight / scales.output;
  }
  return binary32(binary32(scales.input * scales.weight) / scales.output);
}

}  // namespace

FixedPointMultiplier fixed_point(double multiplier) {
  if (!(multiplier > 0) || !std::isfinite(multiplier)) return {};
  int shift = 0;
  const double fraction = std::frexp(multiplier, &shift);
  std::int64_t fixed = std::llround(std::ldexp(fraction, kFractionBits));
  if (fixed == std::int64_t{1} << kFractionBits) {
    fixed /= 2;
    ++shift;
  }
  if (shift < -kFractionBits) return {};
  return {static_cast<std::int32_t>(fixed), shift};
}

double dequantize(std::int64_t code, double scale, std::int64_t zero_point, Type code_type, Type output_type,
                  const DequantizeRule& rule) {
  using Difference = DequantizeRule::Difference;
  using Product = DequantizeRule::Product;
  const double narrow = binary32(scale);
  const double offset = binary32(static_cast<double>(zero_point) * narrow);
  if (rule.product == Product::folded) return binary32(binary32(static_cast<double>(code) * narrow) - offset);
  if (rule.product == Product::fused) {
    return static_cast<double>(
        __builtin_fmaf(static_cast<float>(code), static_cast<float>(narrow), static_cast<float>(-offset)));
  }
  auto difference = static_cast<double>(code - zero_point);
  switch (rule.difference) {
    case Difference::exact: break;
    case Difference::wraps_in_code_type:
      difference = static_cast<double>(wrapped_difference(code, zero_point, code_range(code_type)));
      break;
    case Difference::wraps_in_int32:
      difference = static_cast<double>(wrapped_difference(code, zero_point, code_range(Type::int32)));
      break;
    case Difference::binary32:
      difference = binary32(binary32(static_cast<double>(code)) - binary32(static_cast<double>(zero_point)));
      break;
  }
  switch (rule.product) {
    case Product::binary64: return difference * scale;
    case Product::in_output_type:
      return rounded_to(output_type, rounded_to(output_type, difference) * rounded_to(output_type, scale));
    default: return binary32(binary32(difference) * narrow);
  }
}

std::int64_t requantize(std::int32_t accumulator, const RequantizeScales& scales, std::int64_t zero_point,
                        CodeRange range, const RequantizeRule& rule) {
  using Scaling = RequantizeRule::Scaling;
  const double multiplier = real_multiplier(scales, rule.multiplier);
  const auto offset = static_cast<double>(zero_point);
  const auto exact = static_cast<double>(accumulator);
  double integral = 0;
  switch (rule.scaling) {
    case Scaling::binary32: integral = std::nearbyint(binary32(binary32(exact) * binary32(multiplier))) + offset; break;
    case Scaling::binary32_half_away:
      integral = std::round(binary32(binary32(exact) * binary32(multiplier))) + offset;
      break;
    case Scaling::binary64: integral = std::nearbyint(exact * multiplier) + offset; break;
    case Scaling::binary64_zero_point_first: integral = std::nearbyint(exact * multiplier + offset); break;
    default: integral = static_cast<double>(scaled_fixed(accumulator, multiplier, rule.scaling)) + offset; break;
  }
  if (!(integral > static_cast<double>(range.lowest))) return range.lowest;
  if (integral >= static_cast<double>(range.highest)) return range.highest;
  return static_cast<std::int64_t>(integral);
}

}  // namespace qassay
