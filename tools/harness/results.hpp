// What a run found.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/cases.hpp"
#include "tools/harness/adapter_process.hpp"
#include "tools/harness/compare.hpp"
#include "tools/harness/known_differences.hpp"
#include "tools/harness/processor.hpp"

namespace qassay {

enum class Verdict : std::uint8_t {
  pass,
  mismatch,
  known_difference,
  unexpected_pass,
  unspecified,
  unsupported,
  error,
  crash,
  timeout,
};
inline constexpr std::size_t kVerdictCount = static_cast<std::size_t>(Verdict::timeout) + 1;

std::string_view name(Verdict verdict);
/// Whether a run with this verdict is not as expected.
bool is_failure(Verdict verdict);

/// A number in a tensor.
struct TypedBits {
  Type type = Type::float32;
  std::uint64_t bits = 0;
};

/// A differing element with what it came from.
struct ShownElement {
  Difference difference;
  Shape index;
  std::vector<std::pair<std::string, TypedBits>> inputs;
  std::string explain;  ///< the command that shows its steps
};

struct OutputResult {
  OutputComparison comparison;
  std::vector<ShownElement> shown;
};

struct CaseResult {
  std::size_t backend = 0;  ///< index into the run's backends
  std::size_t spec = 0;     ///< index into the run's cases
  Verdict verdict = Verdict::unsupported;
  std::string message;
  std::string diagnosis;  ///< which rule the backend follows, in a sentence, where that was found
  double seconds = 0;
  std::vector<std::pair<std::string, std::string>> parameters;  ///< as written after --set
  std::string policy;                                           ///< what its outputs were judged by
  std::vector<OutputResult> outputs;
  const KnownDifference* known_difference = nullptr;
  bool is_bit_exact = false;  ///< every element was judged and equal
};

struct BackendResult {
  std::string name;
  std::string title;
  Hello hello;
  std::vector<KnownDifference> known_differences;
  bool is_witness = false;  ///< a real implementation with a folder of its own
  std::string failure;      ///< why it could not be run, or not to the end
};

struct RunResults {
  std::string command;
  Processor processor;
  std::vector<BackendResult> backends;
  std::vector<CaseSpec> specs;
  std::vector<CaseResult> cases;  ///< backend by backend, in the order of the specs
  std::map<std::string, Trap, std::less<>> traps;
  double seconds = 0;
  bool was_interrupted = false;

  std::array<std::size_t, kVerdictCount> verdicts() const;
  std::size_t elements() const;
  std::size_t compared() const;
  /// A case counts if its outputs were compared, or if it had to be refused and the answer was judged.
  std::size_t judged_cases() const;
};

}  // namespace qassay
