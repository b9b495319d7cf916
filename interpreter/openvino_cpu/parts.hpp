// How the CPU plugin's nodes compute a grid, whatever it is made from.
#pragma once

#include "interpreter/openvino/fake_quantize.hpp"
#include "interpreter/openvino_cpu/low_precision_parts.hpp"

namespace qassay::openvino_cpu {

using openvino::or_zero;
using openvino::Subnormals;

/// Which bounds are tensors of more than one element.
struct Vectors {
  bool input_low = false;
  bool input_high = false;
  bool output_low = false;
  bool output_high = false;
};

/// What the plugin decides once for a whole tensor when it compiles a model.
struct Compiled {
  Rewriting rewriting;
  /// Constants that lose their subnormal elements: tensors of more than one element, if they have any.
  Subnormals flushes_low = Subnormals::kept;
  Subnormals flushes_high = Subnormals::kept;
  Subnormals flushes_step = Subnormals::kept;
  Subnormals flushes_shift = Subnormals::kept;
  Subnormals flushes_output_step = Subnormals::kept;
  Subnormals flushes_output_low = Subnormals::kept;
  /// The same for the reference node, single elements too: input low and high, output low and high.
  std::array<Subnormals, 4> bounds_subnormals{};
  bool is_index = false;  ///< the output bounds are the index's own: the last product is left out
};

template <class Real>
Real output_step(const Bounds<Real>& bounds) {
  return divide(subtract(bounds.output_high, bounds.output_low), bounds.intervals);
}

/// The type of the FakeQuantize in a model.
enum class GridType : std::uint8_t { of_x, binary32 };

/// A grid as generated code has it: constants ready, in the order they are used.
template <class Real>
struct GridConstants {
  Real input_low;
  Real input_high;
  Real step;
  Real shift;
  Real output_step;
  Real output_low;

  /// As the snippets node limits x: NaN becomes input_low.
  QASSAY_STEP Real raised_and_limited(Real x) const {
    auto raised = at_least_or_bound_if_nan(x, input_low);
    return at_most_or_bound_if_nan(raised, input_high);
  }
};

/// The snippets node's constants.
template <class Real>
GridConstants<Real> snippets_constants(const Bounds<Real>& bounds, const Compiled& compiled) {
  auto step = divide(bounds.intervals, subtract(bounds.input_high, bounds.input_low));
  auto shift = multiply(bounds.input_low, step);
  return {or_zero(bounds.input_low, compiled.flushes_low),
          or_zero(bounds.input_high, compiled.flushes_high),
          or_zero(step, compiled.flushes_step),
          or_zero(shift, compiled.flushes_shift),
          or_zero(output_step(bounds), compiled.flushes_output_step),
          or_zero(bounds.output_low, compiled.flushes_output_low)};
}

/// The same for a bfloat16 tensor whose bounds were not rewritten: constants are bfloat16 themselves.
template <class Real>
GridConstants<Real> snippets_constants_in_bfloat16(const Bounds<Real>& bounds) {
  auto intervals = openvino::cut_to_bfloat16(bounds.intervals);
  auto step = divide(intervals, subtract(bounds.input_high, bounds.input_low));
  auto output_step = divide(subtract(bounds.output_high, bounds.output_low), intervals);
  return {bounds.input_low,
          bounds.input_high,
          openvino::cut_to_bfloat16(step),
          openvino::cut_to_bfloat16(multiply(bounds.input_low, step)),
          openvino::cut_to_bfloat16(output_step),
          bounds.output_low};
}

/// The FakeQuantize node's constants.
template <class Real>
GridConstants<Real> jit_constants(const Bounds<Real>& bounds) {
  auto span = subtract(bounds.input_high, bounds.input_low);
  auto step = divide(bounds.intervals, span);
  auto shift = divide(multiply(negate(bounds.input_low), bounds.intervals), span);
  return {bounds.input_low, bounds.input_high, step, shift, output_step(bounds), bounds.output_low};
}

/// The bounds of every slice, as they are given.
template <class Source>
std::vector<Bounds<float>> channel_bounds(const Arguments& arguments) {
  const ParameterLayout layout = parameter_layout(arguments);
  std::vector<Bounds<float>> channels;
  for (std::size_t slice = 0; slice < (layout.is_per_tensor ? 1 : layout.slice_count()); ++slice)
    channels.push_back(Source::bounds(Values<float>(arguments, {slice}, Type::float32)));
  return channels;
}

/// The elements of a formula `Source` whose grid comes from Source::bounds(values): one for each node of the plugin.
/// Source::Finish<Real> makes an output of what the grid gives; Source::grid_type is the type of it;
/// Source::vectors(arguments) says which bounds are tensors, Source::levels(arguments) how many points there are.
template <class Source>
struct Nodes {
  template <class Real>
  static bool is_bfloat16(const Values<Real>& values) {
    return Source::grid_type == GridType::of_x && values.input_type() == Type::bfloat16;
  }

