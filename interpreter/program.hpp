// Composite formulas: short straight-line programs of other formulas, every intermediate value open.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interpreter/formula.hpp"

namespace qassay {

/// Where a callee's parameter comes from: a value computed before, an input or a parameter of the whole, by name; or a
/// literal.
struct FromValue {
  std::string name;
};
struct Literal {
  Written written;
  Literal(std::string_view text) : written(Written::parse(text)) {}
  Literal(Written value) : written(std::move(value)) {}
};
using ProgramSource = std::variant<FromValue, Literal>;

/// One line of a program.
struct ProgramCall {
  Formula callee;
  std::vector<std::pair<std::string, std::string>> inputs;        ///< callee's input, value
  std::vector<std::pair<std::string, ProgramSource>> parameters;  ///< callee's parameter, source
  std::vector<std::pair<std::string, std::string>> outputs;       ///< callee's output, value
};
using ProgramCalls = std::vector<ProgramCall>;

/// Every parameter of a callee from the value of the same name.
std::vector<std::pair<std::string, ProgramSource>> same_named(const Signature& callee);

/// What a program has computed so far, beside what it was given.
class ProgramState {
 public:
  ProgramState(const Arguments& whole, Inputs inputs);

  /// What a call is given. Throws RequestError where the callee refuses.
  struct Bound {
    Inputs inputs;
    Settings settings;
    Arguments arguments;
  };
  Bound bind(const ProgramCall& call) const;
  /// Takes the values that a call gave.
  void take(const ProgramCall& call, Evaluation evaluation);

  const Tensor& tensor(std::string_view name) const;
  /// 1 for the elements of a value that a text leaves open; nullptr: none.
  const std::vector<std::uint8_t>* unspecified(std::string_view name) const;

 private:
  Inputs values_;
  Settings settings_;  ///< the arguments of the whole; a value of the same name goes before
  std::map<std::string, std::vector<std::uint8_t>, std::less<>> unspecified_;
};

/// Where a value of this shape holds what element `index` of the whole's first input has to do with: the element
/// itself, its slice's value, its block's, or the only one.
std::size_t place_in(const Shape& shape, const Arguments& whole, std::size_t index);

/// A formula that runs calls in order. Values begin as the formula's inputs and arguments; its outputs are the values
/// of their names in the end. `program` may depend on the arguments, not on what is computed. `check` refuses what the
/// whole does not take.
Formula composite(
    const Signature& signature, const std::function<ProgramCalls(const Arguments&)>& program,
    std::function<void(const Arguments&)> check = [](const Arguments&) {});

/// The same for one program, whatever the arguments.
Formula composite(
    const Signature& signature, ProgramCalls calls,
    std::function<void(const Arguments&)> check = [](const Arguments&) {});

}  // namespace qassay
