#include "tools/diagnosis/hypothesis.hpp"

#include <algorithm>
#include <cmath>

#include "interpreter/parameter_layout.hpp"

namespace qassay {
namespace {

using Overflow = QuantizeRule::Overflow;
using ZeroPoint = QuantizeRule::ZeroPoint;

/// What FBGEMM limits to before it converts to int32: the largest binary32 value below 2^31.
constexpr double kHighestBelowInt32 = 2147483520;

/// x * y + z with one rounding to the format. The fused binary64 result of a narrower format's numbers is rounded once
/// more, which could matter only a tie away from a tie of binary64.
double fused(Type format, double x, double y, double z) {
  if (format == Type::float32)
    return static_cast<double>(__builtin_fmaf(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)));
  return rounded_to(format, __builtin_fma(x, y, z));
}

/// The quotient and the format it is in.
std::pair<double, Type> quotient_of(double x, double scale, Type format, QuantizeRule::Quotient quotient) {
  using Quotient = QuantizeRule::Quotient;
  switch (quotient) {
    case Quotient::divide: break;
    case Quotient::reciprocal: return {rounded_to(format, x * rounded_to(format, 1 / scale)), format};
    case Quotient::binary64: return {x / scale, Type::float64};
    case Quotient::reciprocal_binary64: return {x * (1 / scale), Type::float64};
    case Quotient::float16: return {rounded_to(Type::float16, x / scale), Type::float16};
    case Quotient::bfloat16: return {rounded_to(Type::bfloat16, x / scale), Type::bfloat16};
  }
  return {rounded_to(format, x / scale), format};
}

double to_odd_neighbour(double below) {
  return std::fmod(below, 2) == 0 ? below + 1 : below;
}

double rounded(double value, Type format, QuantizeRule::Rounding rounding) {
  using Rounding = QuantizeRule::Rounding;
  const double below = std::floor(value);
  switch (rounding) {
    case Rounding::half_even: return std::nearbyint(value);
    case Rounding::half_away: return std::round(value);
    case Rounding::half_up: return value - below >= 0.5 ? below + 1 : below;
    case Rounding::half_down: return value - below > 0.5 ? below + 1 : below;
    case Rounding::truncate: return std::trunc(value);
    case Rounding::floor: return below;
    case Rounding::ceil: return std::ceil(value);
    case Rounding::half_odd: return value - below == 0.5 ? to_odd_neighbour(below) : std::nearbyint(value);
    case Rounding::to_odd: return value == below ? value : to_odd_neighbour(below);
    case Rounding::floor_of_sum: return std::floor(rounded_to(format, value + 0.5));
    case Rounding::truncation_of_sum: return std::trunc(rounded_to(format, value + std::copysign(0.5, value)));
  }
  return value;
}

/// The code that is equal to an integer modulo the number of codes.
std::int64_t wrapped(double integral, CodeRange range) {
  const double codes = static_cast<double>(range.highest - range.lowest) + 1;
  if (!std::isfinite(integral)) return range.lowest;
  double place = std::fmod(integral - static_cast<double>(range.lowest), codes);
  if (place < 0) place += codes;
  return range.lowest + static_cast<std::int64_t>(place);
}

std::int64_t saturated(double integral, CodeRange range) {
  if (!(integral > static_cast<double>(range.lowest))) return range.lowest;
  if (integral >= static_cast<double>(range.highest)) return range.highest;
  return static_cast<std::int64_t>(integral);
}

/// As x86 converts: INT_MIN for NaN and what does not fit.
std::int32_t as_int32(double integral) {
  return integral >= -0x1p31 && integral < 0x1p31 ? static_cast<std::int32_t>(integral) : INT32_MIN;
}

double as_int64(double integral) {
  return integral >= -0x1p63 && integral < 0x1p63 ? integral : -0x1p63;
}

double wrapping_sum(std::int32_t a, std::int64_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}

std::int64_t code_of_nan(std::int64_t zero_point, CodeRange range, QuantizeRule::NotANumber rule) {
  using NotANumber = QuantizeRule::NotANumber;
  switch (rule) {
    case NotANumber::lowest: return range.lowest;
    case NotANumber::highest: return range.highest;
    case NotANumber::zero: return std::clamp<std::int64_t>(0, range.lowest, range.highest);
    case NotANumber::zero_point: return zero_point;
  }
  return range.lowest;
}

}  // namespace

