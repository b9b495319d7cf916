// An identity on a backend: its own three operators, on the inputs that matter.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "tools/diagnosis/backend_oracle.hpp"
#include "tools/diagnosis/identity.hpp"

namespace qassay {

/// A result of a backend that its formula does not predict.
struct Unpredicted {
  std::string_view side;  ///< "fake_quantize(x)"
  Witness witness;
};

struct BackendIdentityFinding {
  /// `inputs` are those asked for with the parameters given.
  IdentityFinding finding;
  /// The versions of the three formulas that the backend has.
  std::array<std::string_view, 3> asked;
  /// Elements asked for with other parameters, as a diagnosis varies them.
  std::uint64_t varied = 0;
  std::uint64_t varied_differing = 0;
  /// All results of both sides, and those that the interpreter's formulas do not predict.
  std::uint64_t results = 0;
  std::uint64_t unpredicted = 0;
  std::optional<Unpredicted> first_unpredicted;
};

/// Asks for all steps of both sides with their neighbours, for special values and the ends of the intervals on which
/// they should differ, then for what a diagnosis wants to know. Throws BackendFailure where the backend lacks a formula
/// or does not answer; RequestError.
BackendIdentityFinding check_identity(BackendOracle& backend, const Formula& fake_quantize, const Formula& quantize,
                                      const Formula& dequantize, const Settings& settings,
                                      std::optional<Type> input_type);

}  // namespace qassay
