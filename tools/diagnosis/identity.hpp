// fake_quantize(x) == dequantize(quantize(x)): on which inputs it holds, and why not on the others.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tools/diagnosis/comparison.hpp"
#include "tools/diagnosis/diagnosis.hpp"

namespace qassay {

/// Both sides with one set of parameters, as functions of one number.
class Identity {
 public:
  /// `settings` go to each formula by name or by role; a type and the ends of its range stand for each other. All get
  /// the same numbers: one that is written is rounded once, to the narrowest type in which a formula keeps it. Throws
  /// RequestError.
  Identity(const Formula& fake_quantize, const Formula& quantize, const Formula& dequantize, const Settings& settings,
           std::optional<Type> input_type = std::nullopt);
  Identity(const Identity&) = delete;
  Identity& operator=(const Identity&) = delete;

  const ScalarFunction& fake_quantized() const { return *fake_quantized_; }
  const ScalarFunction& dequantized() const { return *dequantized_; }
  Type input_type() const { return fake_quantized_->input_type(); }
  Type output_type() const { return fake_quantized_->output_type(); }

  /// The left side without a mask, and the right side in its words: both take the same arguments.
  const Formula& expected() const { return expected_; }
  const Formula& actual() const { return actual_; }

 private:
  Formula expected_;
  Formula composed_;
  Formula actual_;
  std::unique_ptr<ScalarFunction> fake_quantized_;
  std::unique_ptr<ScalarFunction> dequantized_;
};

/// An input with what both sides give; bits.
struct IdentityWitness {
  std::uint64_t input = 0;
  std::uint64_t fake_quantized = 0;
  std::uint64_t dequantized = 0;
};

/// How far an identity holds.
struct IdentityFinding {
  Type input_type = Type::float32;
  Type output_type = Type::float32;
  Settings of_fake_quantize;  ///< each side's, in its own words, with what was filled in
  Settings of_composition;
  std::uint64_t inputs = 0;
  std::uint64_t differing = 0;                     ///< of these, NaN and infinities included
  std::uint64_t not_finite = 0;                    ///< of the differing ones: NaN and infinite inputs
  std::map<std::int64_t, std::uint64_t> by_steps;  ///< differing inputs but NaN, as Comparison counts them
  bool is_complete = true;                         ///< false: a sweep was interrupted
  std::optional<IdentityWitness> smallest;         ///< the one nearest to zero; infinite or NaN only if all are
  std::optional<std::pair<std::string, std::string>> parting;  ///< the steps in which both sides part there
  std::optional<Diagnosis> diagnosis;                          ///< of the right side against the left one

  bool holds() const { return differing == 0; }
};

enum class IdentityMethod : std::uint8_t { segments, sweep };

/// The right side against the left one, as the oracle gives it for the left side's arguments. With many parameters, or,
/// where no rule explains all of that, with those given.
Diagnosis diagnose(const Identity& identity, const Oracle& oracle);
/// The same of the right side as the identity has it.
Diagnosis diagnose(const Identity& identity);

/// Nothing counted yet.
IdentityFinding finding_about(const Identity& identity);

/// Over all inputs of the type, exactly. `diagnosis` is left for the caller.
IdentityFinding check_identity(const Identity& identity, IdentityMethod method,
                               const std::function<void(double)>& progress);

/// Why it does not hold, in a sentence; nothing where that was not asked.
std::string cause_of(const IdentityFinding& finding);

/// Whether two outputs are the same: bit for bit, but for NaN.
bool is_same_output(Type type, std::uint64_t a, std::uint64_t b);

/// The steps in which both sides part at an input.
std::pair<std::string, std::string> parting_steps(const Identity& identity, std::uint64_t input);

}  // namespace qassay
