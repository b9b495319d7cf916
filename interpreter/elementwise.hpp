// Runs a formula of one element over tensors, in its three readings.
//
// A formula is a struct F with
//   static const Signature signature;
//   template <class Real> struct Element {
//     using Input = Real;                                  // or Integer<Real>: what an input element is read as
//     static Element at(const Values<Real>&);              // the parameters of one position
//     auto operator()(Input x, ...) const;                 // one output, or a std::tuple of them
//     bool is_specified(Input x, ...) const;               // optional: false where the text leaves it open
//   };
// and, where they are needed,
//   static void check(const Arguments&);                   // arguments that do not go together
//   static auto select(const Arguments&, auto run);        // calls run.operator()<Element, Real>() for the right pair
//   static Whole whole(const Arguments&);                  // what all positions share, worked out once: at() finds it
//                                                          // in values.whole<Whole>()
//   static Shape output_shape(const Arguments&, std::size_t output);  // of an output that is not shaped like the rest;
//                                                          // where it is smaller the first elements are kept
// Without `select`, Element<float> is meant. With `static constexpr std::size_t input_count` there are more inputs than
// one, or none: then there is one element for each value of the parameters.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "interpreter/float_environment.hpp"
#include "interpreter/formula.hpp"
#include "interpreter/parameter_layout.hpp"
#include "interpreter/vector_target.hpp"

namespace qassay {

/// The parameters at one position, as numbers of one kind.
template <class Real>
class Values {
 public:
  Values(const Arguments& arguments, Position position, Type arithmetic, const void* whole = nullptr)
      : arguments_(arguments), position_(position), arithmetic_(arithmetic), whole_(whole) {}

  /// What F::whole gave.
  template <class Whole>
  const Whole& whole() const {
    return *static_cast<const Whole*>(whole_);
  }

  /// A real parameter in the format computed with, rounded once where its own type is wider.
  Real real(Role role) const { return as<Real>(role, arithmetic_); }
  /// A real parameter kept in binary64.
  Double<Real> binary64(Role role) const { return as<Double<Real>>(role, Type::float64); }
  /// A real parameter in binary32.
  Single<Real> binary32(Role role) const { return as<Single<Real>>(role, Type::float32); }
  Integer<Real> integer(Role role) const { return whole_number(arguments_.integer(role, position_), name_of(role)); }
  /// A whole parameter as a number.
  Integer<Real> whole(Role role) const { return whole_number(arguments_.whole(role), name_of(role)); }

  /// A plain integer, for what is worked out before any arithmetic.
  std::int64_t raw_integer(Role role) const { return arguments_.integer(role, position_); }
  std::int64_t raw_whole(Role role) const { return arguments_.whole(role); }
  /// An integer of the formula's own making.
  Integer<Real> number(std::int64_t n) const { return whole_number(n); }
  /// An integer that binary32 holds exactly, as such.
  Single<Real> single(std::int64_t n) const {
    if constexpr (std::same_as<Real, Traced>) return Traced(Type::float32, static_cast<double>(n));
    else if constexpr (std::same_as<Real, Exact>) return Exact(n);
    else return static_cast<float>(n);
  }
  /// A zero in the format computed with, for steps that convert to the format of an operand.
  Real zero() const {
    if constexpr (std::same_as<Real, Traced>) return Traced(arithmetic_, 0);
    else if constexpr (std::same_as<Real, Exact>) return Exact(0);
    else return Real(0.0F);
  }
  Type dtype() const { return arguments_.type(Role::dtype); }
  Type input_type() const { return arguments_.input_type; }
  /// The type a real or integer parameter is kept in.
  Type own_type(Role role) const { return arguments_.own_type(role); }
  CodeRange codes(Role dtype) const { return code_range(arguments_.type(dtype)); }
  template <class Choice>
  Choice choice(Role role) const {
    return arguments_.choice<Choice>(role);
  }

