// Every arithmetic step of one element: what was rounded, by how much, and which step decides the result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/formula.hpp"
#include "tools/diagnosis/alternatives.hpp"

namespace qassay {

/// An input or parameter as the element sees it.
struct Given {
  std::string_view name;
  std::optional<StoredNumber> number;  ///< nothing for types, words and whole numbers
  std::string text;                    ///< decimal, or the word
  bool is_default = false;
};

struct ExplainedOperand {
  std::string from;  ///< "x", "S2", or nothing: a constant of the formula
  StoredNumber number;
};

/// The tie k + 1/2 nearest to a number that is rounded to an integer.
struct NearestTie {
  Rational at;
  Rational distance;  ///< of the number: negative below the tie
  Rational ulp;       ///< the distance in ulp of the number
};

struct ExplainedStep {
  std::string_view name;  ///< of the signature's step, where it is known
  std::string act;
  std::string_view part;  ///< of a composite: the formula's id
  StepKind kind = StepKind::exact;
  std::vector<ExplainedOperand> operands;
  Exact exact;  ///< of these operands, before rounding
  StoredNumber result;
  std::optional<Rational> error_ulp;  ///< result - exact, in ulp of the result, where a format is rounded to
  std::optional<NearestTie> tie;      ///< where an integer is rounded to and the operand is none
  std::string note;                   ///< what happened, in a few words
};

struct ExplainedOutput {
  std::string_view name;
  StoredNumber number;
  bool is_unspecified = false;
  Exact ideal;                         ///< without any rounding but the one asked for
  std::optional<Rational> from_ideal;  ///< number - ideal, where both are finite
  std::string note;
};

struct Explanation {
  const Signature* signature = nullptr;
  std::size_t index = 0;     ///< of the element, or the channel of a formula of one element
  std::size_t elements = 1;  ///< to choose from by index
  std::vector<Given> inputs;
  std::vector<Given> parameters;
  std::vector<ExplainedStep> steps;
  std::optional<std::size_t> deciding;  ///< index into steps
  std::string because;
  std::vector<ExplainedOutput> outputs;
  Alternatives formulas;                  ///< by their first output
  std::optional<RuleAlternatives> rules;  ///< of quantizations of real numbers
};

/// One element's explanation. An elementwise formula takes one number for each input; `index` is then the channel of
/// vector parameters, whatever the axis. Other formulas take whole tensors, and `index` is the element in C order.
/// Throws RequestError.
Explanation explain(const Formula& formula, const Inputs& inputs, const Settings& settings, std::size_t index);

struct TextStyle {
  bool has_colours = false;
  std::size_t width = 100;
};

std::string explanation_text(const Explanation& explanation, const TextStyle& style);
/// The format that README.md beside this file states.
std::string explanation_json(const Explanation& explanation);

}  // namespace qassay