  /// What becomes of a node's number.
  template <class Real>
  struct Output {
    Behind<Real> behind;
    typename Source::template Finish<Real> finish;

    static Output of(const Bounds<Real>& given, const Values<Real>& values) {
      return {Behind<Real>::of(given, values.template whole<Compiled>().rewriting),
              Source::template Finish<Real>::at(values)};
    }
    QASSAY_STEP auto operator()(Real y) const { return finish(behind(y)); }
  };

  template <class Real>
  struct Snippets {
    using Number = Real;
    using Input = Real;
    GridConstants<Real> grid;
    Output<Real> output;

    static Snippets at(const Values<Real>& values) {
      const auto& compiled = values.template whole<Compiled>();
      const Bounds<Real> given = Source::bounds(values);
      const Bounds<Real> bounds = rewritten(given, compiled.rewriting);
      const bool is_narrow = is_bfloat16(values) && compiled.rewriting.kind == Rewriting::Kind::none;
      return {is_narrow ? snippets_constants_in_bfloat16(bounds) : snippets_constants(bounds, compiled),
              Output<Real>::of(given, values)};
    }
    QASSAY_STEP Real index(Real x) const {
      auto limited = grid.raised_and_limited(x);
      auto scaled = multiply(limited, grid.step);
      auto shifted = subtract(scaled, grid.shift);
      return round_half_even(shifted);
    }
    QASSAY_STEP auto operator()(Real x) const {
      return output(fused_multiply_add(index(x), grid.output_step, grid.output_low));
    }
  };

  /// The elementwise node, to which some grids of two levels fall.
  template <class Real>
  struct Eltwise {
    using Number = Real;
    using Input = Real;
    Snippets<Real> snippets;

    /// Its limits lose subnormal values even as single elements.
    static Eltwise at(const Values<Real>& values) {
      const auto& subnormals = values.template whole<Compiled>().bounds_subnormals;
      Eltwise eltwise{Snippets<Real>::at(values)};
      auto& grid = eltwise.snippets.grid;
      grid.input_low = or_zero(grid.input_low, subnormals[0]);
      grid.input_high = or_zero(grid.input_high, subnormals[1]);
      return eltwise;
    }
    QASSAY_STEP auto operator()(Real x) const {
      auto scaled = multiply(snippets.index(x), snippets.grid.output_step);
      return snippets.output(add(scaled, snippets.grid.output_low));
    }
  };

  template <class Real>
  struct Jit {
    using Number = Real;
    using Input = Real;
    GridConstants<Real> grid;
    bool is_index;
    Output<Real> output;

    static Jit at(const Values<Real>& values) {
      const auto& compiled = values.template whole<Compiled>();
      const Bounds<Real> given = Source::bounds(values);
      return {jit_constants(rewritten(given, compiled.rewriting)), compiled.is_index, Output<Real>::of(given, values)};
    }
    QASSAY_STEP auto operator()(Real x) const {
      auto lowered = at_most_or_bound_if_nan(x, grid.input_high);
      auto limited = at_least_or_bound_if_nan(lowered, grid.input_low);
      auto shifted = fused_multiply_add(limited, grid.step, grid.shift);
      auto index = round_half_even(shifted);
      return output(is_index ? index : fused_multiply_add(index, grid.output_step, grid.output_low));
    }
  };

  template <class Real>
  struct Reference {
    using Number = Real;
    using Input = Real;
    openvino::FakeQuantize::Element<Real> element;
    Output<Real> output;

    /// Constants of a model lose their subnormal values on the way to this node, but not those of bfloat16.
    static Reference at(const Values<Real>& values) {
      const auto& compiled = values.template whole<Compiled>();
      const Bounds<Real> given = Source::bounds(values);
      const Bounds<Real> bounds = rewritten(given, compiled.rewriting);
      if (is_bfloat16(values)) return {{bounds, openvino::Ending::cut}, Output<Real>::of(given, values)};
      const auto& subnormals = compiled.bounds_subnormals;
      return {
          {{or_zero(bounds.input_low, subnormals[0]), or_zero(bounds.input_high, subnormals[1]),
            or_zero(bounds.output_low, subnormals[2]), or_zero(bounds.output_high, subnormals[3]), bounds.intervals}},
          Output<Real>::of(given, values)};
    }
    QASSAY_STEP auto operator()(Real x) const { return output(element(x)); }
  };

  /// Where the transformations left a constant: x plays no part.
  template <class Real>
  struct Constant {
    using Number = Real;
    using Input = Real;
    Real value;
    Output<Real> output;

    static Constant at(const Values<Real>& values) {
      const Rewriting& rewriting = values.template whole<Compiled>().rewriting;
      const Bounds<Real> given = Source::bounds(values);
      const Bounds<Real> bounds = rewritten(given, rewriting);
      const auto output = Output<Real>::of(given, values);
      if (rewriting.kind == Rewriting::Kind::one_value) return {bounds.output_low, output};
      auto code = wrap(truncate_to_int32(bounds.output_low), code_range(Type::uint8));
      return {from_integer(code, bounds.output_low), output};
    }
    QASSAY_STEP auto operator()(Real /*x*/) const { return output(take(value)); }
  };

