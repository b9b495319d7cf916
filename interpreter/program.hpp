// Composite formulas: short straight-line programs of other formulas, every intermediate value open.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "interpreter/formula.hpp"

namespace qassay {

/// Where a callee's parameter comes from: a value computed before, by name, or a literal.
struct FromValue {
  std::string_view name;
};
struct Literal {
  std::string_view text;
};
using ProgramSource = std::variant<FromValue, Literal>;

/// One line of a program.
struct ProgramCall {
  Formula callee;
  std::vector<std::pair<std::string_view, std::string_view>> inputs;   ///< callee's input, value
  std::vector<std::pair<std::string_view, ProgramSource>> parameters;  ///< callee's parameter, source
  std::vector<std::pair<std::string_view, std::string_view>> outputs;  ///< callee's output, value
};

/// A formula that runs the calls in order. Values begin as the formula's inputs; its outputs are the values of their
/// names.
/// `check` refuses what the whole does not take.
Formula composite(
    const Signature& signature, std::vector<ProgramCall> calls,
    std::function<void(const Arguments&)> check = [](const Arguments&) {});

}  // namespace qassay
