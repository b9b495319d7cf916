// Inputs made by rule, as bits of a type. The same on every machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/formula.hpp"

namespace qassay {

/// A number in a case: its text, and whether it must be exact (a string) or stands for the nearest value (a JSON
/// number).
struct CaseNumber {
  std::string text;
  bool must_be_exact = true;
  std::string place;  ///< file and JSON pointer

  /// Throws RequestError naming the place.
  std::uint64_t bits(Type type) const;
};

struct Generator {
  enum class Kind : std::uint8_t { boundary, exhaustive, special, random, stride, values };
  static constexpr std::size_t kMostSteps = 65536;

  Kind kind = Kind::special;
  std::size_t steps = kMostSteps;  ///< boundary: at most so many
  std::uint64_t count = 0;         ///< random
  std::uint64_t seed = 0;          ///< random
  std::uint64_t step = 1;          ///< stride
  std::uint64_t offset = 0;        ///< stride
  std::vector<CaseNumber> values;  ///< values
};

/// What a generator may look at: the formula with the parameters of one slice.
struct GeneratorView {
  const Formula* formula = nullptr;
  Settings settings;
  bool is_first_input = true;
  std::uint64_t slice = 0;  ///< random lists of different slices differ
};

/// The generators' lists one after another.
std::vector<std::uint64_t> generate(const std::vector<Generator>& generators, Type type, const GeneratorView& view);

/// `count` values from a list: all in order and from the start again, or, where there is room for fewer than all,
/// values spread evenly over the list.
std::vector<std::uint64_t> deal(const std::vector<std::uint64_t>& list, std::size_t count);

/// A value that formulas tend to get wrong.
struct SpecialValue {
  std::string name;
  std::uint64_t bits;
};
/// By kind: zeros, subnormals, extremes, infinities, NaNs, powers of two, and the neighbourhoods of numbers at which
/// roundings and conversions go wrong; for integers the ends, zero and their neighbours.
std::vector<SpecialValue> special_values(Type type);

/// Settings with which one slice of a tensor can be computed alone: the parameters at `index`, along axis 0.
Settings settings_of_slice(const Arguments& arguments, const Settings& settings, std::size_t index);

/// SplitMix64: a sequence of 64-bit numbers from a seed.
class RandomBits {
 public:
  explicit RandomBits(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();

 private:
  std::uint64_t state_;
};

/// A type's values in order: a monotone map between bits and integers, without NaN. -0 comes right before 0.
std::int64_t order_of(Type type, std::uint64_t bits);
std::uint64_t bits_at(Type type, std::int64_t order);
std::int64_t lowest_order(Type type);
std::int64_t highest_order(Type type);

}  // namespace qassay
