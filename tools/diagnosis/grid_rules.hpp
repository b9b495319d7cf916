// Ways from codes to real numbers and from accumulators to codes, every choice named.
#pragma once

#include <cstdint>

#include "tools/diagnosis/hypothesis.hpp"

namespace qassay {

/// A way to dequantize. The default is what ONNX says: (code - zero_point) * scale.
struct DequantizeRule {
  enum class Difference : std::uint8_t {
    exact,
    wraps_in_code_type,
    wraps_in_int32,
    binary32,  ///< both rounded to binary32, then subtracted
  };
  enum class Product : std::uint8_t {
    binary32,
    binary64,  ///< rounded once, to the output
    in_output_type,
    folded,  ///< code * scale - zero_point * scale, each rounded to binary32
    fused,   ///< fma(code, scale, -(zero_point * scale)) in binary32
  };

  Difference difference = Difference::exact;
  Product product = Product::binary32;

  friend bool operator==(const DequantizeRule&, const DequantizeRule&) = default;
};

/// One element, before it is rounded to the type of the output. Only a product in binary64 uses all digits of a scale
/// kept in binary64.
double dequantize(std::int64_t code, double scale, std::int64_t zero_point, Type code_type, Type output_type,
                  const DequantizeRule& rule);

/// A way to scale an int32 accumulator to codes.
struct RequantizeRule {
  enum class Multiplier : std::uint8_t {
    binary32,          ///< (input_scale * weight_scale) / scale, each rounded to binary32
    binary32_product,  ///< the product in binary32, the quotient in binary64
    binary64,          ///< all in binary64
  };
  enum class Scaling : std::uint8_t {
    binary32,                   ///< rounded product, ties to even, zero point last
    binary32_half_away,         ///< the same, ties away from zero
    binary64,                   ///< product in binary64, ties to even, zero point last
    binary64_zero_point_first,  ///< product and sum in binary64, then rounded, ties to even
    fixed_single,               ///< 31-bit multiplier, one rounding, ties up
    fixed_double,               ///< two roundings: ties up, then ties away from zero
    fixed_half_up,              ///< two roundings: ties up, then ties up
  };

  Multiplier multiplier = Multiplier::binary32;
  Scaling scaling = Scaling::binary32;

  friend bool operator==(const RequantizeRule&, const RequantizeRule&) = default;
};

struct RequantizeScales {
  double input;
  double weight;
  double output;
};

/// One element.
std::int64_t requantize(std::int32_t accumulator, const RequantizeScales& scales, std::int64_t zero_point,
                        CodeRange range, const RequantizeRule& rule);

/// A real multiplier as a 31-bit fraction and a power of two, as TFLite derives it: multiplier * 2^(shift - 31).
struct FixedPointMultiplier {
  std::int32_t multiplier = 0;
  int shift = 0;

  friend bool operator==(const FixedPointMultiplier&, const FixedPointMultiplier&) = default;
};
FixedPointMultiplier fixed_point(double multiplier);

}  // namespace qassay
