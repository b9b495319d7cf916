#include "tools/diagnosis/hypothesis.hpp"

#include <cmath>

namespace qassay {
namespace {

/// The value rounded once to a format that a double holds.
double in(Type format, double value) {
  return format == Type::float64 ? value : decode(format, encode(format, value));
}

/// x * y + z with one rounding to the format. The fused binary64 result of a narrower format's numbers is rounded once
/// more, which could matter only a tie away from a tie of binary64.
double fused(Type format, double x, double y, double z) {
  if (format == Type::float32)
    return static_cast<double>(__builtin_fmaf(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)));
  return in(format, __builtin_fma(x, y, z));
}

double shifted_quotient(double x, double scale, double zero_point, Type format, const QuantizeRule& rule) {
  using Quotient = QuantizeRule::Quotient;
  using ZeroPoint = QuantizeRule::ZeroPoint;
  if (rule.zero_point == ZeroPoint::fused) return fused(format, x, in(format, 1 / scale), zero_point);
  double quotient = 0;
  switch (rule.quotient) {
    case Quotient::divide: quotient = in(format, x / scale); break;
    case Quotient::reciprocal: quotient = in(format, x * in(format, 1 / scale)); break;
    case Quotient::binary64: quotient = x / scale; break;
  }
  if (rule.zero_point == ZeroPoint::after_rounding) return quotient;
  return rule.quotient == Quotient::binary64 ? quotient + zero_point : in(format, quotient + zero_point);
}

double rounded(double value, QuantizeRule::Rounding rounding) {
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
  }
  return value;
}

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

CodeRange codes_of(const Arguments& arguments) {
  const Signature& signature = *arguments.signature;
  if (signature.parameter(Role::quant_min) != nullptr && signature.parameter(Role::quant_max) != nullptr)
    return {arguments.whole(Role::quant_min), arguments.whole(Role::quant_max)};
  return code_range(arguments.output_type(0));
}

}  // namespace

std::int64_t quantize(double x, double scale, std::int64_t zero_point, CodeRange range, Type format,
                      const QuantizeRule& rule) {
  double value = rounded(shifted_quotient(x, scale, static_cast<double>(zero_point), format, rule), rule.rounding);
  if (rule.zero_point == QuantizeRule::ZeroPoint::after_rounding) value += static_cast<double>(zero_point);
  if (rule.range == QuantizeRule::Range::without_lowest) ++range.lowest;
  if (rule.range == QuantizeRule::Range::without_highest) --range.highest;
  return rule.overflow == QuantizeRule::Overflow::wrap ? wrapped(value, range) : saturated(value, range);
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
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Position at = layout.position(i);
    codes.set_integer(i, quantize(x.real(i), in(format, arguments.real(Role::scale, at)),
                                  arguments.integer(Role::zero_point, at), range, format, rule));
  }
  return codes;
}

}  // namespace qassay
