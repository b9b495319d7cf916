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

/// All cases of each formula of which `is_chosen` finds one.
template <class IsChosen>
void keep_formulas(std::vector<CaseSpec>& cases, IsChosen is_chosen) {
  std::set<const Formula*> formulas;
  for (const CaseSpec& spec : cases) {
    if (is_chosen(spec)) formulas.insert(spec.formula);
  }
  std::erase_if(cases, [&](const CaseSpec& spec) { return !formulas.contains(spec.formula); });
}

void filter_formulas(std::vector<CaseSpec>& cases, const std::string& filter) {
  std::regex pattern;
  try {
    pattern = std::regex(filter);
  } catch (const std::regex_error& error) {
    throw RequestError(ErrorKind::bad_value,
                       fmt::format("--filter: '{}' is no regular expression: {}", filter, error.what()));
  }
  keep_formulas(cases, [&](const CaseSpec& spec) { return std::regex_search(spec.name, pattern); });
  if (cases.empty()) throw RequestError(ErrorKind::not_found, fmt::format("--filter: '{}' finds no case", filter));
}

/// The goldens of cases/, or of the formulas that some of its files are about.
std::vector<CaseSpec> cases_of_workspace(const fs::path& root, const std::vector<fs::path>& only) {
  std::vector<CaseSpec> cases = load_cases({root / "cases"});
  if (only.empty()) return cases;
  std::set<std::string> known;
  for (const CaseSpec& spec : cases) known.insert(spec.name);
  std::set<std::string> chosen;
  for (const CaseSpec& spec : load_cases(only)) {
    if (!known.contains(spec.name)) {
      throw RequestError(ErrorKind::not_found,
                         fmt::format("{} is no case of {}; give --golden DIR for goldens of other cases", spec.name,
                                     (root / "cases").string()));
    }
    chosen.insert(spec.name);
  }
  keep_formulas(cases, [&](const CaseSpec& spec) { return chosen.contains(spec.name); });
  return cases;
}

void print_summary(const GoldenSummary& summary) {
  fmt::print("{} formulas, {} cases, {:.1f} MB in all\n", summary.formulas, summary.cases,
             static_cast<double>(summary.bytes) / 1e6);
}

void run_golden(const GoldenOptions& options) {
  GoldenRequest request;
  if (options.folder.empty()) {
    const fs::path root = workspace_root();
    request.folder = root / "golden";
    request.cases = cases_of_workspace(root, options.cases);
    request.is_everything = options.cases.empty();
  } else {
    request.folder = options.folder;
    request.cases = load_cases(options.cases.empty() ? std::vector{workspace_root() / "cases"} : options.cases);
    request.is_everything = true;
  }
  if (!options.filter.empty()) {
    filter_formulas(request.cases, options.filter);
    request.is_everything = false;
  }
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
  command->add_option("CASES", options->cases, "Case files or folders; without any, all of cases/");
  command->add_option("--filter", options->filter,
                      "Only formulas with a case whose name this regular expression finds");
  command->add_option("--golden", options->folder, "Another folder of goldens, which is that of these CASES alone");
  command->footer(
      "With CASES or --filter the goldens of other formulas stay as they are.\n"
      "Examples:\n"
      "  qassay golden --check\n"
      "  qassay golden --write --filter '^onnx\\.QuantizeLinear/'");
  command->callback([options] { run_golden(*options); });
}

}  // namespace qassay
