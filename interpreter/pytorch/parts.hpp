// Parts of PyTorch's composite formulas.
#pragma once

#include <array>

#include "interpreter/elementwise.hpp"
#include "interpreter/numeric/exact_sum.hpp"
#include "interpreter/program.hpp"
#include "interpreter/pytorch/parameters.hpp"
#include "interpreter/reduction.hpp"

namespace qassay::pytorch {

/// The parameters that say how slices lie.
inline std::vector<Parameter> parameters_of(Spread slices) {
  return slices == Spread::along_axis ? std::vector<Parameter>{axis_parameter()} : std::vector<Parameter>{};
}

/// Of parts that take one value for each channel: these lie along the first axis.
inline Parameter channels_parameter() {
  return {.name = "axis", .role = Role::axis, .kind = ParameterKind::whole, .fallback = "0"};
}

/// torch.aminmax: the smallest and the largest element; NaN if one is NaN.
template <Spread slices>
struct Range {
  inline static const Signature signature{
      .id = "pytorch.aminmax",
      .summary = "lowest = min(x), highest = max(x)",
      .kind = FormulaKind::reduce,
      .inputs = {{"x", {Type::float32}, "any shape"}},
      .parameters = parameters_of(slices),
      .outputs = {{"lowest", OutputRule::fixed, Type::float32, ""}, {"highest", OutputRule::fixed, Type::float32, ""}},
      .slices = slices,
      .steps = {{"minimum", ""}, {"maximum", ""}},
  };
  template <class Real>
  static std::array<Real, 2> reduce(std::span<const Real> x) {
    Real lowest = x.front();
    Real highest = x.front();
    for (const Real& value : x) {
      if (is_nan(value)) return {value, value};
      lowest = at_most_keeping_nan(lowest, value);
      highest = at_least_keeping_nan(highest, value);
    }
    return {lowest, highest};
  }
};

/// The sum of gradient terms: torch adds binary32 numbers in an order that depends on shape and threads. Here the exact
/// sum is rounded once; Output::sum_of says what that leaves open.
template <Spread slices>
struct Sum {
  inline static const Signature signature{
      .id = "pytorch.sum",
      .summary = "sum = binary32(the exact sum of the terms)",
      .kind = FormulaKind::reduce,
      .inputs = {{"terms", {Type::float32}, "any shape"}},
      .parameters = parameters_of(slices),
      .outputs = {{"sum", OutputRule::fixed, Type::float32, ""}},
      .slices = slices,
      .steps = {{"sum", "of all terms, rounded once"}},
  };
  template <class Real>
  static std::array<Real, 1> reduce(std::span<const Real> terms) {
    return {exact_sum(terms)};
  }
};

/// For an empty x the gradients of scale and zero point are scale and zero point themselves.
struct GradientsOfNothing {
  inline static const Signature signature{
      .id = "pytorch.gradients_of_nothing",
      .summary = "dscale = scale, dzero_point = zero_point",
      .inputs = {{"scale_sum", {Type::float32}, ""}, {"zero_point_sum", {Type::float32}, ""}},
      .parameters = {{.name = "scale", .role = Role::scale, .kind = ParameterKind::real},
                     {.name = "zero_point", .role = Role::zero_point, .kind = ParameterKind::real},
                     channels_parameter()},
      .outputs = {{"dscale", OutputRule::fixed, Type::float32, ""},
                  {"dzero_point", OutputRule::fixed, Type::float32, ""}},
      .steps = {},
  };
  static constexpr std::size_t input_count = 2;

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Real;
    Real scale;
    Real zero_point;

    static Element at(const Values<Real>& values) { return {values.real(Role::scale), values.real(Role::zero_point)}; }
    QASSAY_STEP std::tuple<Real, Real> operator()(Real /*scale_sum*/, Real /*zero_point_sum*/) const {
      return {scale, zero_point};
    }
  };
};
inline ProgramCall gradients_of_nothing_call() {
  return {elementwise<GradientsOfNothing>(),
          {{"scale_sum", "dscale"}, {"zero_point_sum", "dzero_point"}},
          {{"scale", FromValue{"scale"}}, {"zero_point", FromValue{"zero_point"}}},
          {{"dscale", "dscale"}, {"dzero_point", "dzero_point"}}};
}

/// The smallest and the largest element of x, as `lowest` and `highest`. `axis` names the whole's axis parameter.
template <Spread slices>
ProgramCall range_call(const std::string& axis = {}) {
  ProgramCall call{reduction<Range<slices>>(), {{"x", "x"}}, {}, {{"lowest", "lowest"}, {"highest", "highest"}}};
  if (slices == Spread::along_axis) call.parameters.emplace_back("axis", FromValue{axis});
  return call;
}

