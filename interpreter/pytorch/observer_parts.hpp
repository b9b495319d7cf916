// What PyTorch's four observers share.
#pragma once

#include <fmt/format.h>

#include "interpreter/pytorch/parts.hpp"

namespace qassay::pytorch {

/// The smallest and largest value so far.
struct RunningRange {
  inline static const Signature signature{
      .id = "pytorch.running_range",
      .summary = "running_min = min(lowest, running_min), running_max = max(highest, running_max)",
      .inputs = {{"lowest", {Type::float32}, ""}, {"highest", {Type::float32}, ""}},
      .parameters = {minimum_parameter("running_min"), maximum_parameter("running_max"), channels_parameter()},
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

    static Element at(const Values<Real>& values) { return {values.real(Role::minimum), values.real(Role::maximum)}; }
    QASSAY_STEP std::tuple<Real, Real> operator()(Real lowest, Real highest) const {
      return {is_nan(running_min) ? running_min : at_most_keeping_nan(lowest, running_min),
              is_nan(running_max) ? running_max : at_least_keeping_nan(highest, running_max)};
    }
  };
};

/// calculate_qparams in its three rules.
enum class QScheme : std::uint8_t { affine, symmetric, affine_float_qparams };

inline std::vector<Parameter> qparams_parameters(bool has_zero_point) {
  std::vector<Parameter> parameters{
      minimum_parameter("min_val"),
      maximum_parameter("max_val"),
      quant_min_parameter(),
      quant_max_parameter(),
      {.name = "eps", .role = Role::eps, .kind = ParameterKind::real, .spread = Spread::alone}};
  if (has_zero_point) parameters.push_back(zero_point_parameter(Within::int32));
  return parameters;
}

template <QScheme scheme>
struct CalculateQParams {
  inline static const Signature signature{
      .id = "pytorch.calculate_qparams",
      .summary = "scale and zero point from a range",
      .inputs = {},
      .parameters = qparams_parameters(scheme == QScheme::symmetric),
      .outputs = {{"scale", OutputRule::fixed, Type::float32, ""},
                  {"zero_point", OutputRule::fixed,
                   scheme == QScheme::affine_float_qparams ? Type::float32 : Type::int32, ""}},
      .steps = {},
  };
  static constexpr std::size_t input_count = 0;

  template <class Real>
  struct Element {
    using Number = Real;
    using Input = Real;
    Real min_val;
    Real max_val;
    Real eps;
    Integer<Real> quant_min;
    Integer<Real> quant_max;
    Integer<Real> symmetric_zero_point;
    CodeRange codes;

    static Element at(const Values<Real>& values) {
      const CodeRange codes{values.raw_whole(Role::quant_min), values.raw_whole(Role::quant_max)};
      return {values.real(Role::minimum),
              values.real(Role::maximum),
              values.real(Role::eps),
              values.number(codes.lowest),
              values.number(codes.highest),
              scheme == QScheme::symmetric ? values.integer(Role::zero_point) : values.number(0),
              codes};
    }
    QASSAY_STEP auto operator()() const {
      const auto zero = constant(0, min_val);
      auto span = subtract(integer_to_binary64(quant_max), integer_to_binary64(quant_min));
      if constexpr (scheme == QScheme::affine_float_qparams) {
        auto quotient = divide(subtract(max_val, min_val), to_binary32(span));
        auto scale = is_below(eps, quotient) ? quotient : constant(1, quotient);
        auto negated = multiply(constant(-1, min_val), min_val);
        return std::tuple(scale, divide(negated, scale));
      } else {
        auto low = at_most_keeping_nan(min_val, zero);
        auto high = at_least_keeping_nan(max_val, zero);
        const bool has_seen_nothing = is_infinite(min_val) && is_infinite(max_val) && is_below(max_val, min_val);
        if constexpr (scheme == QScheme::symmetric) {
          auto reach = at_least_keeping_nan(negate(low), high);
          auto half = to_binary32(divide(span, constant(2, span)));
          auto scale = larger(divide(is_nan(high) ? high : reach, half));
          return has_seen_nothing ? std::tuple(constant(1, scale), from_plain(0))
                                  : std::tuple(scale, symmetric_zero_point);
        } else {
          auto scale = larger(divide(subtract(high, low), to_binary32(span)));
          auto steps = truncate_to_int32(round_half_even(divide(low, scale)));
          auto zero_point = saturate(subtract_wrapping(quant_min, steps), codes);
          return has_seen_nothing ? std::tuple(constant(1, scale), from_plain(0)) : std::tuple(scale, zero_point);
        }
      }
    }