double rounded_to(Type format, double value) {
  if (format == Type::float32) return static_cast<double>(static_cast<float>(value));
  return format == Type::float64 ? value : decode(format, encode(format, value));
}

CodeRange codes_of(const Arguments& arguments) {
  const Signature& signature = *arguments.signature;
  if (signature.parameter(Role::quant_min) != nullptr && signature.parameter(Role::quant_max) != nullptr)
    return {arguments.whole(Role::quant_min), arguments.whole(Role::quant_max)};
  return code_range(arguments.output_type(0));
}

std::int64_t quantize(double x, double scale, std::int64_t zero_point, CodeRange range, Type format,
                      const QuantizeRule& rule) {
  const auto offset = static_cast<double>(zero_point);
  const bool adds_later =
      rule.zero_point == ZeroPoint::after_rounding || rule.zero_point == ZeroPoint::after_saturation;
  auto [value, value_format] = rule.zero_point == ZeroPoint::fused
                                   ? std::pair(fused(format, x, rounded_to(format, 1 / scale), offset), format)
                                   : quotient_of(x, scale, format, rule.quotient);
  if (rule.zero_point == ZeroPoint::before_rounding) value = rounded_to(value_format, value + offset);
  if (rule.range == QuantizeRule::Range::without_lowest) ++range.lowest;
  if (rule.range == QuantizeRule::Range::without_highest) --range.highest;

  if (rule.overflow == Overflow::int32_capped && !(value < kHighestBelowInt32)) value = kHighestBelowInt32;
  double integral = rounded(value, value_format, rule.rounding);
  if (rule.zero_point == ZeroPoint::after_saturation && !std::isnan(integral))
    integral = static_cast<double>(saturated(integral, range));
  const std::int64_t later = adds_later ? zero_point : 0;
  switch (rule.overflow) {
    case Overflow::saturate:
    case Overflow::wrap: break;
    case Overflow::int32:
    case Overflow::int32_capped: return saturated(wrapping_sum(as_int32(integral), later), range);
    case Overflow::int64: return saturated(as_int64(integral + static_cast<double>(later)), range);
    case Overflow::int32_low_bits: return wrapped(wrapping_sum(as_int32(integral), later), range);
  }
  if (std::isnan(integral)) return code_of_nan(zero_point, range, rule.not_a_number);
  integral += static_cast<double>(later);
  return rule.overflow == Overflow::wrap ? wrapped(integral, range) : saturated(integral, range);
}

bool is_quantization(const Signature& signature) {
  const Parameter* const scale = signature.parameter(Role::scale);
  const Parameter* const zero_point = signature.parameter(Role::zero_point);
  return signature.kind == FormulaKind::elementwise && signature.inputs.size() == 1 && signature.outputs.size() == 1 &&
         is_floating(signature.inputs[0].types.front()) && signature.outputs[0].rule == OutputRule::of_dtype &&
         scale != nullptr && scale->kind == ParameterKind::real && zero_point != nullptr &&
         zero_point->kind == ParameterKind::integer && is_integer(signature.parameter(Role::dtype)->types.front());
}

Tensor quantize(const Arguments& arguments, const Tensor& x, const QuantizeRule& rule) {
  Tensor codes(arguments.output_type(0), x.shape());
  const CodeRange range = codes_of(arguments);
  const ParameterLayout layout = parameter_layout(arguments);
  const Type scale_type = arguments.own_type(Role::scale);
  const Type format = scale_type == Type::float64 ? Type::float32 : scale_type;
  std::vector<double> values(layout.run_length);
  std::vector<std::int32_t> run(layout.run_length);
  for (std::size_t first = 0; first < x.size(); first += layout.run_length) {
    const Position at = layout.position(first);
    const double scale = rounded_to(format, arguments.real(Role::scale, at));
    const std::int64_t zero_point = arguments.integer(Role::zero_point, at);
    load(x, first, layout.run_length, values.data());
    for (std::size_t i = 0; i < values.size(); ++i)
      run[i] = static_cast<std::int32_t>(quantize(values[i], scale, zero_point, range, format, rule));
    store(codes, first, layout.run_length, run.data());
  }
  return codes;
}

}  // namespace qassay
