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
#include "tools/harness/difference_class.hpp"
#include "tools/harness/fingerprint.hpp"
#include "tools/harness/known_differences.hpp"
#include "tools/harness/processor.hpp"
#include "tools/harness/shown_element.hpp"
#include "tools/harness/tolerance.hpp"

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

struct OutputResult {
  OutputComparison comparison;
  std::vector<ShownElement> shown;
  std::optional<ToleranceFinding> tolerance = {};  ///< where one was asked for

  /// Elements that differ by at least half a step: the nearest whole number of steps is not 0.
  std::uint64_t whole_steps() const;
};

/// How many elements of a case differ in one way, and one of them.
struct ClassFinding {
  DifferenceClass kind = DifferenceClass::without_measure;
  std::uint64_t count = 0;
  std::size_t output = 0;  ///< index into the outputs
  ShownElement example;
  std::array<std::string, 2> explain;  ///< the commands that show its steps by the formulas that fit
};

/// What one backend of a pair did.
struct SideFinding {
  Verdict verdict = Verdict::unsupported;  ///< beside what the case expects
  std::string ending;                      ///< how it ended, where it gave no outputs
  const KnownDifference* known_difference = nullptr;
  Fingerprint fingerprint;
};

/// How many of all inputs differ in one way, and the one nearest to zero.
struct SweepClass {
  DifferenceClass kind = DifferenceClass::without_measure;
  std::uint64_t count = 0;
  TypedBits input = {};
  Type output_type = Type::float32;
  Difference difference = {};
};

/// Two backends on every value of an input's type, with the parameters of a case.
struct SweepFinding {
  std::string failure;       ///< why it was not made, or not to the end
  std::uint64_t inputs = 0;  ///< of the type
  std::uint64_t tried = 0;   ///< fewer where it was interrupted
  std::uint64_t differing = 0;
  std::vector<SweepClass> classes;  ///< most inputs first
};

/// A case on two backends.
struct PairFinding {
  std::array<SideFinding, 2> sides;   ///< the one under test, and the one it is compared with
  std::vector<ClassFinding> classes;  ///< most elements first
  std::optional<SweepFinding> sweep;  ///< where one was asked for
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
  bool is_bit_exact = false;        ///< every element was judged and equal
  std::optional<PairFinding> pair;  ///< where two backends are compared

  bool has_sweep() const { return pair && pair->sweep; }
  /// Whether it passes, but a sweep finds inputs on which the pair parts.
  bool differs_elsewhere() const { return verdict == Verdict::pass && has_sweep() && pair->sweep->differing > 0; }
};

struct BackendResult {
  std::string name;
  std::string title;
  Hello hello;
  std::vector<KnownDifference> known_differences;
  bool is_witness = false;  ///< a real implementation with a folder of its own
  std::string failure;      ///< why it could not be run, or not to the end
};

/// Cases with differing elements that pass a tolerance.
struct LetThrough {
  const Tolerance* tolerance = nullptr;
  std::size_t cases = 0;
  std::size_t elements = 0;     ///< that differ
  std::size_t whole_steps = 0;  ///< of these, by at least half a step
};

struct RunResults {
  std::string command;
  Processor processor;
  std::vector<BackendResult> backends;
  std::optional<BackendResult> against;  ///< the other backend, where two are compared
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
  /// What the tolerance lets through, where one was asked for.
  std::optional<LetThrough> let_through() const;
};

}  // namespace qassay
