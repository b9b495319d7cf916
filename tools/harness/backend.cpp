#include "tools/harness/backend.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "interpreter/error.hpp"
#include "interpreter/nearest_names.hpp"
#include "interpreter/registry.hpp"
#include "tools/harness/known_differences.hpp"
#include "tools/npy.hpp"
#include "tools/workspace.hpp"

namespace qassay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::chrono::seconds kTimeLimitOfCommands{60};
constexpr std::string_view kBuiltInProgram = "qassay-dialect-adapter";

Backend read_backend(const fs::path& file) {
  try {
    const json description = json::parse(read_file(file));
    for (const auto& [key, value] : description.items()) {
      constexpr std::array<std::string_view, 5> kKeys{"name", "title", "command", "time_limit", "environment"};
      if (std::ranges::find(kKeys, key) == kKeys.end()) {
        throw RequestError(ErrorKind::bad_file, fmt::format("{}: unknown key '{}'; it may have {}", file.string(), key,
                                                            fmt::join(kKeys, ", ")));
      }
    }
    Backend backend;
    backend.folder = file.parent_path();
    backend.is_real = true;
    backend.name = description.at("name");
    backend.title = description.at("title");
    backend.program = description.at("command").get<std::vector<std::string>>();
    backend.time_limit =
        std::chrono::milliseconds(static_cast<long>(1000 * description.at("time_limit").get<double>()));
    backend.environment_name = description.value("environment", backend.name);
    backend.needs_environment = fs::exists(backend.requirements());
    if (backend.environment_name != backend.name && !backend.needs_environment) {
      throw RequestError(ErrorKind::bad_file, fmt::format("{}: environment is '{}', which has no requirements.txt",
                                                          file.string(), backend.environment_name));
    }
    if (backend.name != backend.folder.filename()) {
      throw RequestError(ErrorKind::bad_file,
                         fmt::format("{}: name is '{}', expected '{}' like the folder", file.string(), backend.name,
                                     backend.folder.filename().string()));
    }
    if (backend.program.empty() || backend.time_limit.count() <= 0) {
      throw RequestError(ErrorKind::bad_file,
                         fmt::format("{}: needs a command and a time_limit above 0", file.string()));
    }
    return backend;
  } catch (const json::exception& error) {
    throw RequestError(ErrorKind::bad_file,
                       fmt::format("{}: {}; expected {{\"name\": …, \"title\": …, \"command\": [\"…\"], "
                                   "\"time_limit\": seconds}}",
                                   file.string(), error.what()));
  }
}

/// The program that answers for dialects and mutants, built beside this one.
fs::path built_in_program() {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& folder : {here, here.parent_path()}) {
    if (fs::exists(folder / kBuiltInProgram)) return folder / kBuiltInProgram;
  }
  throw RequestError(ErrorKind::not_found,
                     fmt::format("{} is not beside the qassay program in {}; build it ('cmake --build …')",
                                 kBuiltInProgram, here.string()));
}

void require_dialect(std::string_view name) {
  std::set<std::string> dialects;
  for (const Formula& formula : all_formulas()) dialects.emplace(dialect_of(formula.id()));
  if (dialects.contains(std::string(name))) return;
  throw RequestError(ErrorKind::not_found, fmt::format("no dialect '{}'{}; 'qassay list' shows all", name,
                                                       did_you_mean(name, {dialects.begin(), dialects.end()})));
}

Backend built_in(std::string_view name) {
  const std::string_view kind = name.substr(0, name.find(':'));
  const std::string_view rest = name.substr(kind.size() + 1);
  if (kind == "dialect") require_dialect(rest);
  Backend backend;
  backend.name = name;
  backend.title = fmt::format("{}: {}", kind == "dialect" ? "qassay's own" : "wrong on purpose", rest);
  backend.program = {built_in_program().string(), std::string(name)};
  backend.folder = fs::current_path();
  backend.time_limit = kTimeLimitOfCommands;
  return backend;
}

/// A command line, as a shell reads it.
Backend given_command(std::string_view text) {
  const bool is_one_program = text.find_first_of(";&|") == std::string_view::npos;
  Backend backend;
  backend.name = backend.title = text;
  backend.program = {"/bin/sh", "-c", fmt::format("{}{}", is_one_program ? "exec " : "", text)};
  backend.folder = fs::current_path();
  backend.time_limit = kTimeLimitOfCommands;
  backend.is_command = true;
  return backend;
}

