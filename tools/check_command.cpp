// qassay check: the gate. Runs backends on cases, compares, reports.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <thread>

#include "interpreter/error.hpp"
#include "interpreter/nearest_names.hpp"
#include "tools/commands.hpp"
#include "tools/diagnosis/cell_diagnosis.hpp"
#include "tools/diagnosis/pair_sweep.hpp"
#include "tools/harness/interrupt.hpp"
#include "tools/harness/run.hpp"
#include "tools/harness/witnesses.hpp"
#include "tools/npy.hpp"
#include "tools/report/report.hpp"
#include "tools/sweep_progress.hpp"
#include "tools/workspace.hpp"

namespace qassay {
namespace {

namespace fs = std::filesystem;

constexpr int kExitAfterInterrupt = 130;
constexpr double kDiagnosisSeconds = 10;

constexpr const char* kExamples = R"(Examples:
  qassay check --backend onnxruntime
      every case of every formula that ONNX Runtime claims
  qassay check --backend onnxruntime cases/onnx --filter 'uint4|int4' --jobs 2
  qassay check --backend dialect:onnxruntime cases/onnx/quantize_linear.json
      where two dialects differ, with no backend installed
  qassay check --backend onnxruntime --against onnx_reference cases/onnx --html pair.html
      two backends on the same inputs: where they differ, which formula each follows, what separates them
  qassay check --backend onnxruntime --tolerance openvino
      beside every verdict, whether another suite's check would have seen the difference
  qassay check --backend './my_kernel --qassay' --policy 'within 1 lsb and sqnr >= 50 dB'
  qassay check --backend onnxruntime --shard 2/4 --junit junit.xml --json results.json --html report.html)";

struct CheckOptions {
  std::vector<std::string> backends;
  std::optional<std::string> against;
  std::optional<std::string> tolerance;
  std::vector<fs::path> cases;
  std::vector<std::string> case_names;
  std::string filter;
  std::string shard;
  std::string policy;
  double time_limit = 0;
  std::size_t jobs = 1;
  std::size_t most_shown = 10;
  fs::path junit;
  fs::path json;
  fs::path html;
  bool records_witnesses = false;
  bool sweeps = false;
  bool diagnoses = true;
};

struct Shard {
  std::size_t number = 1;
  std::size_t count = 1;
};

Shard parse_shard(const std::string& text) {
  Shard shard;
  const char* const end = text.data() + text.size();
  const auto number = std::from_chars(text.data(), end, shard.number);
  const bool has_slash = number.ec == std::errc{} && number.ptr != end && *number.ptr == '/';
  if (has_slash) {
    const auto count = std::from_chars(number.ptr + 1, end, shard.count);
    if (count.ec == std::errc{} && count.ptr == end && 1 <= shard.number && shard.number <= shard.count) return shard;
  }
  throw RequestError(ErrorKind::bad_value,
                     fmt::format("--shard {}: expected K/N with 1 <= K <= N, for example 2/4", text));
}

/// Before the run: a report that cannot be written must not cost a run.
void require_writable(const fs::path& file) {
  if (file.empty()) return;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (fs::is_directory(file)) throw RequestError(ErrorKind::bad_file, fmt::format("{}: is a folder", file.string()));
  if (!fs::is_directory(folder)) {
    throw RequestError(ErrorKind::bad_file,
                       fmt::format("{}: there is no folder {}; make it first", file.string(), folder.string()));
  }
  const fs::path trial = folder / fmt::format(".{}.trial", file.filename().string());
  write_file(trial, "");
  fs::remove(trial);
}

/// Takes the cases that the options name; the names of the others are noted.
void choose_cases(std::vector<CaseSpec> loaded, const CheckOptions& options, RunOptions& run) {
  const Shard shard = options.shard.empty() ? Shard{} : parse_shard(options.shard);
  std::regex filter;
  try {
    filter = std::regex(options.filter, std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error& error) {
    throw RequestError(ErrorKind::bad_value, fmt::format("--filter '{}': {}", options.filter, error.what()));
  }
  std::vector<std::string> names;
  for (const CaseSpec& spec : loaded) names.push_back(spec.name);
  for (const std::string& name : options.case_names) {
    if (std::ranges::find(names, name) != names.end()) continue;
    throw RequestError(ErrorKind::not_found, fmt::format("no case '{}'{}", name, did_you_mean(name, names)));
  }
  std::size_t place = 0;
  for (CaseSpec& spec : loaded) {
    const bool is_named =
        options.case_names.empty() || std::ranges::find(options.case_names, spec.name) != options.case_names.end();
    const bool is_chosen =
        is_named && std::regex_search(spec.name, filter) && place++ % shard.count == shard.number - 1;
    if (is_chosen) run.cases.push_back(std::move(spec));
    else run.left_out.push_back(std::move(spec.name));
  }
  if (run.cases.empty()) {
    throw RequestError(
        ErrorKind::not_found,
        fmt::format("none of {} cases is left after --case, --filter '{}' and --shard", names.size(), options.filter));
  }
}

/// The other backend of a pair.
Backend find_other(const CheckOptions& options, const std::vector<Backend>& backends) {
  Backend other = find_backend(*options.against);
  if (std::ranges::find(backends, other.name, &Backend::name) != backends.end()) {
    throw RequestError(ErrorKind::bad_value,
                       fmt::format("--against {}: it is given with --backend too, and would be compared with itself; "
                                   "name another backend",
                                   *options.against));
  }
  if (options.records_witnesses) {
    throw RequestError(ErrorKind::bad_value,
                       "--record-witnesses: a witness reproduces what the cases expect, but --against compares two "
                       "backends; leave one of them out");
  }
  return other;
}

RunOptions run_options(const CheckOptions& options) {
  RunOptions run;
  for (const std::string& backend : options.backends) run.backends.push_back(find_backend(backend));
  if (options.against) run.against = find_other(options, run.backends);
  if (options.sweeps && !options.against) {
    throw RequestError(ErrorKind::bad_value,
                       "--sweep: it tries every input on two backends; name the other one with --against");
  }
  if (options.tolerance) run.judgement.tolerance = &tolerance_named(*options.tolerance);
  run.only_claimed = options.cases.empty() && options.case_names.empty();
  run.jobs = options.jobs;
  if (options.time_limit > 0) run.time_limit = std::chrono::milliseconds(static_cast<long>(1000 * options.time_limit));
  if (!options.policy.empty()) run.judgement.policy = Policy::parse(options.policy);
  const std::vector<fs::path> everything{workspace_root() / "cases"};
  choose_cases(load_cases(options.cases.empty() ? everything : options.cases), options, run);
  return run;
}

void write_reports(const RunResults& results, const CheckOptions& options) {
  constexpr auto replace = nlohmann::json::error_handler_t::replace;
  if (!options.json.empty()) write_file(options.json, json_report(results).dump(1, ' ', false, replace) + "\n");
  if (!options.junit.empty()) write_file(options.junit, junit_report(results));
  if (!options.html.empty()) write_file(options.html, html_report(results));
}

Exit exit_of(const RunResults& results) {
  if (results.was_interrupted) return static_cast<Exit>(kExitAfterInterrupt);
  if (results.against && !results.against->failure.empty()) return Exit::backend_failed;
  for (const BackendResult& backend : results.backends) {
    if (!backend.failure.empty()) return Exit::backend_failed;
  }
  const bool has_failure = std::ranges::any_of(
      results.cases, [](const CaseResult& result) { return is_failure(result.verdict) || result.differs_elsewhere(); });
  return has_failure || results.judged_cases() == 0 ? Exit::mismatches : Exit::as_expected;
}

/// A trap that nothing explains would leave a mismatch unexplained.
void require_known_traps(const std::vector<CaseSpec>& cases, const std::map<std::string, Trap, std::less<>>& traps) {
  for (const CaseSpec& spec : cases) {
    for (const std::string& trap : spec.traps()) {
      if (traps.contains(trap)) continue;
      throw RequestError(ErrorKind::bad_file,
                         fmt::format("{}: no trap '{}' in cases/traps.json; add it there", spec.name, trap));
    }
  }
}

void check(const CheckOptions& options, const std::string& command) {
  for (const fs::path& file : {options.junit, options.json, options.html}) require_writable(file);
  const RunOptions run = run_options(options);
  const auto traps = load_traps(workspace_root() / "cases" / "traps.json");
  require_known_traps(run.cases, traps);

  RunResults results;
  {
    const InterruptGuard guard;
    Progress progress;
    results = run_cases(run, progress);
    SweepProgress sweep_progress;
    if (options.sweeps) sweep_pairs(results, run, std::ref(sweep_progress));
    if (options.diagnoses) diagnose_mismatches(results, run, kDiagnosisSeconds);
    results.was_interrupted = is_interrupted();
  }
  results.command = command;
  results.traps = traps;
  write_reports(results, options);
  if (options.records_witnesses) record_witnesses(results, workspace_root() / "golden" / "witnesses.json");
  fmt::print("{}", text_report(results, colours_for_stdout(), options.most_shown));
  set_exit(exit_of(results));
}

std::string tolerance_names() {
  std::vector<std::string_view> names;
  for (const Tolerance& tolerance : all_tolerances()) names.push_back(tolerance.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string quoted_command_line(const CheckOptions& options) {
  std::string command = "qassay check";
  const auto add = [&](std::string_view option, const std::string& value) {
    const bool is_plain = value.find_first_of(" '\"$&|;*?()[]<>") == std::string::npos;
    if (!option.empty()) command += fmt::format(" {}", option);
    command += is_plain ? " " + value : fmt::format(" '{}'", value);
  };
  for (const std::string& backend : options.backends) add("--backend", backend);
  if (options.against) add("--against", *options.against);
  for (const fs::path& path : options.cases) add("", path.string());
  for (const std::string& name : options.case_names) add("--case", name);
  if (!options.filter.empty()) add("--filter", options.filter);
  if (!options.shard.empty()) add("--shard", options.shard);
  if (!options.policy.empty()) add("--policy", options.policy);
  if (options.tolerance) add("--tolerance", *options.tolerance);
  if (options.sweeps) command += " --sweep";
  if (options.time_limit > 0) add("--time-limit", fmt::format("{:g}", options.time_limit));
  return command;
}

}  // namespace

void add_check_command(CLI::App& program) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = program.add_subcommand("check", "Run backends on cases, compare bit for bit, report");
  command->add_option("--backend", options->backends, "A backend's name, dialect:NAME, mutant:NAME, or a command")
      ->required()
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("NAME|COMMAND");
  command
      ->add_option("--against", options->against,
                   "Another backend: what it gives stands in place of what the cases expect")
      ->type_name("NAME|COMMAND");
  command->add_option("cases", options->cases, "Case files and folders (default: all that a backend claims)")
      ->type_name("CASES");
  command->add_option("--case", options->case_names, "The case of exactly this name; repeatable")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("NAME");
  command->add_option("--filter", options->filter, "Cases whose name this expression finds")->type_name("REGEX");
  command->add_option("--shard", options->shard, "Every N-th case, beginning with the K-th")->type_name("K/N");
  command
      ->add_option("--policy", options->policy,
                   "exact, 'within N lsb', 'at most P% off by one lsb', 'sqnr >= X dB', joined by 'and' "
                   "(default: each case's own, else exact)")
      ->type_name("POLICY");
  command
      ->add_option("--tolerance", options->tolerance,
                   fmt::format("Say beside every verdict what another suite's check says; it decides nothing: {}",
                               tolerance_names()))
      ->type_name("NAME");
  command->add_option("--jobs", options->jobs, "Processes of one backend at a time")
      ->check(CLI::Range(1, 1024))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--time-limit", options->time_limit, "Seconds for one case (default: the backend's own)")
      ->check(CLI::PositiveNumber)
      ->type_name("SECONDS");
  command->add_option("--max-shown", options->most_shown, "Failing cases shown in full")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--junit", options->junit, "Write JUnit XML")->type_name("FILE");
  command->add_option("--json", options->json, "Write the results as JSON")->type_name("FILE");
  command->add_option("--html", options->html, "Write a report for people, one file")->type_name("FILE");
  command->add_flag("--record-witnesses", options->records_witnesses,
                    "Note in golden/witnesses.json which cases were reproduced bit for bit");
  command->add_flag("--sweep", options->sweeps,
                    "With --against: try every input of float32 and of 16 bits with the parameters of each case");
  command->add_flag("!--no-diagnose", options->diagnoses,
                    "Do not look for the rule that a backend with mismatches follows");
  command->footer(kExamples);
  command->callback([options] { check(*options, quoted_command_line(*options)); });
}

}  // namespace qassay
