// Numbers that arithmetic goes wrong on.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "interpreter/numeric/type.hpp"

namespace qassay::tests {

/// The same numbers on every machine, which std::uniform_int_distribution does not promise.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t bits() { return engine_(); }
  /// In [0, sides).
  std::uint64_t below(std::uint64_t sides) { return engine_() % sides; }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    const std::uint64_t sides = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    const std::uint64_t offset = sides == 0 ? engine_() : engine_() % sides;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
  }
  bool chance(std::uint64_t one_in) { return below(one_in) == 0; }
  template <class T>
  const T& one_of(const std::vector<T>& choices) {
    return choices[below(choices.size())];
  }

 private:
  std::mt19937_64 engine_;
};

/// The bits of zeros, subnormals, the ends, infinities, NaN, halves, powers of two, the edges of integer types.
std::vector<std::uint64_t> special_bits(Type floating);

/// The bits of a value: special, near a special one, or any.
std::uint64_t awkward_bits(Type floating, Dice& dice);
double awkward_real(Type floating, Dice& dice);

/// A code of the type: an end, near zero, or any.
std::int64_t awkward_integer(Type integer, Dice& dice);

/// Whether two values are the same in a format, NaN being NaN and zeros having a sign.
bool same(double a, double b);

}  // namespace qassay::tests