 private:
  std::string_view name_of(Role role) const { return arguments_.signature->parameter(role)->name; }
  template <class Number>
  Number as(Role role, Type format) const {
    const double value = arguments_.real(role, position_);
    if constexpr (std::same_as<Number, Traced>)
      return convert(Traced(arguments_.own_type(role), value).from({{}, name_of(role)}), format);
    else if constexpr (std::same_as<Number, Exact>) return arguments_[role].exact.value_or(Exact(value));
    else return Number(static_cast<std::conditional_t<std::same_as<Number, double>, double, float>>(value));
  }
  static Integer<Real> whole_number(std::int64_t n, std::string_view name = {}) {
    if constexpr (std::same_as<Real, Traced>) return Traced(Type::int32, static_cast<double>(n)).from({{}, name});
    else if constexpr (std::same_as<Real, Exact>) return Exact(n);
    else return static_cast<std::int32_t>(n);
  }

  const Arguments& arguments_;
  Position position_;
  Type arithmetic_;
  const void* whole_;
};

namespace elementwise_detail {

inline constexpr std::size_t kChunk = 4096;

template <class T>
struct AsTuple {
  using type = std::tuple<T>;
};
template <class... T>
struct AsTuple<std::tuple<T...>> {
  using type = std::tuple<T...>;
};

/// The type that a number stands in inside a loop's buffers.
template <class Number>
struct LaneOf {
  using type = Number;
};
template <Type f>
struct LaneOf<Narrow<f>> {
  using type = float;
};
template <class Number>
using Lane = typename LaneOf<Number>::type;

/// A result as it is kept: NaN without payload, because which payload survives an operation is up to the instruction.
template <class Out, class Number>
QASSAY_STEP Out to_lane(Number number) {
  if constexpr (requires { number.value; }) return to_lane<Out>(number.value);
  else if constexpr (NativeFloat<Number>)
    return number != number ? std::numeric_limits<Out>::quiet_NaN() : static_cast<Out>(number);
  else return static_cast<Out>(number);
}

template <class Element, class... Inputs>
using Results = typename AsTuple<std::invoke_result_t<const Element&, Inputs...>>::type;

/// One formula over `count` elements. Kept apart by instruction set, so that the same text is compiled for each.
template <class Element, std::size_t... input, class... Out>
QASSAY_STEP void loop(const Element& by_reference, const Lane<typename Element::Input>* const* inputs,
                      std::size_t count, std::index_sequence<input...>, Out* __restrict... outputs) {
  using Input = typename Element::Input;
  const Element element = by_reference;
  [[maybe_unused]] const std::array<const Lane<Input>*, sizeof...(input)> x{inputs[input]...};
  for (std::size_t i = 0; i < count; ++i) {
    const auto result = element(Input(x[input][i])...);
    if constexpr (sizeof...(Out) == 1) {
      ((outputs[i] = to_lane<Out>(result)), ...);
    } else {
      [&]<std::size_t... o>(std::index_sequence<o...>) {
        ((outputs[i] = to_lane<Out>(std::get<o>(result))), ...);
      }
      (std::index_sequence_for<Out...>{});
    }
  }
}

template <class Element, class Indices, class... Out>
[[gnu::noinline]] void loop_baseline(const Element& element, const Lane<typename Element::Input>* const* inputs,
                                     std::size_t count, Out*... outputs) {
  loop(element, inputs, count, Indices{}, outputs...);
}

#ifdef QASSAY_HAS_VECTOR_TARGETS
template <class Element, class Indices, class... Out>
[[gnu::noinline, gnu::target("arch=x86-64-v3")]] void loop_avx2(const Element& element,
                                                                const Lane<typename Element::Input>* const* inputs,
                                                                std::size_t count, Out*... outputs) {
  loop(element, inputs, count, Indices{}, outputs...);
}
template <class Element, class Indices, class... Out>
[[gnu::noinline, gnu::target("arch=x86-64-v4")]] void loop_avx512(const Element& element,
                                                                  const Lane<typename Element::Input>* const* inputs,
                                                                  std::size_t count, Out*... outputs) {
  loop(element, inputs, count, Indices{}, outputs...);
}
#endif

template <class Element, class Indices, class... Out>
void run_loop(const Element& element, const Lane<typename Element::Input>* const* inputs, std::size_t count,
              Out*... outputs) {
#ifdef QASSAY_HAS_VECTOR_TARGETS
  switch (vector_target()) {
    case VectorTarget::avx512: return loop_avx512<Element, Indices>(element, inputs, count, outputs...);
    case VectorTarget::avx2: return loop_avx2<Element, Indices>(element, inputs, count, outputs...);
    case VectorTarget::baseline: break;
  }
#endif
  loop_baseline<Element, Indices>(element, inputs, count, outputs...);
}

/// Elements of a tensor as lanes: in place where they stand so already, else converted into a buffer.
template <class L>
const L* lanes_of(const Tensor& tensor, Type stored_as_lanes, std::size_t first, std::size_t count,
                  std::vector<L>& buffer) {
  if (tensor.type() == stored_as_lanes) return tensor.as<L>() + first;
  buffer.resize(kChunk);
  load(tensor, first, count, buffer.data());
  return buffer.data();
}

template <class L>
constexpr Type lane_type() {
  if constexpr (std::same_as<L, float>) return Type::float32;
  else if constexpr (std::same_as<L, double>) return Type::float64;
  else if constexpr (std::same_as<L, bool>) return Type::boolean;
  else return Type::int32;
}

template <class Element, std::size_t input_count>
class NativeRun {
  using Input = typename Element::Input;
  using Indices = std::make_index_sequence<input_count>;
  template <class>
  struct ResultsFor;
  template <std::size_t... i>
  struct ResultsFor<std::index_sequence<i...>> {
    template <std::size_t>
    using One = Input;
    using type = Results<Element, One<i>...>;
  };
  using ResultTuple = typename ResultsFor<Indices>::type;

