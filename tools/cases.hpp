// Cases: read from JSON, checked against the formula's signature, and made into tensors when they are run.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "interpreter/formula.hpp"

namespace qassay {

/// What one element may be, where it is not one exact value.
struct Freedom {
  std::vector<std::uint64_t> either;                               ///< the bits of the values allowed, or
  std::optional<std::pair<std::uint64_t, std::uint64_t>> between;  ///< the bits of the lowest and highest value allowed
};

struct ExpectedOutput {
  Tensor values;
  std::vector<std::uint8_t> unspecified;    ///< 1 for elements that are not judged; empty: none
  std::map<std::size_t, Freedom> freedoms;  ///< by element
};

/// What a case expects: outputs, or that the request is refused.
struct Expectation {
  std::map<std::string, ExpectedOutput, std::less<>> outputs;
  std::optional<ErrorKind> error;
};

/// A trap's row in cases/traps.json.
struct Trap {
  std::string name;
  std::string title;
  std::string wrong;                 ///< what goes wrong
  std::string cost;                  ///< what it costs
  std::vector<std::string> reports;  ///< public, as owner/repository#number
};

/// A group of a case file.
struct CaseGroup;

/// A case's inputs and what they must give.
struct Case {
  Inputs inputs;
  std::optional<Arguments> arguments;  ///< absent where the request must be refused
  Expectation expectation;
};

class CaseProgram;

/// A case by name; its tensors are made when it is asked for.
struct CaseSpec {
  std::string name;  ///< "onnx.QuantizeLinear/ties[y_scale=0x1p-1]"
  const Formula* formula = nullptr;
  std::shared_ptr<const CaseGroup> group;
  Settings settings;
  std::optional<std::size_t> length;  ///< of the input, where the group counts lengths

  /// The program, for a case of one.
  const CaseProgram* program() const;
  /// The ids of the formulas that a backend is asked for: the case's own, or those of its program's steps.
  std::vector<std::string_view> asked_formulas() const;

  std::string_view group_id() const;
  std::string_view why() const;
  const std::vector<std::string>& traps() const;
  /// The group's policy in the words of `check --policy`, or nothing.
  std::string_view policy() const;
  /// What the golden manifest says about how the inputs came about: the generators, as JSON text.
  std::string generators() const;

  /// Deterministic. Throws RequestError for a case that contradicts its formula.
  Case materialise() const;
};

/// Reads case files; folders are searched for *.json below them, in the order of their names. Throws
/// RequestError(bad_file) naming file, place (/groups/3/tests/0/x), what was expected and the next step.
std::vector<CaseSpec> load_cases(const std::vector<std::filesystem::path>& files_and_folders);

/// cases/traps.json.
std::map<std::string, Trap, std::less<>> load_traps(const std::filesystem::path& file);

/// The file a formula's cases stand in, below a folder: "onnx/quantize_linear.json".
std::filesystem::path case_file_of(std::string_view formula_id);

/// The input elements at which a formula with these arguments steps from one output to the next, each with its
/// `neighbours` on both sides, in the order of the type. Found by bisection over the type's ordered values; `most`
/// limits the number of steps (the outermost, those around zero, a seeded sample).
Tensor boundary_inputs(const Formula& formula, const Settings& settings, Type input_type, std::size_t most,
                       int neighbours);

}  // namespace qassay
