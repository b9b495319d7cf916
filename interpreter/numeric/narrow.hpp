// float16 and bfloat16 as numbers to compute with: each operation is done in binary32 and rounded once more.
#pragma once

#include <bit>
#include <cstdint>

#include "interpreter/numeric/type.hpp"

namespace qassay {

/// The binary32 value rounded to float16, ties to even; overflow gives an infinity, NaN stays NaN.
[[gnu::always_inline]] inline float round_to_float16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  const std::uint32_t sign = bits & 0x80000000U;
  // Subnormal results are multiples of 2^-24: adding and subtracting 0.5 leaves exactly those.
  const float small = (std::bit_cast<float>(magnitude) + 0.5F) - 0.5F;
  const std::uint32_t rounded = (magnitude + 0xfffU + ((magnitude >> 13U) & 1U)) & ~0x1fffU;
  const std::uint32_t normal = rounded >= 0x47800000U ? 0x7f800000U : rounded;  // 65536 and more
  const std::uint32_t finite = magnitude < 0x38800000U ? std::bit_cast<std::uint32_t>(small) : normal;
  return std::bit_cast<float>(sign | (magnitude > 0x7f800000U ? 0x7fc00000U : finite));
}

/// The binary32 value rounded to bfloat16, ties to even; overflow gives an infinity, NaN stays NaN.
[[gnu::always_inline]] inline float round_to_bfloat16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7fffU + ((bits >> 16U) & 1U)) & 0xffff0000U;
  return std::bit_cast<float>((bits & 0x7fffffffU) > 0x7f800000U ? 0x7fc00000U : rounded);
}

/// A number of a 16-bit format. The held binary32 value is always one of the format's.
///
/// Rounding the binary32 result of one +, -, *, / once more gives the correctly rounded 16-bit result, because
/// binary32 has at least twice the format's precision plus two bits (24 >= 2*11 + 2).
template <Type format>
struct Narrow {
  float value;

  Narrow() = default;
  [[gnu::always_inline]] explicit Narrow(float exact_or_rounded)
      : value(format == Type::float16 ? round_to_float16(exact_or_rounded) : round_to_bfloat16(exact_or_rounded)) {}
};

using Binary16 = Narrow<Type::float16>;
using Bfloat16 = Narrow<Type::bfloat16>;

}  // namespace qassay
