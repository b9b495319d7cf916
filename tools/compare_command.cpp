#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

#include "interpreter/registry.hpp"
#include "tools/commands.hpp"
#include "tools/diagnosis/comparison.hpp"
#include "tools/diagnosis/parameter_bank.hpp"
#include "tools/generators.hpp"
#include "tools/harness/interrupt.hpp"
#include "tools/settings.hpp"

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

std::string grouped(std::uint64_t n) {
  std::string digits = std::to_string(n);
  for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > 0; i -= 3)
    digits.insert(static_cast<std::size_t>(i), ",");
  return digits;
}

std::string value_text(Type type, std::int64_t order) {
  if (order == ScalarFunction::kNanOutput) return "nan";
  const std::uint64_t bits = bits_at(type, order);
  if (!is_floating(type)) return decimal_text(type, bits);
  return fmt::format("{} (0x{:0{}x})", decimal_text(type, bits), bits, 2 * row(type).storage_bytes);
}

std::string settings_text(const Settings& settings) {
  std::vector<std::string> parts;
  for (const auto& [name, written] : settings) {
    parts.push_back(
        fmt::format("{}={}", name, written.tensor ? "@file" : fmt::format("{}", fmt::join(written.elements, ","))));
  }
  return fmt::format("{}", fmt::join(parts, "  "));
}

std::string step_text(const TraceStep& step) {
  std::vector<std::string> operands;
  for (const Traced& operand : step.operands) operands.push_back(fmt::format("{}", operand.value()));
  return fmt::format("{} ({}) = {}", step.act, fmt::join(operands, ", "), step.result.value());
}

/// The step before `end` that made this operand: the first with that result, since later ones may have let it through.
std::size_t maker_of(const Trace& trace, std::size_t end, const Traced& operand) {
  for (std::size_t i = 0; i < end; ++i) {
    if (trace[i].result.value() == operand.value()) return i;
  }
  return end == 0 ? 0 : end - 1;
}

/// Where two traces part: the steps that feed the first act both do on different operands, else the first steps that
/// differ.
std::pair<std::string, std::string> parting_steps(const Finding& finding, std::int64_t order) {
  const std::uint64_t bits = bits_at(finding.a.input_type(), order);
  const Trace of_a = finding.a.trace(bits);
  const Trace of_b = finding.b.trace(bits);
  const auto text = [](const Trace& trace, std::size_t i) {
    return i < trace.size() ? fmt::format("step {}: {}", i + 1, step_text(trace[i])) : std::string("no further step");
  };
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    for (std::size_t j = 0; j < of_b.size(); ++j) {
      const bool same_rounding = of_a[i].act == of_b[j].act && of_a[i].act.starts_with("round half");
      if (!same_rounding || of_a[i].operands[0].value() == of_b[j].operands[0].value()) continue;
      return {text(of_a, maker_of(of_a, i, of_a[i].operands[0])), text(of_b, maker_of(of_b, j, of_b[j].operands[0]))};
    }
  }
  std::size_t i = 0;
  while (i < of_a.size() && i < of_b.size() && step_text(of_a[i]) == step_text(of_b[i])) ++i;
  return {text(of_a, i), text(of_b, i)};
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
    fmt::print("{} {}: A {}, B {}\n", title, value_text(input, order), value_text(output, finding.a.at(order)),
               value_text(finding.b.output_type(), finding.b.at(order)));
  };
  fmt::print("\n");
  witness("smallest input ", *smallest);
  witness("simplest input ", *simplest);
  const auto [step_a, step_b] = parting_steps(finding, *simplest);
  fmt::print("where they part: A {}\n                 B {}\n\n", step_a, step_b);
  fmt::print("{} intervals{}\n", grouped(comparison.intervals.size()),
             comparison.intervals.size() > options.max_shown ? fmt::format(", the first {}:", options.max_shown) : ":");
  for (std::size_t i = 0; i < std::min(options.max_shown, comparison.intervals.size()); ++i) {
    const DifferingInterval& interval = comparison.intervals[i];
    fmt::print("  {} … {}  {} inputs: A {}, B {}\n", value_text(input, interval.first),
               value_text(input, interval.last), grouped(interval.count()), value_text(output, interval.output_a),
               value_text(output, interval.output_b));
  }
}

Json to_json(const Finding& finding, const CompareOptions& options) {
  const Comparison& comparison = finding.comparison;
  const Type input = finding.a.input_type();
  const Type output = finding.a.output_type();
  const auto value = [](Type type, std::int64_t order) {
    if (order == ScalarFunction::kNanOutput) return Json{{"value", "nan"}};
    const std::uint64_t bits = bits_at(type, order);
    return Json{{"value", decimal_text(type, bits)},
                {"bits", fmt::format("0x{:0{}x}", bits, 2 * row(type).storage_bytes)}};
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
    const auto [step_a, step_b] = parting_steps(finding, *simplest);
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

/// A line over and over on a terminal's standard error.
class SweepProgress {
 public:
  void operator()(double share) {
    if (!is_shown_) return;
    const std::scoped_lock lock(mutex_);
    const int percent = static_cast<int>(share * 100);
    if (percent == shown_) return;
    shown_ = percent;
    fmt::print(stderr, "\r[{:<40}] {:3}%", std::string(static_cast<std::size_t>(percent) * 40 / 100, '#'), percent);
    if (percent >= 100) fmt::print(stderr, "\r{:60}\r", "");
    std::fflush(stderr);
  }

 private:
  bool is_shown_ = isatty(STDERR_FILENO) != 0;
  std::mutex mutex_;
  int shown_ = -1;
};

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
             smallest ? fmt::format("{}: A {}, B {}", value_text(finding.a.input_type(), *smallest),
                                    value_text(finding.a.output_type(), finding.a.at(*smallest)),
                                    value_text(finding.b.output_type(), finding.b.at(*smallest)))
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