 public:
  static Evaluation evaluate(const Arguments& arguments, const Inputs& inputs, Type arithmetic, const void* whole) {
    const Signature& signature = *arguments.signature;
    std::array<const Tensor*, input_count> in;
    for (std::size_t i = 0; i < input_count; ++i) in[i] = &inputs.find(signature.inputs[i].name)->second;
    std::vector<Tensor> out;
    for (std::size_t o = 0; o < signature.outputs.size(); ++o)
      out.push_back(Tensor::uncleared(arguments.output_type(o), arguments.shape));
    std::vector<std::uint8_t> unspecified;
    bool any_unspecified = false;

    Buffers buffers;
    const ParameterLayout layout = parameter_layout(arguments);
    const auto size = static_cast<std::size_t>(element_count(arguments.shape));
    for (std::size_t run = 0; run < size; run += layout.run_length) {
      const Element element = Element::at(Values<RealOf>(arguments, layout.position(run), arithmetic, whole));
      for (std::size_t first = run; first < run + layout.run_length; first += kChunk) {
        const std::size_t count = std::min(kChunk, run + layout.run_length - first);
        std::array<const Lane<Input>*, input_count> x;
        for (std::size_t i = 0; i < input_count; ++i) {
          x[i] = lanes_of(*in[i], lane_type<Lane<Input>>(), first, count, buffers.inputs[i]);
        }
        run_chunk(element, x, out, first, count, buffers, std::make_index_sequence<std::tuple_size_v<ResultTuple>>{});
        if constexpr (requires { &Element::is_specified; }) {
          for (std::size_t i = 0; i < count; ++i) {
            if (specified_at(element, x, i, Indices{})) continue;
            if (unspecified.empty()) unspecified.resize(size);
            unspecified[first + i] = 1;
            any_unspecified = true;
          }
        }
      }
    }
    Evaluation evaluation;
    for (std::size_t o = 0; o < out.size(); ++o) {
      const std::string name(signature.outputs[o].name);
      evaluation.outputs.emplace(name, std::move(out[o]));
      if (any_unspecified) evaluation.unspecified.emplace(name, unspecified);
    }
    return evaluation;
  }

