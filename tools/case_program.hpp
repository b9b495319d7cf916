// A program as a case file writes it: formulas called one after the other, every value between them open.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "interpreter/program.hpp"
#include "tools/json_document.hpp"

namespace qassay {

/// What reads "steps" of a case file:
///
///     {"call": "pytorch.quantize_per_tensor@2.13", "in": {"x": "x"}, "with": {"scale": "scale"}, "set": {"dtype":
///      "quint8"}, "out": {"q": "codes"}}
///
/// `in` names the values that go to the callee's inputs: outputs of earlier steps, or inputs of the program. `with`
/// does the same for its parameters: outputs of earlier steps, or parameters of the program, which a group's "set" and
/// "each" give. `set` has parameters that are the same in every group. Every value is an output of the program.
class CaseProgram {
 public:
  /// Throws RequestError(bad_file) with the place.
  static std::shared_ptr<const CaseProgram> read(const JsonValue& id, const JsonValue& steps);

  const Formula& formula() const { return formula_; }
  const ProgramCalls& calls() const { return calls_; }

 private:
  friend class ProgramReader;
  std::deque<std::string> texts_;  ///< what the signature's views look at
  Signature signature_;
  ProgramCalls calls_;
  Formula formula_;
};

}  // namespace qassay
