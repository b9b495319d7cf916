// A group of a case file as it was read: what its cases share.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interpreter/formula.hpp"
#include "tools/case_program.hpp"
#include "tools/generators.hpp"

namespace qassay {

/// An input: a literal tensor, or a list that is generated.
struct InputPlan {
  Type type = Type::float32;
  std::optional<Shape> shape;
  std::optional<std::vector<CaseNumber>> literal;
  std::vector<Generator> generators;
};

/// What one element of an output is stated to be.
struct StatedElement {
  enum class Kind : std::uint8_t { computed, exact, unspecified, either, between };
  Kind kind = Kind::computed;  ///< computed: nothing is stated
  std::vector<CaseNumber> numbers;
};

/// What an output is stated to be: every element, or nothing of it.
struct StatedOutput {
  std::optional<Type> type;
  std::optional<Shape> shape;
  std::optional<std::vector<StatedElement>> elements;  ///< absent: all are unspecified
  std::string place;
};

struct Lengths {
  std::size_t from = 0;
  std::size_t to = 0;
};

struct CaseGroup {
  std::string place;  ///< "cases/onnx/quantize_linear.json: /groups/3"
  std::string id;
  std::string why;
  std::string source;
  std::string policy;
  std::vector<std::string> traps;
  Settings settings;
  /// Crossed parameters in the order of the file: a name, and for each value its text in the case's name.
  std::vector<std::pair<std::string, std::vector<std::pair<std::string, Written>>>> each;
  std::optional<Lengths> lengths;
  std::map<std::string, InputPlan, std::less<>> inputs;
  std::map<std::string, StatedOutput, std::less<>> outputs;
  std::optional<ErrorKind> error;
  std::string generators;                      ///< how the inputs come about, as JSON
  std::shared_ptr<const CaseProgram> program;  ///< of a file of programs
};

}  // namespace qassay
