// qassay reduce: a failing case shrunk to what is needed to fail.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "interpreter/nearest_names.hpp"
#include "tools/commands.hpp"
#include "tools/diagnosis/backend_oracle.hpp"
#include "tools/diagnosis/reduced_case.hpp"
#include "tools/harness/interrupt.hpp"
#include "tools/harness/judge.hpp"
#include "tools/harness/request.hpp"
#include "tools/npy.hpp"
#include "tools/workspace.hpp"

namespace qassay {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kExamples =
    R"(Exit 1 if the case fails and was reduced, 0 if it does not fail, 3 if the backend cannot be run. Examples:
  qassay reduce --backend mutant:reciprocal --case 'onnx.QuantizeLinear/division'
  qassay reduce --backend dialect:onnx_reference --case 'onnx.QuantizeLinear/infinities' --out reduced.json
  qassay reduce --backend onnxruntime --case 'onnx.QuantizeLinear/nan' --format json)";

struct ReduceOptions {
  std::string backend;
  std::string case_name;
  std::vector<fs::path> cases;
  std::string format = "text";
  fs::path out;
  std::size_t most_calls = ReductionOptions{}.most_calls;
  double time_limit = ReductionOptions{}.most_seconds;
};

CaseSpec find_case(const ReduceOptions& options) {
  const std::vector<fs::path> everything{workspace_root() / "cases"};
  std::vector<CaseSpec> loaded = load_cases(options.cases.empty() ? everything : options.cases);
  const auto found = std::ranges::find(loaded, options.case_name, &CaseSpec::name);
  if (found != loaded.end()) return std::move(*found);
  std::vector<std::string> names;
  names.reserve(loaded.size());
  for (const CaseSpec& spec : loaded) names.push_back(spec.name);
  throw RequestError(ErrorKind::not_found,
                     fmt::format("no case '{}'{}", options.case_name, did_you_mean(options.case_name, names)));
}

/// One line that is written over, on a terminal.
void show_progress(std::size_t calls, const std::string& what) {
  if (isatty(STDERR_FILENO) == 0) return;
  fmt::print(stderr, "\r{:60}\r{} calls, simpler {}", "", calls, what);
  std::fflush(stderr);
}
void clear_progress() {
  if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r{:60}\r", "");
}

std::string quoted(const std::string& text) {
  return text.find_first_of(" []'*?!\"$&|;<>()") == std::string::npos ? text : "'" + text + "'";
}

/// The reduced case as `check` sees it: read from its file, asked, judged.
struct Confirmed {
  CaseSpec spec;
  CaseResult result;
};
Confirmed confirm(const fs::path& file, BackendOracle& oracle) {
  CaseSpec spec = load_cases({file}).front();
  const Case made = spec.materialise();
  const auto [answer, outputs] = oracle.ask(spec, made);
  return {spec, judge(spec, made, answer, outputs, {}, {})};
}

std::string number_in_full(Type type, std::uint64_t bits) {
  return fmt::format("{} (0x{:0{}x}, {})", decimal_text(type, bits), bits, 2 * row(type).storage_bytes, name(type));
}

Json number_as_json(Type type, std::uint64_t bits) {
  return {{"type", name(type)},
          {"value", decimal_text(type, bits)},
          {"bits", fmt::format("0x{:0{}x}", bits, 2 * row(type).storage_bytes)}};
}

struct Report {
  const ReduceOptions& options;
  const Reduction& reduction;
  const Json& group;
  const Confirmed& confirmed;
  std::string reproduce;

  const std::string& message() const {
    return confirmed.result.message.empty() ? reduction.message : confirmed.result.message;
  }
};

std::string report_as_text(const Report& report) {
  const Reduction& reduction = report.reduction;
  const CaseResult& result = report.confirmed.result;
  std::string text =
      fmt::format("{}: {}, reduced from {} element{} to {} in {} calls{}\n", report.options.case_name,
                  name(result.verdict), reduction.elements, reduction.elements == 1 ? "" : "s", reduction.x.size(),
                  reduction.calls, reduction.was_cut_short ? ", cut short by a limit" : "");
  text += fmt::format("  {}\n\n", report.message());
  const std::string_view input = report.confirmed.spec.formula->signature->inputs.front().name;
  constexpr std::size_t kMostShown = 8;
  for (std::size_t i = 0; i < std::min(reduction.x.size(), kMostShown); ++i) {
    text += fmt::format("  {:<16} {}\n", i == 0 ? input : "", number_in_full(reduction.x.type(), reduction.x.bits(i)));
  }
  for (const auto& [parameter, written] : reduction.settings) {
    if (!written.tensor) text += fmt::format("  {:<16} {}\n", parameter, fmt::join(written.elements, ","));
    else
      for (std::size_t i = 0; i < std::min(written.tensor->size(), kMostShown); ++i)
        text += fmt::format("  {:<16} {}\n", i == 0 ? parameter : "",
                            number_in_full(written.tensor->type(), written.tensor->bits(i)));
  }
  for (const OutputResult& output : result.outputs) {
    for (const ShownElement& shown : output.shown) {
      const Type type = output.comparison.type;
      text += fmt::format("  {:<16} expected {}, got {}\n", output.comparison.name,
                          number_in_full(type, shown.difference.expected), number_in_full(type, shown.difference.got));
      if (!shown.explain.empty()) text += fmt::format("\nIts steps:\n  {}\n", shown.explain);
    }
  }
  return text + fmt::format("\nAgain:\n  {}\n\nAs a case group:\n{}\n", report.reproduce, report.group.dump(2));
}

