// A formula with fixed parameters, as a function of one number.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interpreter/formula.hpp"

namespace qassay {

/// y = f(x) for the first input and the first output of an elementwise formula with fixed parameters.
///
/// Inputs are addressed by their order (see order_of): consecutive integers for consecutive values, so that float32
/// without NaN is one interval of 4,278,190,082 orders. Outputs are given by order as well, NaN as kNanOutput, so that
/// they can be compared.
class ScalarFunction {
 public:
  static constexpr std::int64_t kNanOutput = INT64_MIN;

  /// `settings` may use the formula's own parameter names or the names of roles. A vector along an axis may be given as
  /// a scalar. Throws RequestError, also for formulas that are not elementwise.
  ScalarFunction(const Formula& formula, const Settings& settings, Type input_type);

  const Formula& formula() const { return *formula_; }
  Type input_type() const { return arguments_.input_type; }
  Type output_type() const { return arguments_.output_type(0); }
  const Arguments& arguments() const { return arguments_; }
  /// The settings in the formula's own words.
  const Settings& settings() const { return settings_; }

  /// The first output for inputs with these bits.
  Tensor evaluate(Tensor x) const;

  /// outputs[i] = f(orders[i]).
  void evaluate(std::span<const std::int64_t> orders, std::vector<std::int64_t>& outputs) const;
  std::int64_t at(std::int64_t order) const;
  /// How many inputs the by-order evaluations have tried so far.
  std::size_t evaluations() const { return evaluations_; }

  /// The trace of one input.
  Trace trace(std::uint64_t bits) const;

  /// The size of a step of the output: 1 for codes, the scale for real outputs, nothing where there is none.
  double step_size() const { return step_size_; }

 private:
  Inputs inputs(Tensor x) const;

  const Formula* formula_;
  Settings settings_;
  Arguments arguments_;
  bool along_axis_ = false;
  double step_size_ = 1;
  mutable std::size_t evaluations_ = 0;
};

/// An output's bits as an order that can be compared; NaN is ScalarFunction::kNanOutput.
std::int64_t output_order(Type type, std::uint64_t bits);

/// The parameter of that name, or of the role of that name; nullptr if there is none.
const Parameter* parameter_called(std::string_view given, const Signature& signature);

/// Settings that use role names where a formula has its own, in the formula's own words. Throws RequestError for a name
/// that is neither.
Settings by_own_names(const Settings& settings, const Signature& signature);

/// One set of values for two formulas: names may be either one's own or a role's. Each gets what it has a parameter
/// for, and a range of codes where the other has a type. Throws RequestError for a name that is nobody's.
std::pair<Settings, Settings> for_both(const Settings& settings, const Signature& a, const Signature& b);

}  // namespace qassay
