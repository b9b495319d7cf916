// Inputs that tell hypotheses apart.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/diagnosis/rule_space.hpp"

namespace qassay {

/// Parameters to try one after another: those given, as scalars, then, if asked for, variations: an odd zero point,
/// awkward scales, one at the end of the normal numbers, a subnormal one, a huge one. In the formula's own words; only
/// what the formula takes.
std::vector<Settings> settings_bank(const Formula& expected, const Settings& given, Type input_type, bool varies);

/// A tensor as the formula takes it: of shape {1, n} where parameters lie along an axis.
Inputs shaped_inputs(const Signature& signature, Tensor x);

/// Inputs at which one of the formulas steps, with neighbours, and special values; by order, NaN bits apart.
std::vector<std::uint64_t> candidate_inputs(const std::vector<Formula>& formulas, const Settings& settings,
                                            Type input_type, std::size_t steps_each);

/// Those among the candidates on which the expected formula neither limits nor overflows nor meets subnormals.
std::vector<std::uint64_t> in_range(const Formula& expected, const Settings& settings, Type input_type,
                                    const std::vector<std::uint64_t>& candidates);

/// As few of the candidates as tell apart all formulas that any of them tells apart.
std::vector<std::uint64_t> separating(const std::vector<Formula>& formulas, const Settings& settings, Type input_type,
                                      const std::vector<std::uint64_t>& candidates);

Tensor tensor_of(Type type, const std::vector<std::uint64_t>& bits);

/// Inputs and settings with parameters along an axis, and inputs of many lengths.
struct ShapedProbe {
  Inputs inputs;
  Settings settings;
};
std::vector<ShapedProbe> channel_probes(const Formula& expected, const Settings& settings, Type input_type);
std::vector<ShapedProbe> length_probes(const Formula& expected, const Settings& settings, Type input_type,
                                       const std::vector<std::uint64_t>& values);

}  // namespace qassay
