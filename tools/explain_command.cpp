// qassay explain: every step of one element.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "interpreter/nearest_names.hpp"
#include "interpreter/registry.hpp"
#include "tools/commands.hpp"
#include "tools/diagnosis/explanation.hpp"
#include "tools/diagnosis/scalar_function.hpp"
#include "tools/npy.hpp"
#include "tools/report/report.hpp"
#include "tools/settings.hpp"

namespace qassay {
namespace {

constexpr const char* kExamples =
    R"(Shows each arithmetic step with the exact value before rounding, the error in ulp and the distance to the tie that
decides; then what other formulas and other rounding rules give for the same element.
Numbers: decimals, hex floats such as 0x1.8p-3, bits:0x3e800000, nan, inf, -inf, -0; each with an optional :TYPE.
Examples:
  qassay explain onnx.QuantizeLinear --set y_scale=0x1.414142p-6 --set y_zero_point=153 x=-2.5
  qassay explain onnx.DequantizeLinear --set 'x_scale=[0.1,0.02]' --index 1 x=-3:int8
  qassay explain onnx.DynamicQuantizeLinear 'x=[0,2,-3,-2.5]' --index 3
  qassay explain pytorch.quantize_per_tensor@2.13 --set scale=0.1 --set zero_point=1 --set dtype=quint8 x=0.25)";

struct ExplainOptions {
  std::string formula;
  std::vector<std::string> inputs;
  std::vector<std::string> settings;
  std::int64_t index = 0;
  std::string format = "text";
};

/// "x=0.25" in two.
struct Assignment {
  std::string name;
  std::string value;
};

Assignment assignment_of(const std::string& text, const Signature& signature) {
  if (signature.inputs.empty()) {
    throw RequestError(ErrorKind::unknown_parameter,
                       fmt::format("'{}': {} has no inputs; give its parameters by --set", text, signature.id));
  }
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw RequestError(ErrorKind::bad_value,
                       fmt::format("'{}': expected NAME=VALUE, such as {}=0.25", text, signature.inputs.front().name));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// Refuses "0.25:flaot32", whose last part can only be meant as a type.
void require_known_type(const Assignment& given) {
  const std::size_t colon = given.value.rfind(':');
  if (colon == std::string::npos || given.value.starts_with('@')) return;
  const std::string word = given.value.substr(colon + 1);
  const bool is_bits = colon >= 4 && given.value.compare(colon - 4, 4, "bits") == 0;
  if (is_bits || type_named(word)) return;
  std::vector<std::string> names;
  for (const TypeRow& row : type_rows()) names.emplace_back(row.name);
  throw RequestError(ErrorKind::wrong_type, fmt::format("{}={}: no type '{}'{}; there are {}", given.name, given.value,
                                                        word, did_you_mean(word, names), fmt::join(names, ", ")));
}

Tensor tensor_of(const Assignment& given, const Input& input, bool is_elementwise) {
  if (given.value.starts_with('@')) return read_tensor(given.value.substr(1));
  require_known_type(given);
  const Written written = Written::parse(given.value);
  const auto count = static_cast<std::int64_t>(written.elements.size());
  Tensor tensor(written.type.value_or(input.types.front()), is_elementwise ? Shape{1} : Shape{count});
  if (is_elementwise && count != 1) return Tensor(tensor.type(), {count});
  for (std::size_t i = 0; i < written.elements.size(); ++i) {
    try {
      tensor.set_bits(i, parse_number(written.elements[i], tensor.type()));
    } catch (const RequestError& error) {
      throw RequestError(error.kind(), fmt::format("{}: {}", given.name, error.what()));
    }
  }
  return tensor;
}

/// "x or y=…" for messages.
const Input& input_named(const Signature& signature, const std::string& given) {
  const auto found = std::ranges::find(signature.inputs, given, &Input::name);
  if (found != signature.inputs.end()) return *found;
  if (signature.parameter(given) != nullptr) {
    throw RequestError(ErrorKind::unknown_parameter,
                       fmt::format("{}: '{}' is a parameter; give it as --set {}=…", signature.id, given, given));
  }
  std::vector<std::string_view> names;
  for (const Input& input : signature.inputs) names.push_back(input.name);
  throw RequestError(ErrorKind::unknown_parameter,
                     fmt::format("{}: no input '{}'; expected {}=…", signature.id, given, fmt::join(names, "=… or ")));
}

Inputs inputs_of(const Signature& signature, const std::vector<std::string>& assignments) {
  const bool is_elementwise = signature.kind == FormulaKind::elementwise;
  Inputs inputs;
  for (const std::string& text : assignments) {
    const Assignment given = assignment_of(text, signature);
    const Input& input = input_named(signature, given.name);
    Tensor tensor = tensor_of(given, input, is_elementwise);
    if (is_elementwise && tensor.size() != 1) {
      throw RequestError(ErrorKind::wrong_shape, fmt::format("{}: {} values; {} is explained for one number at a time",
                                                             given.name, tensor.size(), signature.id));
    }
    // Groups lie along the last of two axes.
    if (is_elementwise)
      tensor = tensor.reshaped(signature.parameter(Role::group_size) != nullptr ? Shape{1, 1} : Shape{1});
    if (!inputs.emplace(given.name, std::move(tensor)).second)
      throw RequestError(ErrorKind::bad_value, fmt::format("{}: given twice", given.name));
  }
  for (const Input& input : signature.inputs) {
    if (inputs.contains(input.name)) continue;
    throw RequestError(ErrorKind::missing_parameter,
                       fmt::format("{}: {} is missing; give {}={}", signature.id, input.name, input.name,
                                   is_elementwise ? "NUMBER" : "[NUMBER,NUMBER,…]"));
  }
  return inputs;
}

std::size_t text_width() {
  constexpr std::size_t kNarrowest = 60;
  constexpr std::size_t kWidest = 120;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return TextStyle{}.width;
  return std::clamp<std::size_t>(size.ws_col, kNarrowest, kWidest);
}

void run_explain(const ExplainOptions& options) {
  const Formula& chosen = formula(options.formula);
  if (options.index < 0)
    throw RequestError(ErrorKind::out_of_domain, fmt::format("--index {}: expected 0 or more", options.index));
  const Signature& signature = *chosen.signature;
  const Inputs inputs = inputs_of(signature, options.inputs);
  const Settings settings = by_own_names(parse_settings(options.settings), signature);
  const Explanation explanation = explain(chosen, inputs, settings, static_cast<std::size_t>(options.index));
  if (options.format == "json") {
    fmt::print("{}", explanation_json(explanation));
  } else {
    fmt::print("{}", explanation_text(explanation, {colours_for_stdout() == Colours::yes, text_width()}));
  }
}

}  // namespace

void add_explain_command(CLI::App& program) {
  auto* command = program.add_subcommand("explain", "Every step of one element, and which one decides");
  const auto options = std::make_shared<ExplainOptions>();
  command->add_option("FORMULA", options->formula, "An id such as onnx.QuantizeLinear")->required();
  command->add_option("INPUTS", options->inputs, "NAME=NUMBER[:TYPE] for each input; [1,2,3] where it takes a tensor")
      ->type_name("NAME=VALUE");
  command
      ->add_option("--set", options->settings,
                   "NAME=VALUE: a number, a word, [1,2,3] or @FILE.npy, each with an optional :TYPE")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
  command->add_option("--index", options->index, "The channel of vector parameters, or the element of a tensor")
      ->type_name("I")
      ->capture_default_str();
  command->add_option("--format", options->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->footer(kExamples);
  command->callback([options] { run_explain(*options); });
}

}  // namespace qassay
