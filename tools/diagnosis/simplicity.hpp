// Which of two numbers is simpler, and simpler numbers to try in place of one.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "interpreter/formula.hpp"

namespace qassay {

/// Finite before infinite before NaN, then by significant bits, magnitude of the exponent (integers: magnitude), sign.
struct Simplicity {
  int kind = 0;
  std::int64_t significant_bits = 0;
  std::int64_t magnitude = 0;
  bool is_negative = false;
  std::uint64_t bits = 0;

  // clang-tidy takes what it is compared with for a null pointer.
  friend auto operator<=>(const Simplicity&, const Simplicity&) = default;  // NOLINT(modernize-use-nullptr)
};
Simplicity simplicity(Type type, std::uint64_t bits);

/// The simplest first.
void sort_by_simplicity(Type type, std::vector<std::uint64_t>& values);

/// Numbers simpler than this one, the simplest first: few bits in [1, 2) and where it stands, its own bits cut off, its
/// exponent moved towards zero; for integers small ones, ends of ranges, halves.
std::vector<std::uint64_t> simpler_numbers(Type type, std::uint64_t bits);

/// Elements among which a simple one may show what another shows: steps of the formula with their neighbours, numbers
/// of few bits, special values, and the ways to cut `current` short. The simplest first.
std::vector<std::uint64_t> elements_to_try(const Formula& formula, const Settings& settings, Type type,
                                           std::uint64_t current);

}  // namespace qassay
