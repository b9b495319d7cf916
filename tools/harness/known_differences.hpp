// What a backend is known to do differently, each with the formula that proves it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/formula.hpp"
#include "tools/harness/processor.hpp"
#include "tools/harness/variant.hpp"

namespace qassay {

struct KnownDifference {
  std::string cases;             ///< a glob: * is any text, ? any character
  std::optional<Variant> cause;  ///< what gives the same, every element; or
  std::string crash;             ///< the signal by which the process dies: "SIGILL"
  std::string why;
  std::string upstream;      ///< a public report
  std::string processor;     ///< a feature the processor must have; empty: any
  std::string accepts = {};  ///< in place of cause and crash: the kind of error that it should have refused with

  bool covers(std::string_view case_name) const;
  /// The formula's id with what is set for it, or how the process dies, or what is not refused.
  std::string cause_text() const;
};

/// Whether the whole text matches; everything but * and ? stands for itself.
bool matches_glob(std::string_view glob, std::string_view text);

/// The entries of a file that hold on this processor; none if there is no file. Throws RequestError(bad_file) naming
/// the entry.
std::vector<KnownDifference> load_known_differences(const std::filesystem::path& file, const Processor& processor);

/// Another formula's settings for a variant, in its words.
Settings settings_for(const Variant& variant, const Signature& formula, const Settings& settings);
/// What a formula gives for another's inputs and settings, in its own words, or nothing where it refuses them.
std::optional<std::vector<Tensor>> outputs_by(const Variant& other, const Signature& formula, const Settings& settings,
                                              const Inputs& inputs);
/// Whether these are the same outputs, every element, bit for bit.
bool are_same(const std::vector<Tensor>& a, const std::vector<Tensor>& b);
/// Whether the cause gives exactly these outputs for these inputs: every element, bit for bit.
bool reproduces(const Variant& cause, const Signature& formula, const Settings& settings, const Inputs& inputs,
                const std::vector<Tensor>& outputs);

/// Whether the cause refuses these inputs and settings too.
bool refuses(const Variant& cause, const Signature& formula, const Settings& settings, const Inputs& inputs);

}  // namespace qassay