inline Parameter minimum_parameter(std::string_view called, std::string_view fallback = {}) {
  return {.name = called,
          .role = Role::minimum,
          .kind = ParameterKind::real,
          .fallback = fallback,
          .about = fallback.empty() ? "the smallest value" : "the smallest value so far"};
}
inline Parameter maximum_parameter(std::string_view called, std::string_view fallback = {}) {
  return {.name = called,
          .role = Role::maximum,
          .kind = ParameterKind::real,
          .fallback = fallback,
          .about = fallback.empty() ? "the largest value" : "the largest value so far"};
}
inline Parameter averaging_const_parameter() {
  return {.name = "averaging_const",
          .role = Role::averaging_const,
          .kind = ParameterKind::real,
          .fallback = "0.01",
          .own_type = OwnType::float64,
          .spread = Spread::alone,
          .about = "the weight of this batch, a double rounded to binary32"};
}

/// The signature of what chooses scale and zero point for a range.
inline Signature choice_signature(std::string_view id, std::vector<Parameter> parameters, Type scale, Type zero_point,
                                  std::vector<Step> steps = {}) {
  return {.id = id,
          .summary = "scale and zero point of a range",
          .inputs = {{"lowest", {Type::float32}, ""}, {"highest", {Type::float32}, ""}},
          .parameters = std::move(parameters),
          .outputs = {{"scale", OutputRule::fixed, scale, ""}, {"zero_point", OutputRule::fixed, zero_point, ""}},
          .steps = std::move(steps)};
}

/// The range of every slice, and what `Choice` makes of it. Both have the parameters of the whole.
template <class RangeOf, class Choice>
ProgramCalls range_and_choice() {
  return {
      {reduction<RangeOf>(),
       {{"x", "x"}},
       same_named(RangeOf::signature),
       {{"lowest", "lowest"}, {"highest", "highest"}}},
      {elementwise<Choice>(),
       {{"lowest", "lowest"}, {"highest", "highest"}},
       same_named(Choice::signature),
       {{"scale", "scale"}, {"zero_point", "zero_point"}}},
  };
}

/// When an average begins anew with what is seen.
enum class StartOfAverage : std::uint8_t {
  at_an_infinity,      ///< each end for itself
  at_both_infinities,  ///< the minimum is inf and the maximum -inf
  never,
};

/// running + averaging_const * (seen - running), end by end.
template <StartOfAverage start>
struct MovingAverage {
  inline static const Signature signature{
      .id = "pytorch.moving_average",
      .summary = "running = running + averaging_const * (seen - running)",
      .inputs = {{"lowest", {Type::float32}, ""}, {"highest", {Type::float32}, ""}},
      .parameters = {minimum_parameter("running_min"), maximum_parameter("running_max"), averaging_const_parameter(),
                     channels_parameter()},
      .outputs = {{"running_min", OutputRule::fixed, Type::float32, ""},
                  {"running_max", OutputRule::fixed, Type::float32, ""}},
      .steps = {},
  };
  static constexpr std::size_t input_count = 2;

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Real;
    Real running_min;
    Real running_max;
    Double<Real> averaging_const;

    static Element at(const Values<Real>& values) {
      return {values.real(Role::minimum), values.real(Role::maximum), values.binary64(Role::averaging_const)};
    }
    QASSAY_STEP Real moved(Real running, Real seen) const {
      auto difference = subtract(seen, running);
      auto weighted = multiply(to_binary32(averaging_const), difference);
      return add(running, weighted);
    }
    QASSAY_STEP std::tuple<Real, Real> operator()(Real lowest, Real highest) const {
      const bool starts_low = is_infinite(running_min);
      const bool starts_high = is_infinite(running_max);
      const bool starts = starts_low && starts_high && is_below(running_max, running_min);
      if constexpr (start == StartOfAverage::at_an_infinity) {
        return {starts_low ? lowest : moved(running_min, lowest), starts_high ? highest : moved(running_max, highest)};
      } else if constexpr (start == StartOfAverage::at_both_infinities) {
        if (starts) return {lowest, highest};
      }
      return {moved(running_min, lowest), moved(running_max, highest)};
    }
  };
};

/// The state by the names that it has in the whole.
template <class Follow>
ProgramCall follow_call(const std::string& minimum, const std::string& maximum) {
  return {elementwise<Follow>(),
          {{"lowest", "lowest"}, {"highest", "highest"}},
          {{"running_min", FromValue{minimum}}, {"running_max", FromValue{maximum}}},
          {{"running_min", minimum}, {"running_max", maximum}}};
}
template <StartOfAverage start>
ProgramCall moving_average_call(const std::string& minimum, const std::string& maximum) {
  ProgramCall call = follow_call<MovingAverage<start>>(minimum, maximum);
  call.parameters.emplace_back("averaging_const", FromValue{"averaging_const"});
  return call;
}

}  // namespace qassay::pytorch