   private:
    /// At least eps; NaN wins.
    QASSAY_STEP Real larger(Real scale) const { return is_nan(eps) ? eps : at_least_keeping_nan(scale, eps); }
    static Integer<Real> from_plain(int n) { return Integer<Real>(n); }
  };

  static void check(const Arguments& arguments) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(element_count(arguments.shape)); ++i) {
      const double low = arguments.real(Role::minimum, {i});
      const double high = arguments.real(Role::maximum, {i});
      if (!(low > high) || (std::isinf(low) && std::isinf(high))) continue;
      throw RequestError(ErrorKind::out_of_domain, fmt::format("min_val {} is above max_val {}", low, high));
    }
  }
};

/// Everything about an observer but how its range follows x.
struct Observer {
  std::string_view id;
  bool is_per_channel;
  bool is_averaging;
};

inline Signature observer_signature(const Observer& observer) {
  Signature signature{
      .id = observer.id,
      .summary = observer.is_averaging ? "min_val, max_val move towards the range of x; scale, zero_point from them"
                                       : "min_val, max_val grow to hold x; scale, zero_point from them",
      .kind = FormulaKind::composite,
      .inputs = {{"x", {Type::float32}, "one batch"}},
      .parameters = {{.name = "dtype",
                      .role = Role::dtype,
                      .kind = ParameterKind::dtype,
                      .types = {Type::uint8, Type::int8, Type::int32, Type::int16, Type::uint16},
                      .about = "the type of the codes; quint8, qint8 and qint32 are the same"},
                     {.name = "qscheme",
                      .role = Role::symmetry,
                      .kind = ParameterKind::choice,
                      .words = observer.is_per_channel
                                   ? std::vector<std::string_view>{"per_channel_affine", "per_channel_symmetric",
                                                                   "per_channel_affine_float_qparams"}
                                   : std::vector<std::string_view>{"per_tensor_affine", "per_tensor_symmetric"},
                      .about = "the rule for scale and zero point"},
                     quant_min_parameter("quant_min", "none"),
                     quant_max_parameter("quant_max", "none"),
                     {.name = "eps",
                      .role = Role::eps,
                      .kind = ParameterKind::real,
                      .fallback = "0x1p-23",
                      .spread = Spread::alone,
                      .about = "the smallest scale"},
                     {.name = "reduce_range",
                      .role = Role::reduce_range,
                      .kind = ParameterKind::boolean,
                      .fallback = "false",
                      .about = "one bit less for 8-bit codes; a given range is halved"},
                     minimum_parameter("min_val", "inf"),
                     maximum_parameter("max_val", "-inf")},
      .outputs = {{"min_val", OutputRule::fixed, Type::float32, "after the batch"},
                  {"max_val", OutputRule::fixed, Type::float32, "after the batch"},
                  {"scale", OutputRule::fixed, Type::float32, "from the range"},
                  {"zero_point", OutputRule::varies, Type::int32,
                   observer.is_per_channel ? "int32; float32 under per_channel_affine_float_qparams" : "int32"}},
      .steps = {{"range", "smallest and largest element, of x or of each slice along ch_axis; NaN stays"},
                {"min_val, max_val",
                 observer.is_averaging ? "state + averaging_const * (new - state) in binary32; the first batch as it is"
                                       : "smallest and largest so far; NaN stays"},
                {"extended", "so that the range holds 0 (not under affine_float_qparams)"},
                {"scale",
                 "symmetric: max(-min, max) / ((quant_max - quant_min) / 2); affine: (max - min) / (quant_max - "
                 "quant_min); binary32; at least eps (affine_float_qparams: 1 unless above eps)"},
                {"zero_point",
                 "symmetric: 0, or the middle of an unsigned type; affine: quant_min - round_half_even(min / "
                 "scale) in int32, limited; affine_float_qparams: -min / scale"}},
      .edges =
          "NaN in x stays in the state: scale NaN. An empty x changes nothing. Before anything was seen: scale 1, zero "
          "point 0. quant_min and quant_max count only together.",
      .source = "torch/ao/quantization/observer.py",
      .verified = "torch 2.13.0",
  };
  if (observer.is_averaging) signature.parameters.push_back(averaging_const_parameter());
  if (observer.is_per_channel) {
    signature.parameters.push_back({.name = "ch_axis",
                                    .role = Role::axis,
                                    .kind = ParameterKind::whole,
                                    .fallback = "0",
                                    .about = "the channels' axis"});
  }
  return signature;
}

