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
    R"(Exit 0 if it follows the formula, 1 if it follows another rule or none that is known, 3 if it cannot be run. Examples:
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
  std::string format = "text";
};

/// What a formula cannot do without, where a person gave nothing: the bank varies it anyway.
Settings with_usual_values(Settings settings, const Signature& signature) {
  struct Usual {
    Role role;
    const char* text;
  };
  constexpr std::array kUsual{Usual{Role::scale, "0.1"},        Usual{Role::zero_point, "3"},
                              Usual{Role::input_scale, "0.05"}, Usual{Role::weight_scale, "0.02"},
                              Usual{Role::dtype, "uint8"},      Usual{Role::quant_min, "0"},
                              Usual{Role::quant_max, "255"},    Usual{Role::axis, "0"}};
  settings = by_own_names(settings, signature);
  for (const auto& [role, text] : kUsual) {
    const Parameter* parameter = signature.parameter(role);
    if (parameter == nullptr || settings.contains(parameter->name)) continue;
    const bool is_wanted = parameter->fallback.empty() || role == Role::zero_point;
    if (is_wanted) settings.emplace(parameter->name, Written::scalar(text));
  }
  return settings;
}

void report(const Diagnosis& diagnosis, const std::string& subject, const std::string& format) {
  if (format == "json") fmt::print("{}\n", diagnosis_json(diagnosis, subject).dump(2));
  else fmt::print("{}", diagnosis_text(diagnosis, subject));
  const bool is_expected = diagnosis.verdict == Diagnosis::Verdict::follows_expected;
  set_exit(is_expected ? Exit::as_expected : Exit::mismatches);
}

void diagnose_backend(const DiagnoseOptions& options, const Formula& expected) {
  const Backend backend = find_backend(options.backend);
  try {
    BackendOracle oracle(backend, expected);
    const Settings settings = with_usual_values(parse_settings(options.settings), *expected.signature);
    const Diagnosis diagnosis =
        diagnose(expected, settings, std::ref(oracle), {options.most_elements, options.time_limit, true});
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

void run_diagnose(const DiagnoseOptions& options) {
  const Formula& expected = formula(options.formula);
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
  command->add_option("--format", options->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->footer(kExamples);
  command->callback([options] { run_diagnose(*options); });
}

}  // namespace qassay
