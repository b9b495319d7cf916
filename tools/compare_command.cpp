#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "interpreter/registry.hpp"
#include "tools/commands.hpp"
#include "tools/diagnosis/comparison.hpp"
#include "tools/diagnosis/parameter_bank.hpp"
#include "tools/diagnosis/parting_steps.hpp"
#include "tools/generators.hpp"
#include "tools/harness/interrupt.hpp"
#include "tools/number_words.hpp"
#include "tools/settings.hpp"
#include "tools/sweep_progress.hpp"

namespace qassay {
namespace {

using Json = nlohmann::ordered_json;

struct CompareOptions {
  std::string a;
  std::string b;
  std::vector<std::string> settings;
  std::vector<std::string> each;
  bool bank = false;
  bool sweep = false;
  std::string input_type;
  std::string format = "text";
  std::size_t max_shown = 10;
};

/// One set of parameters and what it gave.
struct Finding {
  Settings settings;
  ScalarFunction a;
  ScalarFunction b;
  Comparison comparison;
  double milliseconds = 0;
};

std::string settings_text(const Settings& settings) {
  std::vector<std::string> parts;
  for (const auto& [name, written] : settings) {
    parts.push_back(
        fmt::format("{}={}", name, written.tensor ? "@file" : fmt::format("{}", fmt::join(written.elements, ","))));
  }
  return fmt::format("{}", fmt::join(parts, "  "));
}

std::string steps_name(std::int64_t steps) {
  return steps == INT64_MIN ? "not finite" : fmt::format("{:+} LSB", steps);
}

void print_text(const Finding& finding, const CompareOptions& options) {
  const Comparison& comparison = finding.comparison;
  const Type input = finding.a.input_type();
  const Type output = finding.a.output_type();
  fmt::print("A  {}\nB  {}\n   {}\n\n", options.a, options.b, settings_text(finding.settings));
  if (!comparison.is_complete) fmt::print("interrupted: this is what the sweep had seen\n");
  fmt::print("{} of {} inputs differ", grouped(comparison.differing), grouped(comparison.inputs));
  for (const auto& [steps, count] : comparison.by_steps) fmt::print(", {} by {}", grouped(count), steps_name(steps));
  fmt::print("\n");
  if (comparison.nan_inputs > 0) {
    fmt::print("{} NaN inputs {}\n", grouped(comparison.nan_inputs),
               comparison.differing_nan == 0 ? "agree" : "differ too, counted apart");
  }
  if (options.sweep) fmt::print("every input tried, {:.1f} s\n", finding.milliseconds / 1000);
  else
    fmt::print("from {} evaluations, {:.2f} ms\n", grouped(finding.a.evaluations() + finding.b.evaluations()),
               finding.milliseconds);
  const auto smallest = comparison.smallest();
  const auto simplest = comparison.simplest(input);
  if (!smallest || !simplest) return;
  const auto witness = [&](std::string_view title, std::int64_t order) {
    fmt::print("{} {}: A {}, B {}\n", title, value_text_by_order(input, order),
               value_text_by_order(output, finding.a.at(order)),
               value_text_by_order(finding.b.output_type(), finding.b.at(order)));
  };
  fmt::print("\n");
  witness("smallest input ", *smallest);
  witness("simplest input ", *simplest);
  const auto [step_a, step_b] = parting_steps(finding.a, finding.b, bits_at(input, *simplest));
  fmt::print("where they part: A {}\n                 B {}\n\n", step_a, step_b);
  fmt::print("{} intervals{}\n", grouped(comparison.intervals.size()),
             comparison.intervals.size() > options.max_shown ? fmt::format(", the first {}:", options.max_shown) : ":");
  for (std::size_t i = 0; i < std::min(options.max_shown, comparison.intervals.size()); ++i) {
    const DifferingInterval& interval = comparison.intervals[i];
    fmt::print("  {} … {}  {} inputs: A {}, B {}\n", value_text_by_order(input, interval.first),
               value_text_by_order(input, interval.last), grouped(interval.count()),
               value_text_by_order(output, interval.output_a), value_text_by_order(output, interval.output_b));
  }
}

Json to_json(const Finding& finding, const CompareOptions& options) {
  const Comparison& comparison = finding.comparison;
  const Type input = finding.a.input_type();
  const Type output = finding.a.output_type();
  const auto value = [](Type type, std::int64_t order) {
    if (order == ScalarFunction::kNanOutput) return Json{{"value", "nan"}};
    const std::uint64_t bits = bits_at(type, order);
    return Json{{"value", decimal_text(type, bits)}, {"bits", hexadecimal(type, bits)}};
  };
  const auto witness = [&](std::int64_t order) {
    return Json{{"x", value(input, order)},
                {"a", value(output, finding.a.at(order))},
                {"b", value(finding.b.output_type(), finding.b.at(order))}};
  };
  Json json{{"a", options.a}, {"b", options.b}};
  for (const auto& [name, written] : finding.settings) json["set"][name] = written.elements;
  json["method"] = options.sweep ? "sweep" : "thresholds";
  json["complete"] = comparison.is_complete;
  json["inputs"] = comparison.inputs;
  json["differing"] = comparison.differing;
  json["nan_inputs"] = comparison.nan_inputs;
  json["differing_nan"] = comparison.differing_nan;
  json["by_lsb"] = Json::array();
  for (const auto& [steps, count] : comparison.by_steps)
    json["by_lsb"].push_back({steps == INT64_MIN ? Json("not_finite") : Json(steps), count});
  if (const auto smallest = comparison.smallest()) json["smallest"] = witness(*smallest);
  if (const auto simplest = comparison.simplest(input)) {
    json["simplest"] = witness(*simplest);
    const auto [step_a, step_b] = parting_steps(finding.a, finding.b, bits_at(input, *simplest));
    json["parts_at"] = {{"a", step_a}, {"b", step_b}};
  }
  json["intervals"] = Json::array();
  for (const DifferingInterval& interval : comparison.intervals) {
    json["intervals"].push_back({{"first", value(input, interval.first)},
                                 {"last", value(input, interval.last)},
                                 {"count", interval.count()},
                                 {"a", value(output, interval.output_a)},
                                 {"b", value(output, interval.output_b)}});
  }
  json["milliseconds"] = finding.milliseconds;
  if (!options.sweep) json["evaluations"] = finding.a.evaluations() + finding.b.evaluations();
  return json;
}

Finding compare_once(const Settings& settings, const CompareOptions& options) {
  const Formula& formula_a = formula(options.a);
  const Formula& formula_b = formula(options.b);
  if (formula_a.signature->inputs.empty() || formula_b.signature->inputs.empty()) {
    throw RequestError(ErrorKind::out_of_domain, "compare: both formulas need an input");
  }
  const std::optional<Type> asked =
      options.input_type.empty() ? formula_a.signature->inputs.front().types.front() : type_named(options.input_type);
  if (!asked) throw RequestError(ErrorKind::bad_value, fmt::format("--input-type: no type '{}'", options.input_type));
  const auto [settings_a, settings_b] = for_both(settings, *formula_a.signature, *formula_b.signature);
  Finding finding{settings, {formula_a, settings_a, *asked}, {formula_b, settings_b, *asked}, {}, 0};
  const auto start = std::chrono::steady_clock::now();
  if (options.sweep) {
    SweepProgress progress;
    finding.comparison = compare_by_sweep(finding.a, finding.b, std::ref(progress));
  } else {
    finding.comparison = compare_by_segments(finding.a, finding.b);
  }
  finding.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return finding;
}

void print_table_row(const Finding& finding, std::size_t width) {
  const auto smallest = finding.comparison.smallest();
  fmt::print("{:<{}}  {:>13}  {:>4}  {:>8.2f}  {}\n", settings_text(finding.settings), width,
             grouped(finding.comparison.differing), finding.comparison.differing_nan == 0 ? "same" : "no",
             finding.milliseconds,
             smallest ? fmt::format("{}: A {}, B {}", value_text_by_order(finding.a.input_type(), *smallest),
                                    value_text_by_order(finding.a.output_type(), finding.a.at(*smallest)),
                                    value_text_by_order(finding.b.output_type(), finding.b.at(*smallest)))
                      : "");
}

void run_compare(const CompareOptions& options) {
  const InterruptGuard interrupt;
  const std::vector<Settings> sets = options.bank ? parameter_bank(parse_settings(options.settings), options.each)
                                                  : crossed(parse_settings(options.settings), options.each);
  Json all = Json::array();
  bool differs = false;
  std::size_t width = 10;
  for (const Settings& settings : sets) width = std::max(width, settings_text(settings).size());
  const bool is_table = sets.size() > 1 && options.format == "text";
  if (is_table)
    fmt::print("A  {}\nB  {}\n\n{:<{}}  {:>13}  {:>4}  {:>8}  smallest input\n", options.a, options.b, "parameters",
               width, "differing", "NaN", "ms");
  for (const Settings& settings : sets) {
    const Finding finding = compare_once(settings, options);
    differs = differs || finding.comparison.differing > 0 || finding.comparison.differing_nan > 0;
    if (options.format == "json") all.push_back(to_json(finding, options));
    else if (is_table) print_table_row(finding, width);
    else print_text(finding, options);
    if (is_interrupted()) break;
  }
  if (options.format == "json") fmt::print("{}\n", (sets.size() == 1 ? all.front() : all).dump(2));
  if (differs) set_exit(Exit::mismatches);
}

}  // namespace

void add_compare_command(CLI::App& program) {
  auto* command = program.add_subcommand("compare", "On how many of all inputs two formulas differ, and where");
  const auto options = std::make_shared<CompareOptions>();
  command->add_option("A", options->a, "A formula's id")->required();
  command->add_option("B", options->b, "Another formula's id")->required();
  command
      ->add_option("--set", options->settings,
                   "NAME=VALUE; NAME is a role (scale, zero_point, dtype) or either formula's own name")
      ->take_all()
      ->expected(1);
  command->add_option("--each", options->each, "NAME=V1,V2,…: a table over all combinations")->take_all()->expected(1);
  command->add_flag("--bank", options->bank, "A table over a bank of awkward scales, zero points and types");
  command->add_flag("--sweep", options->sweep, "Try every input instead of looking for thresholds");
  command->add_option("--input-type", options->input_type, "The type of x, if not the first that A takes");
  command->add_option("--format", options->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->add_option("--max-shown", options->max_shown, "Intervals shown")->capture_default_str();
  command->footer(
      "Exact, from the thresholds of both formulas: no input is tried but those that bisection needs.\n"
      "Exit 0 if they agree on every input, 1 if not. Examples:\n"
      "  qassay compare onnx.QuantizeLinear pytorch.quantize_per_tensor --set scale=0.1 --set zero_point=3 --set "
      "dtype=uint8\n"
      "  qassay compare onnx.QuantizeLinear pytorch.quantize_per_tensor@2.13 --set dtype=uint8 --each scale=0.1,0.3 "
      "--each zero_point=0,3\n"
      "  qassay compare onnx.QuantizeLinear onnx_reference.QuantizeLinear --bank\n"
      "  qassay compare onnx.QuantizeLinear pytorch.quantize_per_tensor --set scale=0.1 --set zero_point=3 --set "
      "dtype=uint8 --sweep");
  command->callback([options] { run_compare(*options); });
}

}  // namespace qassay