/// The codes that an observer counts on.
struct ObservedCodes {
  CodeRange range;
  bool is_given;
};

inline ObservedCodes codes_of_observer(const Arguments& arguments) {
  const Type dtype = arguments.type(Role::dtype);
  const bool is_reduced = arguments.whole(Role::reduce_range) != 0;
  if (!arguments[Role::quant_min].is_none && !arguments[Role::quant_max].is_none) {
    const auto halved = [&](std::int64_t n) { return is_reduced ? (n - ((n % 2 + 2) % 2)) / 2 : n; };
    return {{halved(arguments.whole(Role::quant_min)), halved(arguments.whole(Role::quant_max))}, true};
  }
  CodeRange range = code_range(dtype);
  if (is_reduced && row(dtype).bits == 8) range = {range.lowest / 2, (range.highest - 1) / 2};
  return {range, false};
}

inline std::int64_t symmetric_zero_point(Type dtype, const ObservedCodes& codes) {
  if (dtype == Type::uint16) return 32768;
  if (dtype != Type::uint8) return 0;
  if (!codes.is_given) return 128;
  const std::int64_t sum = codes.range.lowest + codes.range.highest;
  return (sum - ((sum % 2 + 2) % 2)) / 2;
}

inline void check_observer(const Arguments& arguments) {
  const std::string_view id = arguments.signature->id;
  const ObservedCodes codes = codes_of_observer(arguments);
  if (codes.is_given) {
    const bool is_too_wide = arguments.type(Role::dtype) == Type::int8 &&
                             arguments.whole(Role::quant_max) - arguments.whole(Role::quant_min) > 255;
    check_holds_zero(arguments);
    if (is_too_wide || arguments.whole(Role::quant_min) == arguments.whole(Role::quant_max)) {
      throw RequestError(ErrorKind::out_of_domain,
                         fmt::format("{}: [quant_min, quant_max] is [{}, {}]; expected two codes at least, and of int8 "
                                     "256 at most",
                                     id, arguments.whole(Role::quant_min), arguments.whole(Role::quant_max)));
    }
  }
  if (arguments.signature->parameter(Role::axis) != nullptr && arguments.shape.size() < 2) {
    throw RequestError(ErrorKind::wrong_shape, fmt::format("{}: x: has the shape {}; channels need a further axis", id,
                                                           to_text(arguments.shape)));
  }
}

template <QScheme scheme>
ProgramCall qparams_call(const Arguments& arguments) {
  const ObservedCodes codes = codes_of_observer(arguments);
  ProgramCall call{elementwise<CalculateQParams<scheme>>(),
                   {},
                   {{"min_val", FromValue{"min_val"}},
                    {"max_val", FromValue{"max_val"}},
                    {"quant_min", Literal{std::to_string(codes.range.lowest)}},
                    {"quant_max", Literal{std::to_string(codes.range.highest)}},
                    {"eps", FromValue{"eps"}}},
                   {{"scale", "scale"}, {"zero_point", "zero_point"}}};
  if (scheme == QScheme::symmetric) {
    const std::int64_t zero_point = symmetric_zero_point(arguments.type(Role::dtype), codes);
    call.parameters.emplace_back("zero_point", Literal{std::to_string(zero_point)});
  }
  return call;
}

/// The program of every observer. `Follow` is how the state follows; a per-channel state of rank 0 is none yet.
template <Spread slices>
ProgramCalls observer_program(const Arguments& arguments, ProgramCall follow) {
  ProgramCalls calls;
  if (element_count(arguments.shape) > 0) {
    calls.push_back(range_call<slices>("ch_axis"));
    const bool has_state = slices == Spread::alone || !arguments[Role::minimum].tensor->shape().empty();
    if (has_state) {
      calls.push_back(std::move(follow));
    } else {
      calls.back().outputs = {{"lowest", "min_val"}, {"highest", "max_val"}};
    }
  }
  switch (arguments.choice<QScheme>(Role::symmetry)) {
    case QScheme::affine: calls.push_back(qparams_call<QScheme::affine>(arguments)); break;
    case QScheme::symmetric: calls.push_back(qparams_call<QScheme::symmetric>(arguments)); break;
    case QScheme::affine_float_qparams: calls.push_back(qparams_call<QScheme::affine_float_qparams>(arguments)); break;
  }
  return calls;
}

}  // namespace qassay::pytorch