 private:
  using RealOf = typename Element::Number;
  struct Buffers {
    std::array<std::vector<Lane<Input>>, input_count> inputs;
    typename decltype([]<class... T>(std::tuple<T...>*) {
      return std::type_identity<std::tuple<std::array<Lane<T>, kChunk>...>>{};
    }(static_cast<ResultTuple*>(nullptr)))::type outputs;
  };

  template <std::size_t... o>
  static void run_chunk(const Element& element, const std::array<const Lane<Input>*, input_count>& x,
                        std::vector<Tensor>& out, std::size_t first, std::size_t count, Buffers& buffers,
                        std::index_sequence<o...>) {
    if constexpr (std::same_as<ResultTuple, std::tuple<std::int32_t>>) {
      // Codes of one byte, signed or not, go straight to their place.
      if (row(out[0].type()).storage_bytes == 1) {
        return run_loop<Element, Indices>(element, x.data(), count, out[0].as<std::uint8_t>() + first);
      }
    }
    run_loop<Element, Indices>(element, x.data(), count, place<o>(out[o], first, buffers)...);
    (finish<o>(out[o], first, count, buffers), ...);
  }

  /// Where the loop writes output `o`: into the tensor where its elements are lanes, else into a buffer.
  template <std::size_t o>
  static auto* place(Tensor& out, std::size_t first, Buffers& buffers) {
    using L = Lane<std::tuple_element_t<o, ResultTuple>>;
    return out.type() == lane_type<L>() ? out.as<L>() + first : std::get<o>(buffers.outputs).data();
  }
  template <std::size_t o>
  static void finish(Tensor& out, std::size_t first, std::size_t count, const Buffers& buffers) {
    using L = Lane<std::tuple_element_t<o, ResultTuple>>;
    if (out.type() != lane_type<L>()) store(out, first, count, std::get<o>(buffers.outputs).data());
  }