  static auto select(const Arguments& arguments, auto run) {
    const Rewriting::Kind kind = whole(arguments).rewriting.kind;
    if (kind == Rewriting::Kind::one_code || kind == Rewriting::Kind::one_value)
      return run.template operator()<Constant, float>();
    switch (arguments.choice<Node>(Role::node)) {
      case Node::snippets: return run.template operator()<Snippets, float>();
      case Node::jit: return run.template operator()<Jit, float>();
      case Node::eltwise: return run.template operator()<Eltwise, float>();
      case Node::reference: break;
    }
    return run.template operator()<Reference, float>();
  }

  static Compiled whole(const Arguments& arguments) {
    std::vector<Bounds<float>> channels = channel_bounds<Source>(arguments);
    Compiled compiled;
    if (Source::may_be_rewritten(arguments))
      compiled.rewriting = rewriting_of(channels, Source::levels(arguments), Source::is_apart(arguments));
    for (Bounds<float>& channel : channels) channel = rewritten(channel, compiled.rewriting);
    // Of a constant with a value for every channel.
    const auto subnormals_of = [&](auto constant) {
      const bool has_one =
          std::ranges::any_of(channels, [&](const auto& channel) { return openvino::is_subnormal(constant(channel)); });
      return has_one ? Subnormals::flushed : Subnormals::kept;
    };
    using Bound = float Bounds<float>::*;
    const std::array<Bound, 4> bounds{&Bounds<float>::input_low, &Bounds<float>::input_high, &Bounds<float>::output_low,
                                      &Bounds<float>::output_high};
    for (std::size_t i = 0; i < bounds.size(); ++i)
      compiled.bounds_subnormals[i] = subnormals_of([&](const Bounds<float>& channel) { return channel.*bounds[i]; });
    const Vectors vectors = Source::vectors(arguments);
    // Generated code keeps those of single elements.
    const auto subnormals_of_vector = [&](bool is_vector, auto constant) {
      if (!is_vector) return Subnormals::kept;
      return subnormals_of([&](const Bounds<float>& channel) { return constant(snippets_constants(channel, {})); });
    };
    using Grid = GridConstants<float>;
    compiled.flushes_low = subnormals_of_vector(vectors.input_low, [](const Grid& grid) { return grid.input_low; });
    compiled.flushes_high = subnormals_of_vector(vectors.input_high, [](const Grid& grid) { return grid.input_high; });
    compiled.flushes_step =
        subnormals_of_vector(vectors.input_low || vectors.input_high, [](const Grid& grid) { return grid.step; });
    compiled.flushes_shift =
        subnormals_of_vector(vectors.input_low || vectors.input_high, [](const Grid& grid) { return grid.shift; });
    compiled.flushes_output_step = subnormals_of_vector(vectors.output_low || vectors.output_high,
                                                        [](const Grid& grid) { return grid.output_step; });
    compiled.flushes_output_low =
        subnormals_of_vector(vectors.output_low, [](const Grid& grid) { return grid.output_low; });
    compiled.is_index = std::ranges::all_of(channels, [](const Bounds<float>& channel) {
      return openvino_cpu::output_step(channel) == 1 && channel.output_low == 0;
    });
    return compiled;
  }
};

/// The outputs of a grid of numbers: as they are, or in the way bfloat16 is stored.
template <class Real>
struct NumberFinish {
  openvino::Ending ending;

  /// The reference node ends its numbers itself.
  static NumberFinish at(const Values<Real>& values) {
    const bool is_flushed =
        values.input_type() == Type::bfloat16 && values.template choice<Node>(Role::node) != Node::reference;
    return {is_flushed ? openvino::Ending::flushed : openvino::Ending::as_it_is};
  }
  QASSAY_STEP Real operator()(Real y) const { return openvino::ended(y, ending); }
};

/// Where PyTorch's scales and zero points give every channel bounds of its own.
struct PerChannelBounds {
  static constexpr GridType grid_type = GridType::of_x;
  template <class Real>
  using Finish = NumberFinish<Real>;
  static Vectors vectors(const Arguments& arguments) {
    const bool are_vectors =
        arguments[Role::scale].tensor->size() > 1 || arguments[Role::zero_point].tensor->size() > 1;
    return {are_vectors, are_vectors, are_vectors, are_vectors};
  }
  static std::int64_t levels(const Arguments& arguments) {
    return arguments.whole(Role::quant_max) - arguments.whole(Role::quant_min) + 1;
  }
  static bool may_be_rewritten(const Arguments& arguments) { return asks_for_rewriting(arguments); }
  static bool is_apart(const Arguments& arguments) {
    const ParameterLayout layout = parameter_layout(arguments);
    return !layout.is_per_tensor && layout.axis >= kFirstAxisApart && layout.slice_count() > 1;
  }
};

}  // namespace qassay::openvino_cpu
