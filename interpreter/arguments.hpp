// From what a person or a case wrote to checked arguments of a formula.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/error.hpp"
#include "interpreter/numeric/exact.hpp"
#include "interpreter/signature.hpp"
#include "interpreter/tensor.hpp"

namespace qassay {

/// A value as written: numbers or words as text with an optional type and shape, or a tensor read from a file.
struct Written {
  std::vector<std::string> elements;
  std::optional<Shape> shape;  ///< absent: a scalar if there is one element and it stood alone
  std::optional<Type> type;
  std::optional<Tensor> tensor;

  static Written scalar(std::string text) { return {{std::move(text)}, Shape{}, std::nullopt, std::nullopt}; }
  static Written of(Tensor tensor) { return {{}, std::nullopt, std::nullopt, std::move(tensor)}; }
  /// What `--set name=TEXT` means: a number, a word, "[1,2,3]", each with an optional ":type"; not "@file".
  static Written parse(std::string_view text);
};

/// Parameter name to value.
using Settings = std::map<std::string, Written, std::less<>>;
using Inputs = std::map<std::string, Tensor, std::less<>>;

/// One number as text to the nearest value of the type, once: decimals, C hex floats, nan, inf, -inf, -0, integers,
/// "bits:0x…". Throws RequestError(bad_value, zero_point_out_of_range is not its business) naming the text.
std::uint64_t parse_number(std::string_view text, Type type);
/// Shortest readable text that parses back to the same bits: hex floats for floating types, decimal for integers.
std::string number_text(Type type, std::uint64_t bits);
/// For people: shortest decimal that identifies the value in its type.
std::string decimal_text(Type type, std::uint64_t bits);

/// Where one run of elements that share all parameters stands.
struct Position {
  std::size_t parameter_index = 0;  ///< into vectors and blocks; scalars ignore it
};

/// One checked argument.
struct Argument {
  std::optional<Tensor> tensor;  ///< of a real or integer parameter
  std::vector<std::size_t> at;   ///< of one that broadcasts in a shape of its own: where each slice's value stands
  std::int64_t whole = 0;        ///< of a whole or boolean parameter; the index of a choice; a dtype as its enumerator
  std::optional<Shape> shape;    ///< of a shape parameter
  std::optional<Exact> exact;    ///< the ideal value, where a program computed this argument; for the exact reading
  bool is_set = false;           ///< false: the default was taken
  bool is_none = false;          ///< a whole parameter that was left out

  /// The place in `tensor` of the value at a position.
  std::size_t index(Position position) const;
  /// That value alone, in a tensor of one element.
  Tensor value(Position position, Shape value_shape = {}) const;
};

/// The checked arguments of one call.
class Arguments {
 public:
  const Signature* signature = nullptr;
  Shape shape;  ///< of the first input; of the parameters where there is none
  Type input_type = Type::float32;
  std::array<Argument, kRoleCount> by_role;

  const Argument& operator[](Role role) const { return by_role[static_cast<std::size_t>(role)]; }
  Argument& operator[](Role role) { return by_role[static_cast<std::size_t>(role)]; }

  double real(Role role, Position at) const;
  std::int64_t integer(Role role, Position at) const;
  std::int64_t whole(Role role) const { return (*this)[role].whole; }
  Type type(Role role) const { return static_cast<Type>((*this)[role].whole); }
  /// Whether a parameter has real values here.
  bool is_real(const Parameter& parameter) const;
  /// The type a real parameter is kept in.
  Type own_type(Role role) const { return (*this)[role].tensor->type(); }
  template <class Choice>
  Choice choice(Role role) const {
    return static_cast<Choice>((*this)[role].whole);
  }
  /// The type that output `index` has.
  Type output_type(std::size_t index) const;
};

/// Checks inputs and settings against the signature and fills in defaults. Throws RequestError.
Arguments check_arguments(const Signature& signature, const Inputs& inputs, const Settings& settings);

/// Checked arguments as settings: every parameter, defaults filled in.
Settings settings_of(const Arguments& arguments);

}  // namespace qassay
