#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <regex>
#include <set>

#include "tools/commands.hpp"
#include "tools/golden/store.hpp"
#include "tools/workspace.hpp"

namespace qassay {
namespace {

namespace fs = std::filesystem;

struct GoldenOptions {
  bool writes = false;
  bool checks = false;
  std::vector<fs::path> cases;
  std::string filter;
  fs::path folder;
};

/// Whole groups of which the filter finds a case.
std::vector<CaseSpec> chosen_groups(std::vector<CaseSpec> cases, const std::string& filter) {
  if (filter.empty()) return cases;
  std::regex pattern;
  try {
    pattern = std::regex(filter);
  } catch (const std::regex_error& error) {
    throw RequestError(ErrorKind::bad_value,
                       fmt::format("--filter: '{}' is no regular expression: {}", filter, error.what()));
  }
  std::set<const CaseGroup*> groups;
  for (const CaseSpec& spec : cases) {
    if (std::regex_search(spec.name, pattern)) groups.insert(spec.group.get());
  }
  std::erase_if(cases, [&](const CaseSpec& spec) { return !groups.contains(spec.group.get()); });
  if (cases.empty())
    throw RequestError(ErrorKind::not_found,
                       fmt::format("--filter: '{}' finds no case; 'qassay list' shows the formulas", filter));
  return cases;
}

void print_summary(const GoldenSummary& summary) {
  fmt::print("{} groups, {} cases, {:.1f} MB in all\n", summary.groups, summary.cases,
             static_cast<double>(summary.bytes) / 1e6);
}

void run_golden(const GoldenOptions& options) {
  const bool has_own_paths = !options.cases.empty() && !options.folder.empty();
  const fs::path root = has_own_paths ? fs::path() : workspace_root();
  GoldenRequest request;
  request.folder = options.folder.empty() ? root / "golden" : options.folder;
  request.is_everything = options.cases.empty() && options.filter.empty();
  request.cases =
      chosen_groups(load_cases(options.cases.empty() ? std::vector{root / "cases"} : options.cases), options.filter);
  if (options.writes) {
    const GoldenSummary summary = write_goldens(request);
    for (const std::string& path : summary.written) fmt::print("wrote {}\n", path);
    for (const std::string& path : summary.removed) fmt::print("removed {}\n", path);
    print_summary(summary);
    return;
  }
  const GoldenCheck check = check_goldens(request);
  for (const std::string& line : check.damage) fmt::print("{}\n", line);
  print_summary(check.summary);
  if (check.damage.empty()) return;
  fmt::print(stderr,
             "golden: {} places differ from what the interpreter computes; if that is right, write them with "
             "'qassay golden --write'\n",
             check.damage.size());
  set_exit(Exit::golden_damage);
}

}  // namespace

void add_golden_command(CLI::App& program) {
  auto* command = program.add_subcommand("golden", "Write or check the golden tensors");
  const auto options = std::make_shared<GoldenOptions>();
  auto* what = command->add_option_group("what", "one of");
  what->add_flag("--write", options->writes, "Write them, and remove what is left over");
  what->add_flag("--check", options->checks, "Compute them again and compare every byte; exit code 4 on damage");
  what->require_option(1);
  command->add_option("CASES", options->cases, "Case files or folders; without any, all cases");
  command->add_option("--filter", options->filter, "Only groups with a case whose name this regular expression finds");
  command->add_option("--golden", options->folder, "The folder of goldens; golden/ without it");
  command->footer(
      "With CASES or --filter other groups' goldens stay as they are.\n"
      "Examples:\n"
      "  qassay golden --check\n"
      "  qassay golden --write --filter '^onnx\\.QuantizeLinear/'");
  command->callback([options] { run_golden(*options); });
}

}  // namespace qassay
