#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "interpreter/registry.hpp"
#include "tools/commands.hpp"
#include "tools/npy.hpp"
#include "tools/settings.hpp"

namespace qassay {
namespace {

struct EvalOptions {
  std::string formula;
  std::vector<std::string> inputs;
  std::vector<std::string> settings;
  std::filesystem::path out;
};

constexpr std::size_t kMostShown = 16;

void print_output(const std::string& name, const Tensor& tensor, const std::vector<std::uint8_t>* unspecified) {
  fmt::print("{} {} {}", name, qassay::name(tensor.type()), to_text(tensor.shape()));
  for (std::size_t i = 0; i < std::min(tensor.size(), kMostShown); ++i) {
    const bool open = unspecified != nullptr && (*unspecified)[i] != 0;
    fmt::print(" {}{}", decimal_text(tensor.type(), tensor.bits(i)), open ? "?" : "");
  }
  fmt::print("{}\n", tensor.size() > kMostShown ? " …" : "");
}

void run_eval(const EvalOptions& options) {
  const Formula& chosen = formula(options.formula);
  const Evaluation evaluation = chosen(read_inputs(options.inputs), parse_settings(options.settings));
  if (!options.out.empty()) {
    std::error_code error;
    std::filesystem::create_directories(options.out, error);
    if (error)
      throw RequestError(ErrorKind::bad_file,
                         fmt::format("--out: cannot make the folder '{}': {}", options.out.string(), error.message()));
  }
  for (const auto& [name, tensor] : evaluation.outputs) {
    const auto open = evaluation.unspecified.find(name);
    print_output(name, tensor, open == evaluation.unspecified.end() ? nullptr : &open->second);
    if (!options.out.empty()) write_tensor(options.out / (name + ".npy"), tensor);
  }
}

}  // namespace

void add_eval_command(CLI::App& program) {
  auto* command = program.add_subcommand("eval", "Evaluate a formula on tensors");
  const auto options = std::make_shared<EvalOptions>();
  command->add_option("FORMULA", options->formula, "An id such as onnx.QuantizeLinear")->required();
  command->add_option("--in", options->inputs, "NAME=FILE.npy[:TYPE], once for each input")
      ->take_all()
      ->expected(1)
      ->trigger_on_parse(false);
  command
      ->add_option("--set", options->settings,
                   "NAME=VALUE: a number, a word, [1,2,3] or @FILE.npy, each with an optional :TYPE")
      ->take_all()
      ->expected(1);
  command->add_option("--out", options->out, "Write every output as DIR/<output>.npy");
  command->footer(
      "Prints the first elements of every output; '?' marks what a specification leaves open.\n"
      "Examples:\n"
      "  qassay eval onnx.QuantizeLinear --in x=x.npy --set y_scale=0.1 --set y_zero_point=3 --out results\n"
      "  qassay eval onnx.DequantizeLinear --in x=codes.npy:int4 --set x_scale=@scales.npy --set axis=0\n"
      "  qassay eval pytorch.quantize_per_tensor --in x=x.npy --set scale=0x1.99999ap-4 --set zero_point=0 --set "
      "dtype=qint8");
  command->callback([options] { run_eval(*options); });
}

}  // namespace qassay
