// Every rule that a backend might follow: named choices for each aspect of a computation, and the formulas there are.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/formula.hpp"
#include "tools/diagnosis/grid_rules.hpp"
#include "tools/diagnosis/hypothesis.hpp"

namespace qassay {

/// What a formula does, as far as rules for it are known.
enum class Family : std::uint8_t { quantize, fake_quantize, dequantize, requantize, other };
Family family_of(const Signature& signature);

/// Where the mask of a fake quantization is true.
enum class Mask : std::uint8_t { in_range, between_ends, everywhere };
/// Which subnormal numbers are taken for zero.
enum class Subnormals : std::uint8_t { honoured, inputs, scales, inputs_and_scales, outputs, everywhere };
/// Which parameters an element gets.
enum class Channels : std::uint8_t { own, first, another_axis, reversed, another_axis_or_reversed };
/// What becomes of the elements behind the last full vector.
enum class Tail : std::uint8_t { as_body, repeats_in_4, repeats_in_8, repeats_in_16, repeats_in_32, repeats_in_64 };

/// One choice for every aspect. Aspects that a family does not have keep their default.
struct Rule {
  QuantizeRule quantize = {};
  DequantizeRule dequantize = {};
  RequantizeRule requantize = {};
  Mask mask = Mask::in_range;
  Subnormals subnormals = Subnormals::honoured;
  Channels channels = Channels::own;
  Tail tail = Tail::as_body;

  friend bool operator==(const Rule&, const Rule&) = default;
};

/// What must be known before an aspect can be told: the arithmetic shows on numbers in range, the edges on those that
/// overflow and on NaN, the surroundings only where a subnormal, an axis or a length is at stake.
enum class Stage : std::uint8_t { arithmetic, edges, surroundings };
inline constexpr int kStageCount = 3;

/// One way to do something, in words: "multiplies by the reciprocal", "multiplying by the reciprocal".
struct Choice {
  std::string_view name;   ///< "reciprocal"
  std::string_view does;   ///< "multiplies by 1 / scale, rounded"
  std::string_view doing;  ///< "multiplying by 1 / scale, rounded"
};

/// Something that rules do differently.
struct Aspect {
  std::string_view name;
  Stage stage;
  std::vector<Family> families;
  std::vector<Choice> choices;
  std::size_t (*get)(const Rule&);
  void (*set)(Rule&, std::size_t);

  const Choice& choice_of(const Rule& rule) const { return choices[get(rule)]; }
  bool concerns(Family family) const;
};
std::span<const Aspect> aspects();

/// A rule, or a formula of the registry with the rule's surroundings around it.
struct Hypothesis {
  const Formula* named = nullptr;
  Rule rule;

  friend bool operator==(const Hypothesis&, const Hypothesis&) = default;
};

/// All choices of one aspect on top of each rule; formulas of the registry only get surroundings.
std::vector<Hypothesis> spread_over(const Aspect& aspect, const std::vector<Hypothesis>& bases);
/// Every combination of choices of one stage on top of each rule.
std::vector<Hypothesis> spread_over(Stage stage, Family family, const std::vector<Hypothesis>& bases);

/// The registry's formulas of the same family that can be given the arguments of another, itself included.
std::vector<Hypothesis> named_hypotheses(const Formula& expected);

/// The hypothesis as a formula with the signature of `expected`. What it must outlive: nothing.
Formula formula_of(const Hypothesis& hypothesis, const Formula& expected);

/// Another formula on the same tensors: each run of elements with its own parameters, as scalars.
Evaluation evaluate_as(const Formula& other, const Arguments& arguments, const Inputs& inputs);

/// In how many aspects two rules of a family differ.
std::size_t distance(const Rule& a, const Rule& b, Family family);

/// "multiplies by 1 / scale, rounded, instead of dividing by the scale; ties still go to even".
std::string difference_sentence(const Rule& found, const Rule& expected, Family family);
/// "reciprocal", "ties away, wrap": the names of the choices that differ.
std::string difference_name(const Rule& found, const Rule& expected, Family family);

}  // namespace qassay