fs::path incomplete_mark(const Backend& backend) {
  return backend.environment().string() + ".incomplete";
}

void run_or_throw(const std::string& what, const Command& command) {
  if (const std::string ending = run_to_end(command); !ending.empty()) {
    throw RequestError(ErrorKind::bad_file, fmt::format("{} failed: {}; its messages stand above", what, ending));
  }
}

std::string expanded(std::string text, std::string_view placeholder, const std::string& value) {
  for (std::size_t at = 0; (at = text.find(placeholder, at)) != std::string::npos; at += value.size()) {
    text.replace(at, placeholder.size(), value);
  }
  return text;
}

}  // namespace

fs::path Backend::environment() const {
  return workspace_root() / ".backends" / environment_name;
}

fs::path Backend::requirements() const {
  return folder.parent_path() / environment_name / "requirements.txt";
}

std::vector<Backend> all_backends() {
  std::vector<Backend> backends;
  for (const fs::directory_entry& entry : fs::directory_iterator(workspace_root() / "tools" / "backends")) {
    if (fs::exists(entry.path() / "backend.json")) backends.push_back(read_backend(entry.path() / "backend.json"));
  }
  std::ranges::sort(backends, {}, &Backend::name);
  return backends;
}

Backend find_backend(std::string_view name_or_command) {
  if (name_or_command.starts_with("dialect:") || name_or_command.starts_with("mutant:"))
    return built_in(name_or_command);
  std::vector<std::string> names;
  for (const Backend& backend : all_backends()) {
    if (backend.name == name_or_command) return backend;
    names.push_back(backend.name);
  }
  if (name_or_command.find_first_of(" /") != std::string_view::npos) return given_command(name_or_command);
  throw RequestError(
      ErrorKind::not_found,
      fmt::format("no backend '{}'{}; 'qassay backends' shows all; a command has a space or a path in it",
                  name_or_command, did_you_mean(name_or_command, names)));
}

std::vector<Variant> known_causes(const Processor& processor) {
  std::vector<Variant> causes;
  for (const Backend& backend : all_backends()) {
    for (const KnownDifference& known : load_known_differences(backend.folder / "known_differences.json", processor)) {
      if (known.cause && std::ranges::find(causes, *known.cause) == causes.end()) causes.push_back(*known.cause);
    }
  }
  return causes;
}

std::optional<std::string> missing_environment(const Backend& backend) {
  if (!backend.needs_environment) return std::nullopt;
  const fs::path environment = backend.environment();
  const char* problem = nullptr;
  if (!fs::exists(environment / "bin" / "python")) problem = "not installed";
  else if (fs::exists(incomplete_mark(backend))) problem = "only partly installed";
  else if (const fs::path pinned = environment / "requirements.txt";
           fs::exists(pinned) && read_file(pinned) != read_file(backend.requirements()))
    problem = "installed from other requirements than it has now";
  if (problem == nullptr) return std::nullopt;
  return fmt::format("backend '{}' is {}; run 'qassay backends --install {}'", backend.name, problem, backend.name);
}

Command command_of(const Backend& backend) {
  if (const auto problem = missing_environment(backend)) throw RequestError(ErrorKind::not_found, *problem);
  const std::string python =
      backend.needs_environment ? (backend.environment() / "bin" / "python").string() : "python3";
  Command command{{}, backend.folder};
  for (const std::string& part : backend.program) {
    command.arguments.push_back(expanded(expanded(part, "{python}", python), "{here}", backend.folder.string()));
  }
  return command;
}

void install_environment(const Backend& backend) {
  if (!missing_environment(backend)) return;
  const fs::path environment = backend.environment();
  const fs::path requirements = backend.requirements();
  fs::create_directories(environment.parent_path());
  write_file(incomplete_mark(backend), "");
  fs::remove_all(environment);
  run_or_throw("making the environment", {{"python3", "-m", "venv", environment.string()}, backend.folder});
  run_or_throw("installing requirements.txt", {{(environment / "bin" / "python").string(), "-m", "pip", "install",
                                                "--disable-pip-version-check", "-r", requirements.string()},
                                               backend.folder});
  write_file(environment / "requirements.txt", read_file(requirements));
  fs::remove(incomplete_mark(backend));
}

}  // namespace qassay