  template <std::size_t... i>
  static bool specified_at(const Element& element, const std::array<const Lane<Input>*, input_count>& x, std::size_t at,
                           std::index_sequence<i...>) {
    return element.is_specified(Input(x[i][at])...);
  }
};

/// An input element for the traced and exact readings.
template <class Number>
Number input_number(const Input& input, const Tensor& tensor, std::size_t index, bool as_integer, Type arithmetic) {
  const double value = tensor.real(index);
  if constexpr (std::same_as<Number, Exact>) return Exact(value);
  else {
    const Type type = is_integer(tensor.type()) ? Type::int32 : tensor.type();
    const Traced given = Traced(type, value).from({{}, input.name});
    if (as_integer) return given;
    if (!is_integer(type)) return convert(given, arithmetic);
    // As the compiled reading loads it: formats of 16 bits by way of binary32.
    const Type lane = arithmetic == Type::float64 ? Type::float64 : Type::float32;
    return convert(from_integer(given, Traced(lane, 0)), arithmetic);
  }
}

template <class F>
inline constexpr std::size_t kInputCount = F::input_count;

template <template <class> class Element, class Number, class NativeInput, std::size_t... i>
auto apply_to_one(const Arguments& arguments, const Inputs& inputs, std::size_t index, Type arithmetic,
                  const void* whole, std::index_sequence<i...>) {
  const Signature& signature = *arguments.signature;
  const auto element =
      Element<Number>::at(Values<Number>(arguments, parameter_layout(arguments).position(index), arithmetic, whole));
  [[maybe_unused]] constexpr bool as_integer = std::same_as<NativeInput, std::int32_t>;
  return element(input_number<Number>(signature.inputs[i], inputs.find(signature.inputs[i].name)->second, index,
                                      as_integer, arithmetic)...);
}

template <class T>
auto as_tuple(T result) {
  if constexpr (requires { std::tuple_size<T>::value; }) return result;
  else return std::tuple<T>(std::move(result));
}

/// Stands for what runs an element, to ask whether a formula selects one. Clang 14 cannot ask inside a lambda.
struct AnyRun {
  template <template <class> class Element, class Real>
  void operator()() const {}
};
template <class F>
concept SelectsElement = requires(const Arguments& arguments) {
  F::select(arguments, AnyRun{});
};

/// As many elements as the shape has, from the first on.
inline Tensor first_elements(const Tensor& tensor, const Shape& shape) {
  if (element_count(shape) == element_count(tensor.shape())) return tensor.reshaped(shape);
  Tensor result(tensor.type(), shape);
  for (std::size_t i = 0; i < result.size(); ++i) result.set_bits(i, tensor.bits(i));
  return result;
}

inline Exact as_exact(const Exact& value) {
  return value;
}
inline Exact as_exact(bool value) {
  return Exact(value ? 1 : 0);
}

}  // namespace elementwise_detail

/// The registry's row for an elementwise formula.
template <class F>
Formula elementwise() {
  namespace detail = elementwise_detail;
  // Calls use.operator()<Element, Real>() for the element and the arithmetic that the arguments select.
  static constexpr auto with_selected = [](const Arguments& arguments, auto use) {
    if constexpr (detail::SelectsElement<F>) return F::select(arguments, use);
    else return use.template operator()<F::template Element, float>();
  };
  static constexpr auto input_count = [] {
    if constexpr (requires { F::input_count; }) return std::size_t{F::input_count};
    else return std::size_t{1};
  }();
  using Indices = std::make_index_sequence<input_count>;
  static constexpr auto whole_of = [](const Arguments& arguments) {
    if constexpr (requires { F::whole(arguments); }) return F::whole(arguments);
    else return std::monostate{};
  };

  Formula formula;
  formula.signature = &F::signature;
  if constexpr (requires(const Arguments& arguments) { F::whole(arguments); })
    formula.reach = ParameterReach::all_places;
  if constexpr (requires(const Arguments& arguments) { F::check(arguments); }) formula.check = F::check;
  else formula.check = [](const Arguments&) {};
  formula.evaluate = [](const Arguments& arguments, const Inputs& inputs) {
    const DefaultFloatEnvironment environment;
    const auto whole = whole_of(arguments);
    Evaluation evaluation = with_selected(arguments, [&]<template <class> class Element, class Real>() {
      return detail::NativeRun<Element<Real>, input_count>::evaluate(arguments, inputs, NumberTraits<Real>::format,
                                                                     &whole);
    });
    if constexpr (requires { F::output_shape(arguments, 0); }) {
      for (std::size_t o = 0; o < F::signature.outputs.size(); ++o) {
        Tensor& tensor = evaluation.outputs.find(F::signature.outputs[o].name)->second;
        tensor = detail::first_elements(tensor, F::output_shape(arguments, o));
      }
    }
    return evaluation;
  };
  formula.trace = [](const Arguments& arguments, const Inputs& inputs, std::size_t index) {
    const DefaultFloatEnvironment environment;
    const auto whole = whole_of(arguments);
    Trace trace;
    const TraceRecorder recorder(trace);
    with_selected(arguments, [&]<template <class> class Element, class Real>() {
      const auto results = detail::as_tuple(detail::apply_to_one<Element, Traced, typename Element<Real>::Input>(
          arguments, inputs, index, NumberTraits<Real>::format, &whole, Indices{}));
      const auto& first = std::get<0>(results);
      if constexpr (!std::same_as<std::remove_cvref_t<decltype(first)>, bool>) {
        const Traced result = is_floating(arguments.output_type(0)) ? convert(first, arguments.output_type(0)) : first;
        if (trace.empty()) trace.push_back({"take as it is", {}, result.exact(), result});
      }
    });
    return trace;
  };
  formula.exact = [](const Arguments& arguments, const Inputs& inputs, std::size_t index) {
    const DefaultFloatEnvironment environment;
    const auto whole = whole_of(arguments);
    std::vector<Exact> values;
    with_selected(arguments, [&]<template <class> class Element, class Real>() {
      std::apply([&](const auto&... result) { (values.push_back(detail::as_exact(result)), ...); },
                 detail::as_tuple(detail::apply_to_one<Element, Exact, typename Element<Real>::Input>(
                     arguments, inputs, index, NumberTraits<Real>::format, &whole, Indices{})));
    });
    return values;
  };
  return formula;
}

}  // namespace qassay
