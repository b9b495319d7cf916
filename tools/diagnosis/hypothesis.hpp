// Quantization with every choice named: the ways in which real kernels differ, as one scalar function.
#pragma once

#include <cstdint>

#include "interpreter/arguments.hpp"

namespace qassay {

/// A way to quantize. The default is what ONNX says: saturate(round_half_even(x / scale) + zero_point).
struct QuantizeRule {
  enum class Quotient : std::uint8_t {
    divide,               ///< x / scale in the format of the formula's quotient
    reciprocal,           ///< x * (1 / scale), each rounded
    binary64,             ///< the quotient in binary64
    reciprocal_binary64,  ///< x * (1 / scale), both in binary64
    float16,              ///< the quotient rounded to float16
    bfloat16,             ///< the quotient rounded to bfloat16
  };
  enum class Rounding : std::uint8_t {
    half_even,
    half_away,
    half_up,
    half_down,
    truncate,
    floor,
    ceil,
    half_odd,
    to_odd,             ///< the odd neighbour of everything that is no integer
    floor_of_sum,       ///< floor(v + 0.5), the sum rounded
    truncation_of_sum,  ///< trunc(v + copysign(0.5, v)), the sum rounded
  };
  enum class ZeroPoint : std::uint8_t {
    after_rounding,
    before_rounding,   ///< added to the quotient in its format
    fused,             ///< fma(x, 1 / scale, zero_point)
    after_saturation,  ///< the rounded quotient is limited to the codes before the zero point is added
  };
  enum class Overflow : std::uint8_t {
    saturate,
    wrap,          ///< the low bits of the integer
    int32,         ///< to int32 first, INT_MIN for what does not fit; the sum with the zero point wraps; then saturated
    int32_capped,  ///< the same, but nothing is above 2147483520 before, NaN being that
    int64,         ///< to int64 first, INT64_MIN for what does not fit; then saturated
    int32_low_bits,  ///< to int32 first, INT_MIN for what does not fit; then the low bits
  };
  enum class Range : std::uint8_t { full, without_lowest, without_highest };
  /// The code of NaN, where it does not follow from a conversion to integers.
  enum class NotANumber : std::uint8_t { lowest, highest, zero, zero_point };

  Quotient quotient = Quotient::divide;
  Rounding rounding = Rounding::half_even;
  ZeroPoint zero_point = ZeroPoint::after_rounding;
  Overflow overflow = Overflow::saturate;
  Range range = Range::full;
  NotANumber not_a_number = NotANumber::lowest;

  friend bool operator==(const QuantizeRule&, const QuantizeRule&) = default;
};

/// One element. `format` is the type in which the quotient is taken.
std::int64_t quantize(double x, double scale, std::int64_t zero_point, CodeRange range, Type format,
                      const QuantizeRule& rule);

/// Whether a formula turns real elements into codes with a scale, a zero point and a type.
bool is_quantization(const Signature& signature);

/// A tensor of codes by the rule, with a formula's checked arguments.
Tensor quantize(const Arguments& arguments, const Tensor& x, const QuantizeRule& rule);

/// The value rounded once to a format that a double holds.
double rounded_to(Type format, double value);

/// The codes that a formula may give.
CodeRange codes_of(const Arguments& arguments);

}  // namespace qassay
