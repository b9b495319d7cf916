// qassay backends: what can be run here.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <memory>
#include <set>

#include "interpreter/error.hpp"
#include "interpreter/registry.hpp"
#include "tools/commands.hpp"
#include "tools/harness/adapter_process.hpp"
#include "tools/harness/backend.hpp"

namespace qassay {
namespace {

constexpr const char* kExamples = R"(Examples:
  qassay backends                        what is here, what is installed, what each claims
  qassay backends --install onnxruntime  make its environment in .backends/onnxruntime
  qassay backends --install all)";

/// "onnx: 3 formulas, pytorch: 2 formulas".
std::string claims_by_dialect(const Hello& hello) {
  std::map<std::string, std::size_t> counts;
  for (const std::string& id : hello.formulas) ++counts[std::string(dialect_of(id))];
  std::vector<std::string> parts;
  for (const auto& [dialect, count] : counts) parts.push_back(fmt::format("{} of {}", count, dialect));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Asks the adapter itself. False if it cannot be run although it is installed.
bool describe(const Backend& backend) {
  fmt::print("{:16} {}; time limit {:g} s\n", backend.name, backend.title,
             static_cast<double>(backend.time_limit.count()) / 1000);
  if (missing_environment(backend)) {
    fmt::print("{:16} {}\n", "", *missing_environment(backend));
    return true;
  }
  try {
    AdapterProcess process(command_of(backend), backend.time_limit);
    fmt::print("{:16} version {}; claims {}\n", "", process.hello().version, claims_by_dialect(process.hello()));
    process.finish();
    return true;
  } catch (const BackendFailure& failure) {
    fmt::print("{:16} cannot be run: {}\n", "", failure.what());
    return false;
  }
}

void list_backends() {
  for (const Backend& backend : all_backends()) {
    if (!describe(backend)) set_exit(Exit::backend_failed);
  }
  std::set<std::string_view> dialects;
  for (const Formula& formula : all_formulas()) dialects.insert(dialect_of(formula.id()));
  fmt::print("\nAlways there: dialect:NAME with one of {}; mutant:NAME, wrong on purpose (tests/mutants).\n",
             fmt::join(dialects, ", "));
}

void install(const std::string& name) {
  std::vector<Backend> chosen = all_backends();
  if (name != "all") chosen = {find_backend(name)};
  for (const Backend& backend : chosen) {
    if (backend.needs_environment) {
      fmt::print(stderr, "{}: installing into {}\n", backend.name, backend.environment().string());
      install_environment(backend);
    }
    describe(backend);
  }
}

}  // namespace

void add_backends_command(CLI::App& program) {
  auto names = std::make_shared<std::vector<std::string>>();
  CLI::App* command = program.add_subcommand("backends", "List the backends, or install one");
  command
      ->add_option("--install", *names, "Make the environment of this backend, or of all; may be given more than once")
      ->type_name("NAME|all")
      ->take_all()
      ->expected(1);
  command->footer(kExamples);
  command->callback([names] {
    if (names->empty()) list_backends();
    for (const std::string& name : *names) install(name);
  });
}

}  // namespace qassay
