// Quantization with every choice named: the ways in which real kernels differ, as one scalar function.
#pragma once

#include <cstdint>

#include "interpreter/arguments.hpp"

namespace qassay {

/// A way to quantize. The default is what ONNX says: saturate(round_half_even(x / scale) + zero_point).
struct QuantizeRule {
  enum class Quotient : std::uint8_t {
    divide,      ///< x / scale in the format of the formula's quotient
    reciprocal,  ///< x * (1 / scale), each rounded
    binary64,    ///< the quotient in binary64
  };
  enum class Rounding : std::uint8_t { half_even, half_away, half_up, half_down, truncate, floor, ceil };
  enum class ZeroPoint : std::uint8_t {
    after_rounding,
    before_rounding,  ///< added to the quotient in its format
    fused,            ///< fma(x, 1 / scale, zero_point)
  };
  enum class Overflow : std::uint8_t { saturate, wrap };
  enum class Range : std::uint8_t { full, without_lowest, without_highest };

  Quotient quotient = Quotient::divide;
  Rounding rounding = Rounding::half_even;
  ZeroPoint zero_point = ZeroPoint::after_rounding;
  Overflow overflow = Overflow::saturate;
  Range range = Range::full;

  friend bool operator==(const QuantizeRule&, const QuantizeRule&) = default;
};

/// One element. `format` is the type in which the quotient is taken. NaN gives the lowest code.
std::int64_t quantize(double x, double scale, std::int64_t zero_point, CodeRange range, Type format,
                      const QuantizeRule& rule);

/// Whether a formula turns real elements into codes with a scale, a zero point and a type.
bool is_quantization(const Signature& signature);

/// A tensor of codes by the rule, with a formula's checked arguments.
Tensor quantize(const Arguments& arguments, const Tensor& x, const QuantizeRule& rule);

}  // namespace qassay
