// qassay identity: is fake_quantize(x) == dequantize(quantize(x))?
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "interpreter/registry.hpp"
#include "tools/commands.hpp"
#include "tools/diagnosis/identity_text.hpp"
#include "tools/harness/interrupt.hpp"
#include "tools/settings.hpp"
#include "tools/sweep_progress.hpp"

namespace qassay {
namespace {

constexpr const char* kExamples =
    R"(Without a backend the count is exact, over all inputs of the type: from the thresholds of both sides, or by trying
every input (--sweep). With one, its three operators are asked on a few thousand inputs.
Exit 0 if it holds on every input, 1 if not, 3 if the backend cannot be run. Examples:
  qassay identity pytorch.fake_quantize_per_tensor_affine pytorch.quantize_per_tensor@2.13 pytorch.dequantize_per_tensor --set scale=0.1 --set zero_point=3 --set dtype=quint8
  qassay identity pytorch.fake_quantize_per_channel_affine pytorch.quantize_per_channel pytorch.dequantize_per_channel --set scale=0.1 --set zero_point=0 --set dtype=qint8 --format json
  qassay identity pytorch.fake_quantize_per_tensor_affine onnxruntime.QuantizeLinear onnxruntime.DequantizeLinear --set scale=0.1 --set zero_point=3 --set quant_min=0 --set quant_max=255
  qassay identity pytorch.fake_quantize_per_tensor_affine pytorch.quantize_per_tensor pytorch.dequantize_per_tensor --set scale=0.1 --set zero_point=3 --set dtype=quint8 --backend pytorch)";

struct IdentityOptions {
  std::string fake_quantize;
  std::string quantize;
  std::string dequantize;
  std::vector<std::string> settings;
  std::string backend;
  std::string input_type;
  bool sweep = false;
  std::string format = "text";

  IdentityIds ids() const { return {fake_quantize, quantize, dequantize}; }
};

std::optional<Type> input_type(const IdentityOptions& options) {
  if (options.input_type.empty()) return std::nullopt;
  const std::optional<Type> type = type_named(options.input_type);
  if (!type) throw RequestError(ErrorKind::bad_value, fmt::format("--input-type: no type '{}'", options.input_type));
  return type;
}

void check_formulas(const IdentityOptions& options) {
  const InterruptGuard interrupt;
  const Identity identity(formula(options.fake_quantize), formula(options.quantize), formula(options.dequantize),
                          parse_settings(options.settings), input_type(options));
  SweepProgress progress;
  IdentityFinding finding =
      check_identity(identity, options.sweep ? IdentityMethod::sweep : IdentityMethod::segments, std::ref(progress));
  if (!finding.holds()) finding.diagnosis = diagnose(identity);
  if (options.format == "json") fmt::print("{}\n", identity_json(options.ids(), finding).dump(2));
  else fmt::print("{}", identity_text(options.ids(), finding));
  if (!finding.holds()) set_exit(Exit::mismatches);
}

void check_backend(const IdentityOptions& options) {
  const Formula& fake_quantize = formula(options.fake_quantize);
  const Formula& quantize = formula(options.quantize);
  const Formula& dequantize = formula(options.dequantize);
  const Settings settings = parse_settings(options.settings);
  // What is wrong with the request is said before anything is started.
  const Identity checked(fake_quantize, quantize, dequantize, settings, input_type(options));
  const Backend backend = find_backend(options.backend);
  try {
    BackendOracle oracle(backend, fake_quantize);
    const BackendIdentityFinding finding =
        check_identity(oracle, fake_quantize, quantize, dequantize, settings, input_type(options));
    oracle.finish();
    const std::string name = fmt::format("{} {}", oracle.hello().backend, oracle.hello().version);
    if (options.format == "json") fmt::print("{}\n", identity_json(options.ids(), name, finding).dump(2));
    else fmt::print("{}", identity_text(options.ids(), name, finding));
    if (!finding.finding.holds()) set_exit(Exit::mismatches);
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

void add_identity_command(CLI::App& program) {
  const auto options = std::make_shared<IdentityOptions>();
  CLI::App* command =
      program.add_subcommand("identity", "On how many inputs fake_quantize(x) is not dequantize(quantize(x)), and why");
  command->add_option("FAKE_QUANTIZE", options->fake_quantize, "A formula from reals to reals on the grid")->required();
  command->add_option("QUANTIZE", options->quantize, "A formula from reals to codes")->required();
  command->add_option("DEQUANTIZE", options->dequantize, "A formula from codes to reals")->required();
  command
      ->add_option("--set", options->settings,
                   "NAME=VALUE; NAME is a role (scale, zero_point, dtype) or a formula's own. A dtype stands for "
                   "quant_min and quant_max, and they for it")
      ->take_all()
      ->expected(1);
  auto* backend = command->add_option("--backend", options->backend,
                                      "Ask its operators: a backend's name, dialect:NAME, mutant:NAME, or a command");
  backend->type_name("NAME|COMMAND");
  command->add_flag("--sweep", options->sweep, "Try every input instead of looking for thresholds")->excludes(backend);
  command->add_option("--input-type", options->input_type, "The type of x, if not the first that FAKE_QUANTIZE takes");
  command->add_option("--format", options->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->footer(kExamples);
  command->callback([options] { options->backend.empty() ? check_formulas(*options) : check_backend(*options); });
}

}  // namespace qassay
