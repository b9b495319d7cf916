// qassay trap: whether the grid that weights are trained on is the grid they are deployed on.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "interpreter/error.hpp"
#include "tools/commands.hpp"
#include "tools/npy.hpp"
#include "tools/trap/trap_report.hpp"
#include "tools/trap/weights.hpp"

namespace qassay {
namespace {

constexpr const char* kExamples =
    R"(The training graph has torch's fused observer and fake quantization on weights, as XNNPACK's default set-up for
quantization aware training; conversion asks the observer. Both are computed on these weights, as one first batch.
Exit code 0 if scales, zero points and weights are the same, or all codes are and scales at most 1 ulp off; else 1.
Examples:
  qassay trap w.npy
      int8 per channel symmetric, [-127, 127], eps 2^-12: XNNPACK's
  qassay trap w.npy --quant-min -7 --quant-max 7 --html trap.html
      int4, and a page
  qassay trap model.safetensors --tensor conv.weight --format json
  qassay trap x.npy --per-tensor --qscheme affine --quant-min -128
      the grid of an activation)";

struct TrapOptions {
  std::string weights;
  std::vector<std::string> names;
  std::string dtype = "int8";
  std::int64_t quant_min = -127;
  std::int64_t quant_max = 127;
  std::int64_t ch_axis = 0;
  bool is_per_tensor = false;
  std::string qscheme = "symmetric";
  std::string eps = "0x1p-12";
  std::string format = "text";
  std::string html;
  std::size_t most_shown = 10;
};

/// Symmetric training divides by n, which is 0 for two codes.
void require_codes(const GridRequest& request) {
  const CodeRange all = code_range(request.dtype);
  const CodeRange& codes = request.codes;
  const std::int64_t least_span = request.is_symmetric ? 2 : 1;
  const bool is_inside = all.contains(codes.lowest) && all.contains(codes.highest);
  if (is_inside && codes.contains(0) && codes.highest - codes.lowest >= least_span) return;
  throw RequestError(
      ErrorKind::bad_value,
      fmt::format("--quant-min {} --quant-max {}: expected codes of {} ({} to {}) with 0 among them, at "
                  "least {}",
                  codes.lowest, codes.highest, name(request.dtype), all.lowest, all.highest, least_span + 1));
}

GridRequest request_from(const TrapOptions& options) {
  GridRequest request;
  request.dtype = *type_named(options.dtype);
  request.codes = {options.quant_min, options.quant_max};
  if (options.is_per_tensor) request.ch_axis.reset();
  else request.ch_axis = options.ch_axis;
  request.is_symmetric = options.qscheme == "symmetric";
  request.eps = static_cast<float>(decode(Type::float32, parse_number(options.eps, Type::float32)));
  require_codes(request);
  if (!(request.eps > 0) || std::isinf(request.eps))
    throw RequestError(ErrorKind::bad_value, fmt::format("--eps {}: expected a positive number", options.eps));
  return request;
}

std::string quoted(const std::string& word) {
  const bool is_plain = word.find_first_of(" '\"$&|;*?()[]<>") == std::string::npos;
  return is_plain ? word : fmt::format("'{}'", word);
}

std::string command_line(const TrapOptions& options) {
  std::string command = fmt::format("qassay trap {} --quant-min {} --quant-max {} --dtype {} --qscheme {} --eps {}",
                                    quoted(options.weights), options.quant_min, options.quant_max, options.dtype,
                                    options.qscheme, options.eps);
  command += options.is_per_tensor ? " --per-tensor" : fmt::format(" --ch-axis {}", options.ch_axis);
  for (const std::string& tensor : options.names) command += " --tensor " + quoted(tensor);
  return command;
}

void trap(const TrapOptions& options) {
  TrapResults results{command_line(options), options.weights, request_from(options), {}, {}};
  WeightsFile file = read_weights(options.weights, options.names);
  results.left_out = std::move(file.left_out);
  for (const NamedWeights& weights : file.tensors)
    results.tensors.push_back(compare_grids(weights.name, weights.values, results.request));

  if (!options.html.empty()) write_file(options.html, trap_as_page(results));
  if (options.format == "json") {
    fmt::print("{}\n", trap_as_json(results).dump(1, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    fmt::print("{}", trap_as_text(results, colours_for_stdout(), options.most_shown));
  }
  if (!results.left_out.empty()) {
    fmt::print(stderr, "left out, since not floating or of fewer than two axes: {} of the file's tensors\n",
               results.left_out.size());
  }
  set_exit(is_one_graph(worst_verdict(results.tensors)) ? Exit::as_expected : Exit::mismatches);
}

}  // namespace

void add_trap_command(CLI::App& program) {
  auto options = std::make_shared<TrapOptions>();
  CLI::App* command =
      program.add_subcommand("trap", "Compare the grid weights are trained on with the one they are deployed on");
  command->add_option("weights", options->weights, "FILE.npy, FILE.npy:type or FILE.safetensors")
      ->required()
      ->type_name("WEIGHTS");
  command->add_option("--tensor", options->names, "A tensor of a .safetensors file; repeatable (default: all weights)")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("NAME");
  command->add_option("--quant-min", options->quant_min, "The lowest code")->type_name("N")->capture_default_str();
  command->add_option("--quant-max", options->quant_max, "The highest code")->type_name("N")->capture_default_str();
  command->add_option("--dtype", options->dtype, "The codes' type: int8, uint8, int16 or int32")
      ->check(CLI::IsMember({"int8", "uint8", "int16", "int32"}))
      ->type_name("TYPE")
      ->capture_default_str();
  CLI::Option* axis = command
                          ->add_option("--ch-axis", options->ch_axis,
                                       "The channels' axis; another than 0 is moved to the front for both graphs")
                          ->type_name("AXIS")
                          ->capture_default_str();
  command->add_flag("--per-tensor", options->is_per_tensor, "One grid for the whole tensor")->excludes(axis);
  command->add_option("--qscheme", options->qscheme, "symmetric or affine")
      ->check(CLI::IsMember({"symmetric", "affine"}))
      ->type_name("SCHEME")
      ->capture_default_str();
  command->add_option("--eps", options->eps, "The observer's smallest scale")->type_name("EPS")->capture_default_str();
  command->add_option("--format", options->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT")
      ->capture_default_str();
  command->add_option("--html", options->html, "Write a report for people, one file")->type_name("FILE");
  command->add_option("--max-shown", options->most_shown, "Channels shown")->type_name("N")->capture_default_str();
  command->footer(kExamples);
  command->callback([options] { trap(*options); });
}

}  // namespace qassay
