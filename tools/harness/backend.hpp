// Backends: where they are, how each is started, and the environments they run in.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/formula.hpp"
#include "tools/harness/child_process.hpp"
#include "tools/harness/processor.hpp"
#include "tools/harness/variant.hpp"

namespace qassay {

struct Backend {
  std::string name;  ///< what follows --backend
  std::string title;
  std::filesystem::path folder;            ///< where it starts; tools/backends/NAME of a real one
  std::vector<std::string> program;        ///< with {python} and {here}
  std::chrono::milliseconds time_limit{};  ///< for one case
  std::string environment_name;            ///< whose environment it runs in: its own, or another backend's
  bool needs_environment = false;
  bool is_real = false;     ///< it has a folder below tools/backends
  bool is_command = false;  ///< a command given in place of a name

  /// Where its environment is: .backends/NAME below the workspace; and the packages that it is made of.
  std::filesystem::path environment() const;
  std::filesystem::path requirements() const;
};

/// Those with a folder below tools/backends, by name. Throws RequestError(bad_file).
std::vector<Backend> all_backends();

/// A backend's name, dialect:NAME, mutant:NAME, or a command. Throws RequestError(not_found).
Backend find_backend(std::string_view name_or_command);

/// The formulas that stand as causes in any backend's known differences on this processor, each once.
std::vector<Variant> known_causes(const Processor& processor);

/// Why its environment cannot be used, and what to do; nothing if it can.
std::optional<std::string> missing_environment(const Backend& backend);

/// Throws RequestError(not_found) if the environment is missing.
Command command_of(const Backend& backend);

/// Makes the environment if it is missing or its requirements changed. Throws RequestError(bad_file).
void install_environment(const Backend& backend);

}  // namespace qassay