Json report_as_json(const Report& report) {
  const Reduction& reduction = report.reduction;
  const CaseResult& result = report.confirmed.result;
  Json json{{"case", report.options.case_name},        {"backend", report.options.backend},
            {"verdict", name(result.verdict)},         {"message", report.message()},
            {"elements_before", reduction.elements},   {"calls", reduction.calls},
            {"was_cut_short", reduction.was_cut_short}};
  json["x"] = Json::array();
  for (std::size_t i = 0; i < reduction.x.size(); ++i)
    json["x"].push_back(number_as_json(reduction.x.type(), reduction.x.bits(i)));
  json["set"] = Json::object();
  for (const auto& [parameter, written] : reduction.settings) {
    Json& entry = json["set"][parameter];
    if (!written.tensor) entry = written.elements;
    else
      for (std::size_t i = 0; i < written.tensor->size(); ++i)
        entry.push_back(number_as_json(written.tensor->type(), written.tensor->bits(i)));
  }
  json["outputs"] = Json::object();
  for (const OutputResult& output : result.outputs) {
    for (const ShownElement& shown : output.shown) {
      const Type type = output.comparison.type;
      json["outputs"][output.comparison.name].push_back({{"element", shown.difference.element},
                                                         {"expected", number_as_json(type, shown.difference.expected)},
                                                         {"got", number_as_json(type, shown.difference.got)}});
      if (!shown.explain.empty()) json["explain"] = shown.explain;
    }
  }
  json["reproduce"] = report.reproduce;
  json["group"] = report.group;
  return json;
}

void reduce(const ReduceOptions& options, const CaseSpec& spec, BackendOracle& oracle) {
  const Reduction reduction =
      reduce_case(spec, [&](const CaseSpec& asked, const Case& made) { return oracle.ask(asked, made); },
                  {options.most_calls, options.time_limit, show_progress});
  clear_progress();
  if (!is_failure(reduction.verdict)) {
    if (options.format == "json")
      fmt::print("{}\n", Json{{"case", spec.name}, {"verdict", name(reduction.verdict)}}.dump(2));
    else fmt::print("{}: does not fail: {}\n", spec.name, name(reduction.verdict));
    return;
  }
  const Json group = reduced_group(spec, reduction, options.backend);
  const TemporaryFolder folder;
  const fs::path file = options.out.empty() ? folder.path() / "reduced.json" : options.out;
  write_file(file, case_file_with(*spec.formula, group));
  const Confirmed confirmed = confirm(file, oracle);
  const std::string reproduce =
      fmt::format("qassay check --backend {} {}", quoted(options.backend),
                  options.out.empty() ? "FILE.json  # written by --out FILE.json" : quoted(options.out.string()));
  const Report report{options, reduction, group, confirmed, reproduce};
  if (options.format == "json") fmt::print("{}\n", report_as_json(report).dump(2));
  else fmt::print("{}", report_as_text(report));
  set_exit(Exit::mismatches);
}

void run_reduce(const ReduceOptions& options) {
  const CaseSpec spec = find_case(options);
  if (spec.formula->signature->inputs.size() != 1) {
    throw RequestError(ErrorKind::out_of_domain,
                       fmt::format("{} has {} inputs; only cases of one can be reduced", spec.formula->id(),
                                   spec.formula->signature->inputs.size()));
  }
  const Backend backend = find_backend(options.backend);
  const InterruptGuard interrupt;
  try {
    BackendOracle oracle(backend, *spec.formula);
    if (oracle.asked().id() != spec.formula->id())
      throw BackendFailure(fmt::format("'{}' does not claim {}", backend.name, spec.formula->id()));
    reduce(options, spec, oracle);
    oracle.finish();
  } catch (const BackendFailure& failure) {
    fmt::print(stderr, "qassay: {}: {}\n", backend.name, failure.what());
    set_exit(Exit::backend_failed);
  } catch (const RequestError& error) {
    if (error.kind() != ErrorKind::not_found) throw;
    fmt::print(stderr, "qassay: {}: {}\n", backend.name, error.what());
    set_exit(Exit::backend_failed);
  }
}

}  // namespace

void add_reduce_command(CLI::App& program) {
  const auto options = std::make_shared<ReduceOptions>();
  CLI::App* command = program.add_subcommand("reduce", "A failing case shrunk to what it needs to fail");
  command->add_option("--backend", options->backend, "A backend's name, dialect:NAME, mutant:NAME, or a command")
      ->required()
      ->type_name("NAME|COMMAND");
  command->add_option("--case", options->case_name, "The case of exactly this name")->required()->type_name("NAME");
  command->add_option("cases", options->cases, "Case files and folders (default: all)")->type_name("CASES");
  command->add_option("--out", options->out, "Write a case file that fails in the same way")->type_name("FILE");
  command->add_option("--most-calls", options->most_calls, "Requests to the backend")->capture_default_str();
  command->add_option("--time-limit", options->time_limit, "Seconds")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--format", options->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->footer(kExamples);
  command->callback([options] { run_reduce(*options); });
}

}  // namespace qassay
