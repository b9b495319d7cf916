#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "interpreter/registry.hpp"
#include "tools/cases.hpp"
#include "tools/commands.hpp"
#include "tools/diagnosis/scalar_function.hpp"
#include "tools/diagnosis/segments.hpp"
#include "tools/generators.hpp"
#include "tools/npy.hpp"
#include "tools/number_words.hpp"
#include "tools/settings.hpp"

namespace qassay {
namespace {

using Json = nlohmann::ordered_json;

struct ProbesOptions {
  std::string formula;
  std::vector<std::string> settings;
  std::string input_type;
  int neighbours = 2;
  std::size_t max_steps = 65536;
  std::string out;
  std::string format = "text";
};

/// All values of a type that has few.
std::vector<std::int64_t> every_order(Type type) {
  std::vector<std::int64_t> orders;
  for (std::int64_t order = lowest_order(type); order <= highest_order(type); ++order) orders.push_back(order);
  return orders;
}

std::string output_text(Type type, std::int64_t order) {
  return order == ScalarFunction::kNanOutput ? "nan" : decimal_text(type, bits_at(type, order));
}

void run_probes(const ProbesOptions& options) {
  const Formula& chosen = formula(options.formula);
  if (chosen.signature->inputs.empty())
    throw RequestError(ErrorKind::out_of_domain, fmt::format("{} has no input to probe", options.formula));
  const std::optional<Type> type =
      options.input_type.empty() ? chosen.signature->inputs.front().types.front() : type_named(options.input_type);
  if (!type) throw RequestError(ErrorKind::bad_value, fmt::format("--input-type: no type '{}'", options.input_type));
  const ScalarFunction function(chosen, parse_settings(options.settings), *type);

  // Few codes are all probes; of a real input, each step's threshold and its neighbours.
  std::vector<Segment> thresholds;
  std::vector<std::int64_t> orders;
  if (row(*type).bits <= 8) {
    orders = every_order(*type);
  } else {
    thresholds = segments_of(function, options.max_steps);
    const Tensor probes = boundary_inputs(chosen, function.settings(), *type, options.max_steps, options.neighbours);
    for (std::size_t i = 0; i < probes.size(); ++i) orders.push_back(order_of(*type, probes.bits(i)));
  }
  Tensor x = Tensor::uncleared(*type, {static_cast<std::int64_t>(orders.size())});
  for (std::size_t i = 0; i < orders.size(); ++i) x.set_bits(i, bits_at(*type, orders[i]));
  std::vector<SpecialValue> specials = special_values(*type);
  Tensor all = Tensor::uncleared(*type, {static_cast<std::int64_t>(orders.size() + specials.size())});
  for (std::size_t i = 0; i < all.size(); ++i)
    all.set_bits(i, i < orders.size() ? x.bits(i) : specials[i - orders.size()].bits);
  if (!options.out.empty()) write_tensor(options.out, all);

  std::vector<std::int64_t> outputs;
  function.evaluate(orders, outputs);
  const Tensor of_specials = [&] {
    Tensor values = Tensor::uncleared(*type, {static_cast<std::int64_t>(specials.size())});
    for (std::size_t i = 0; i < specials.size(); ++i) values.set_bits(i, specials[i].bits);
    return function.evaluate(values);
  }();
  const Type output = function.output_type();
  if (options.format == "json") {
    Json json{{"formula", options.formula}, {"input_type", name(*type)}, {"output_type", name(output)}};
    json["thresholds"] = Json::array();
    for (std::size_t i = 1; i < thresholds.size(); ++i) {
      const std::uint64_t bits = bits_at(*type, thresholds[i].first);
      json["thresholds"].push_back(
          {{"first", {{"value", decimal_text(*type, bits)}, {"bits", hexadecimal(*type, bits)}}},
           {"before", output_text(output, thresholds[i - 1].output)},
           {"after", output_text(output, thresholds[i].output)}});
    }
    json["probes"] = Json::array();
    for (std::size_t i = 0; i < orders.size(); ++i)
      json["probes"].push_back({hexadecimal(*type, x.bits(i)), output_text(output, outputs[i])});
    json["special"] = Json::array();
    for (std::size_t i = 0; i < specials.size(); ++i) {
      json["special"].push_back({{"name", specials[i].name},
                                 {"bits", hexadecimal(*type, specials[i].bits)},
                                 {"output", decimal_text(output, of_specials.bits(i))}});
    }
    fmt::print("{}\n", json.dump(2));
    return;
  }
  for (std::size_t i = 1; i < thresholds.size(); ++i) {
    fmt::print("from {:<32} {} -> {}\n", value_text_by_order(*type, thresholds[i].first),
               output_text(output, thresholds[i - 1].output), output_text(output, thresholds[i].output));
  }
  if (thresholds.empty()) {
    for (std::size_t i = 0; i < orders.size(); ++i)
      fmt::print("{:<32} {}\n", value_text_by_order(*type, orders[i]), output_text(output, outputs[i]));
  }
  fmt::print("\n{} probes with neighbours, {} special values{}\n", orders.size(), specials.size(),
             options.out.empty() ? "; --out FILE.npy writes them" : " written to " + options.out);
}

}  // namespace

void add_probes_command(CLI::App& program) {
  auto* command = program.add_subcommand(
      "probes", "The inputs that matter: every threshold of a formula with its neighbours, and special values");
  const auto options = std::make_shared<ProbesOptions>();
  command->add_option("FORMULA", options->formula, "An id such as onnx.QuantizeLinear")->required();
  command
      ->add_option("--set", options->settings,
                   "NAME=VALUE; NAME is the formula's own or a role (scale, zero_point, dtype)")
      ->take_all()
      ->expected(1);
  command->add_option("--input-type", options->input_type,
                      "The type of the input, if not the first that the formula takes");
  command->add_option("--neighbours", options->neighbours, "Values on each side of a threshold")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  command->add_option("--max-steps", options->max_steps, "More steps than this are refused")->capture_default_str();
  command->add_option("--out", options->out, "Write probes and special values as one .npy file");
  command->add_option("--format", options->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->footer(
      "Examples:\n"
      "  qassay probes onnx.QuantizeLinear --set scale=0.1 --set zero_point=3 --set dtype=uint8\n"
      "  qassay probes pytorch.fake_quantize_per_tensor_affine --set scale=0.1 --set zero_point=0 --set quant_min=-8 "
      "--set quant_max=7 --out probes.npy\n"
      "  qassay probes onnxruntime.requantize --set x_scale=0.02 --set w_scale=0.01 --set y_scale=0.05 --format json");
  command->callback([options] { run_probes(*options); });
}

}  // namespace qassay
