// A formula's signature, as data. Checks, listings, documentation and cases all follow from it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "interpreter/numeric/type.hpp"

namespace qassay {

/// What a parameter is for, whatever its framework calls it. A formula has at most one parameter of a role, so one
/// set of values can drive formulas of different dialects.
enum class Role : std::uint8_t {
  scale,  ///< of the quantized tensor that goes in or comes out
  zero_point,
  input_scale,  ///< of the activations behind an accumulator
  weight_scale,
  dtype,  ///< the type of the output
  axis,
  block_size,
  quant_min,
  quant_max,
  precision,  ///< the type in which a quotient is taken, where it can be chosen
  saturate,
  opset,
  contraction,
  zero_point_dtype,
  accumulator_op,  ///< which operator the accumulators come from
  minimum,         ///< of the values seen, as an observer keeps it
  maximum,
  eps,              ///< the smallest scale
  averaging_const,  ///< the weight of the newest batch
  symmetry,         ///< whether, or how, the range is made symmetric around zero
  reduce_range,
  observer_on,
  fake_quant_on,
  per_row,
  grad_factor,
  block_shape,  ///< the extents of a block
  group_size,   ///< of the groups along the last axis
  input_zero_point,
  weight_zero_point,
  bins,         ///< of a histogram
  input_low,    ///< where the grid of a fake quantize begins on the input's side
  input_high,   ///< where it ends there
  output_low,   ///< where it begins on the output's side
  output_high,  ///< where it ends there
  levels,       ///< points of that grid
  node,         ///< which of a runtime's kernels computes
  low_precision_transforms,
  factor,       ///< that the input is multiplied by
  shift,        ///< that is taken from the product
  destination,  ///< the format whose values the output takes, whatever its own type
  rank,         ///< dimensions of the tensor that results are meant for
};
inline constexpr std::size_t kRoleCount = static_cast<std::size_t>(Role::rank) + 1;

std::string_view name(Role role);

/// How a parameter is written and checked.
enum class ParameterKind : std::uint8_t {
  real,             ///< a scalar, a vector along `axis`, or blocks; floating
  integer,          ///< the same, of integers
  integer_or_real,  ///< real if the parameter of role zero_point_dtype is a floating type, else integer
  whole,            ///< one integer; with the default "none" it may be left out, "lowest" and "highest" are the dtype's
  shape,            ///< extents, one for each dimension of the first input; the default is that input's shape
  dtype,            ///< a type's name
  choice,           ///< one of some words
  boolean,
};

/// Whether a parameter of this kind holds numbers that may be spread over the elements.
bool is_spread(ParameterKind kind);

/// The type a real parameter's decimal text is rounded to, and its values are kept in.
enum class OwnType : std::uint8_t {
  of_input,   ///< the type of the first input, if that is floating, else float32; another may be given with ":type"
  of_output,  ///< the type of the output up to opset 22, where the two are one; then float32, and another may be given
  float32,
  float64,
  float32_or_float64,  ///< float32; float64 may be given and is kept
};

/// The interval in which an integer parameter must lie.
enum class Within : std::uint8_t { output_type, input_type, quant_range, int32, any };

/// Which elements share the value of a real or integer parameter, or are reduced together. Where a parameter may be
/// spread, one value of rank 0 stands for all.
enum class Spread : std::uint8_t {
  freely,        ///< all, a slice of `axis`, or a block, as far as the formula has those parameters
  alone,         ///< all, always
  along_axis,    ///< a slice of `axis`: a vector
  along_tokens,  ///< the last axis' elements: the input's shape with 1 in the last place
  in_groups,     ///< group_size elements of the last axis
  broadcast,     ///< whatever a tensor that broadcasts to the first input gives, each parameter in a shape of its own
};

struct Parameter {
  std::string_view name;
  Role role;
  ParameterKind kind;
  std::string_view fallback = {};            ///< the default as text; empty: the parameter is required
  OwnType own_type = OwnType::float32;       ///< of a real parameter
  Within within = Within::any;               ///< of an integer parameter
  Spread spread = Spread::freely;            ///< of a real or integer parameter
  std::vector<std::string_view> words = {};  ///< of a choice
  std::vector<std::pair<std::string_view, std::string_view>> aliases = {};  ///< other words, each for one of these
  std::vector<Type> types = {};     ///< of a dtype; those that an integer parameter may be kept in
  std::int64_t lowest = INT64_MIN;  ///< of a whole parameter
  std::int64_t highest = INT64_MAX;
  std::string_view about = {};
};

/// The shape of a further input.
enum class InputShape : std::uint8_t { of_first, own };

struct Input {
  std::string_view name;
  std::vector<Type> types;
  std::string_view about;
  InputShape shape = InputShape::of_first;
};

/// Which type an output has. `varies`: as it says about itself.
enum class OutputRule : std::uint8_t { fixed, of_dtype, of_input, varies };

struct Output {
  std::string_view name;
  OutputRule rule;
  Type fixed = Type::float32;
  std::string_view about = {};
  std::string_view sum_of = {};  ///< the output whose elements it adds up, where the order of additions is left open
};

enum class FormulaKind : std::uint8_t { elementwise, reduce, composite };
std::string_view name(FormulaKind kind);

/// Whether a formula is a text that leaves things open, or what a program does.
enum class Authority : std::uint8_t { specification, implementation };

/// One arithmetic act, for the reader.
struct Step {
  std::string_view name;
  std::string_view about;
};

struct Signature {
  std::string_view id;
  std::string_view summary;  ///< the formula in one line
  FormulaKind kind = FormulaKind::elementwise;
  Authority authority = Authority::implementation;
  std::vector<Input> inputs;
  std::vector<Parameter> parameters;
  std::vector<Output> outputs;
  Spread slices = Spread::freely;  ///< of a reduction: the elements that one result comes from
  std::vector<Step> steps;
  std::string_view edges = {};   ///< what becomes of NaN, infinities, overflow, degenerate scales
  std::string_view source = {};  ///< where it is said
  std::string_view verified =
      {};            ///< against which version, on how many elements, with how many mismatches; empty for a text
  int revision = 1;  ///< counts up when the formula's results change; goldens name it

  const Parameter* parameter(Role role) const;
  const Parameter* parameter(std::string_view name) const;
};

/// Whether the formula has parameters for each slice along an axis.
bool lies_along_axis(const Signature& signature);
/// Whether a list of elements must stand as a row of a tensor with two axes: channels lie before it, groups in it.
bool needs_row(const Signature& signature);

/// "onnx" of "onnx.QuantizeLinear"; "QuantizeLinear" of it; "2.13" of "pytorch.quantize_per_tensor@2.13", or nothing.
std::string_view dialect_of(std::string_view id);
std::string_view op_of(std::string_view id);
std::string_view version_of(std::string_view id);

/// The types ONNX quantizes to without being floating, in the order of their introduction.
inline constexpr std::initializer_list<Type> kOnnxCodeTypes = {Type::uint8, Type::int8, Type::uint16, Type::int16,
                                                               Type::uint4, Type::int4, Type::uint2,  Type::int2};

}  // namespace qassay
