// qassay diagnose: which rule does a backend follow?
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "interpreter/registry.hpp"
#include "tools/commands.hpp"
#include "tools/diagnosis/backend_oracle.hpp"
#include "tools/diagnosis/diagnosis_text.hpp"
#include "tools/npy.hpp"
#include "tools/settings.hpp"

namespace qassay {
namespace {

constexpr const char* kExamples =
    R"(Outputs are asked for until no known rule but those that fit is left: 2,000 to 3,000 elements.
Exit 0 if it follows the formula, 1 if it follows another rule or none that is known, 3 if it cannot be run. Examples:
  qassay diagnose --backend onnxruntime onnx.QuantizeLinear
  qassay diagnose --backend pytorch pytorch.quantize_per_tensor --set scale=0.1 --set zero_point=3 --set dtype=uint8
  qassay diagnose --backend mutant:reciprocal onnx.QuantizeLinear --format json
  qassay diagnose --backend './my_kernel --qassay' pytorch.quantize_per_tensor
  qassay diagnose onnx.QuantizeLinear --observed x.npy,y.npy --set scale=0.1 --set zero_point=3)";

struct DiagnoseOptions {
  std::string formula;
  std::string backend;
  std::string observed;
  std::vector<std::string> settings;
  std::size_t most_elements = DiagnosisOptions{}.most_elements;
  double time_limit = DiagnosisOptions{}.most_seconds;
  std::string input_type;
  std::string format = "text";
};

void report(const Diagnosis& diagnosis, const std::string& subject, const std::string& format) {
  if (format == "json") fmt::print("{}\n", diagnosis_json(diagnosis, subject).dump(2));
  else fmt::print("{}", diagnosis_text(diagnosis, subject));
  const bool is_expected = diagnosis.verdict == Diagnosis::Verdict::follows_expected;
  set_exit(is_expected ? Exit::as_expected : Exit::mismatches);
}

std::optional<Type> input_type(const DiagnoseOptions& options) {
  if (options.input_type.empty()) return std::nullopt;
  const std::optional<Type> type = type_named(options.input_type);
  if (!type) throw RequestError(ErrorKind::bad_value, fmt::format("--input-type: no type '{}'", options.input_type));
  return type;
}

void diagnose_backend(const DiagnoseOptions& options, const Formula& expected) {
  const Backend backend = find_backend(options.backend);
  try {
    BackendOracle oracle(backend, expected);
    const Settings settings = with_usual_values(parse_settings(options.settings), *expected.signature);
    const Diagnosis diagnosis = diagnose(expected, settings, std::ref(oracle),
                                         {.most_elements = options.most_elements,
                                          .most_seconds = options.time_limit,
                                          .input_type = input_type(options)});
    oracle.finish();
    std::string subject = fmt::format("{} {}", oracle.hello().backend, oracle.hello().version);
    if (oracle.asked().id() != expected.id()) subject += fmt::format(", asked for {},", oracle.asked().id());
    report(diagnosis, subject, options.format);
  } catch (const BackendFailure& failure) {
    fmt::print(stderr, "qassay: {}: {}\n", backend.name, failure.what());
    set_exit(Exit::backend_failed);
  } catch (const RequestError& error) {
    if (error.kind() != ErrorKind::not_found) throw;
    fmt::print(stderr, "qassay: {}: {}\n", backend.name, error.what());
    set_exit(Exit::backend_failed);
  }
}

void diagnose_files(const DiagnoseOptions& options, const Formula& expected) {
  const std::size_t comma = options.observed.find(',');
  if (comma == std::string::npos) {
    throw RequestError(ErrorKind::bad_value, fmt::format("--observed '{}': expected X.npy,Y.npy", options.observed));
  }
  const std::string output = options.observed.substr(comma + 1);
  const Diagnosis diagnosis = diagnose_observed(expected, parse_settings(options.settings),
                                                read_tensor(options.observed.substr(0, comma)), read_tensor(output));
  report(diagnosis, output, options.format);
}

void run_diagnose(const DiagnoseOptions& options) {
  const Formula& expected = formula(options.formula);
  if (!options.observed.empty()) return diagnose_files(options, expected);
  if (options.backend.empty()) {
    throw RequestError(ErrorKind::missing_parameter, "diagnose: give --backend NAME or --observed X.npy,Y.npy");
  }
  diagnose_backend(options, expected);
}

}  // namespace

void add_diagnose_command(CLI::App& program) {
  const auto options = std::make_shared<DiagnoseOptions>();
  CLI::App* command = program.add_subcommand("diagnose", "Which rule a backend follows");
  command->add_option("FORMULA", options->formula, "The formula it should follow")->required();
  auto* backend =
      command->add_option("--backend", options->backend, "A backend's name, dialect:NAME, mutant:NAME, or a command")
          ->type_name("NAME|COMMAND");
  command->add_option("--observed", options->observed, "Inputs and outputs recorded anywhere, in place of a backend")
      ->type_name("X.npy,Y.npy")
      ->excludes(backend);
  command
      ->add_option("--set", options->settings,
                   "NAME=VALUE; NAME is the formula's own or a role (scale, zero_point, dtype)")
      ->take_all()
      ->expected(1);
  command->add_option("--most-elements", options->most_elements, "A limit to what is asked")->capture_default_str();
  command->add_option("--time-limit", options->time_limit, "Seconds")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--input-type", options->input_type, "The type of x, if not the first that the formula takes");
  command->add_option("--format", options->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->footer(kExamples);
  command->callback([options] { run_diagnose(*options); });
}

}  // namespace qassay
