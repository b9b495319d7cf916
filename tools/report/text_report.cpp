#include <fmt/color.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "tools/report/cells.hpp"
#include "tools/report/report.hpp"

namespace qassay {
namespace {

constexpr std::size_t kBinsShown = 9;
constexpr std::int64_t kFarthestBin = 4;
constexpr std::size_t kReasonWidth = 140;

/// Who gave the two values of an element.
struct Givers {
  std::string expected;
  std::string got;
};
const Givers kBesideExpected{"expected", "got"};

class TextReport {
 public:
  TextReport(const RunResults& results, Colours colours, std::size_t most_shown)
      : results_(results), has_colours_(colours == Colours::yes), most_shown_(most_shown) {}

  static std::string of_output(const OutputResult& output) {
    const RunResults nothing;
    TextReport report(nothing, Colours::no, 0);
    report.write_output(output, kBesideExpected);
    return std::move(report.text_);
  }

  std::string run() {
    for (std::size_t b = 0; b < results_.backends.size(); ++b) write_backend(b);
    write_summary();
    return std::move(text_);
  }

 private:
  template <class... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    text_ += fmt::format(format, std::forward<Values>(values)...) + "\n";
  }

  std::string painted(std::string_view text, fmt::terminal_color colour) const {
    return has_colours_ ? fmt::format(fmt::fg(colour), "{}", text) : std::string(text);
  }
  std::string bold(std::string_view text) const {
    return has_colours_ ? fmt::format(fmt::emphasis::bold, "{}", text) : std::string(text);
  }
  std::string painted(Verdict verdict, std::string_view text) const {
    if (verdict == Verdict::pass) return painted(text, fmt::terminal_color::green);
    if (verdict == Verdict::known_difference) return painted(text, fmt::terminal_color::yellow);
    return is_failure(verdict) ? painted(text, fmt::terminal_color::red) : std::string(text);
  }

  std::string verdict_counts(const std::array<std::size_t, kVerdictCount>& counts) const {
    std::vector<std::string> parts;
    for (std::size_t v = 0; v < kVerdictCount; ++v) {
      if (counts[v] == 0) continue;
      const auto verdict = static_cast<Verdict>(v);
      parts.push_back(painted(verdict, fmt::format("{} {}", counts[v], name(verdict))));
    }
    return parts.empty() ? "nothing" : fmt::format("{}", fmt::join(parts, ", "));
  }

  void write_backend(std::size_t b) {
    const BackendResult& backend = results_.backends[b];
    std::string packages;
    for (const auto& [package, version] : backend.hello.packages) packages += fmt::format(", {} {}", package, version);
    const std::string version = backend.hello.version.empty() ? "" : " " + backend.hello.version;
    line("{}{}{}", bold(backend.name), version, packages);
    if (results_.against) write_against(*results_.against);
    const std::vector<Cell> cells = cells_of(results_);
    std::size_t width = 0;
    for (const Cell& cell : cells) width = std::max(width, cell.formula.size());
    for (const Cell& cell : cells) {
      if (cell.backend != b) continue;
      std::string numbers;
      if (cell.compared > 0) numbers = fmt::format("; {} of {} elements compared", cell.compared, cell.elements);
      if (cell.mismatches > 0)
        numbers +=
            fmt::format(", {} differ, at most {:g} lsb, sqnr {}", cell.mismatches, cell.max_lsb, to_text(cell.sqnr));
      line("  {:{}}  {}{}", cell.formula, width, verdict_counts(cell.verdicts), numbers);
    }
    write_reasons(b, Verdict::unsupported);
    write_known_differences(b);
    write_failures(b);
    if (!backend.failure.empty())
      line("  {}: {}", painted("could not be run", fmt::terminal_color::red), backend.failure);
  }

  void write_against(const BackendResult& against) {
    line("  against {}{}{}", bold(against.name), against.hello.version.empty() ? "" : " ", against.hello.version);
    if (!against.failure.empty())
      line("  {}: {}", painted(against.name + " could not be run", fmt::terminal_color::red), against.failure);
  }

  /// Of a pair in short, since two messages are seldom the same twice.
  std::string reason_of(const CaseResult& result) const {
    return result.pair ? endings_text(results_, result) : result.message;
  }

  /// What was skipped, and why.
  void write_reasons(std::size_t b, Verdict verdict) {
    std::map<std::string, std::size_t> reasons;
    for (const CaseResult& result : results_.cases) {
      if (result.backend == b && result.verdict == verdict) ++reasons[reason_of(result)];
    }
    std::vector<std::pair<std::string, std::size_t>> by_count(reasons.begin(), reasons.end());
    std::ranges::stable_sort(by_count, std::greater<>{}, &std::pair<std::string, std::size_t>::second);
    for (const auto& [reason, count] : by_count) {
      const bool is_long = reason.size() > kReasonWidth;
      line("  {} {}: {}{}", count, name(verdict), reason.substr(0, kReasonWidth), is_long ? "…" : "");
    }
  }

  void write_known_differences(std::size_t b) {
    write_known_differences(b, results_.backends[b]);
    if (results_.against) write_known_differences(b, *results_.against);
  }

  /// Of a pair, those of either side.
  void write_known_differences(std::size_t b, const BackendResult& owner) {
    const std::string whose = results_.against ? fmt::format(" of {}", owner.name) : "";
    for (const KnownDifference& entry : owner.known_differences) {
      const auto count = std::ranges::count_if(results_.cases, [&](const CaseResult& result) {
        return result.backend == b && result.verdict == Verdict::known_difference && shows(result, entry);
      });
      if (count == 0) continue;
      line("  {} known_difference{}: {}; {}{}", count, whose,
           entry.cause ? fmt::format("every element as {} computes", entry.cause_text()) : entry.cause_text(),
           entry.why, entry.upstream.empty() ? "" : " (" + entry.upstream + ")");
    }
  }

  static bool shows(const CaseResult& result, const KnownDifference& entry) {
    if (!result.pair) return result.known_difference == &entry;
    return std::ranges::find(result.pair->sides, &entry, &SideFinding::known_difference) != result.pair->sides.end();
  }

  void write_failures(std::size_t b) {
    std::size_t failures = 0;
    for (const CaseResult& result : results_.cases) {
      if (result.backend != b || !(is_failure(result.verdict) || result.has_sweep())) continue;
      if (++failures <= most_shown_) write_failure(result);
    }
    if (failures > most_shown_)
      line("\n  … and {} more; --max-shown shows more, --json and --html have all of them", failures - most_shown_);
  }

  void write_failure(const CaseResult& result) {
    const CaseSpec& spec = results_.specs[result.spec];
    line("\n{} {}", painted(result.verdict, name(result.verdict)), bold(spec.name));
    if (!spec.why().empty()) line("  why: {}", spec.why());
    for (const std::string& trap : spec.traps()) {
      const auto known = results_.traps.find(trap);
      line("  trap {}{}", trap, known == results_.traps.end() ? "" : ": " + known->second.wrong);
    }
    const bool says_count = result.verdict == Verdict::mismatch && result.policy == "exact";  // so do the outputs
    if (!result.policy.empty() && result.policy != "exact") line("  policy: {}", result.policy);
    if (!result.message.empty() && !says_count) line("  {}", indented(result.message));
    if (!result.diagnosis.empty()) line("  diagnosis: {}", result.diagnosis);
    const Givers givers = givers_of(result);
    for (const OutputResult& output : result.outputs) write_output(output, givers);
    if (result.pair) text_ += pair_text(results_, result);
    line("  again: {}", reproduce_command(results_, result));
  }

  static std::string indented(std::string text) {
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 3) text.insert(at + 1, "    ");
    return text;
  }

  /// Two backends by name, where two are compared.
  Givers givers_of(const CaseResult& result) const {
    if (!results_.against) return kBesideExpected;
    return {fmt::format("{} gives", results_.against->name),
            fmt::format("{} gives", results_.backends[result.backend].name)};
  }

  void write_output(const OutputResult& output, const Givers& givers) {
    const OutputComparison& comparison = output.comparison;
    std::string text = fmt::format("{} ({}): {} of {} differ", comparison.name, name(comparison.type),
                                   comparison.mismatches, comparison.compared());
    if (comparison.unspecified > 0) text += fmt::format(", {} unspecified", comparison.unspecified);
    if (comparison.nonfinite_mismatches > 0) text += fmt::format(", {} not finite", comparison.nonfinite_mismatches);
    if (comparison.lsb) {
      text += fmt::format("; lsb {}, max {:g}, mean {:.4g}, bias {:+.4g}", histogram(comparison.lsb->histogram),
                          comparison.lsb->max, comparison.lsb->mean, comparison.lsb->bias);
    }
    if (comparison.max_ulp) text += fmt::format("; at most {} ulp", *comparison.max_ulp);
    line("  {}; sqnr {}", text, to_text(comparison.sqnr));
    if (output.tolerance && comparison.mismatches > 0) line("    {}", to_text(*output.tolerance));
    for (const ShownElement& shown : output.shown) write_element(comparison, shown, givers);
  }

  /// The bins around zero, and how many elements lie beyond them on either side.
  static std::string histogram(const std::map<std::int64_t, std::uint64_t>& bins) {
    const bool is_wide = bins.size() > kBinsShown;
    const auto is_beyond = [&](std::int64_t lsb) { return is_wide && std::abs(lsb) > kFarthestBin; };
    std::uint64_t below = 0;
    std::uint64_t above = 0;
    std::string text;
    for (const auto& [lsb, count] : bins) {
      if (is_beyond(lsb)) (lsb < 0 ? below : above) += count;
      else text += lsb == 0 ? fmt::format(" 0×{}", count) : fmt::format(" {:+}×{}", lsb, count);
    }
    if (below > 0) text = fmt::format(" <{:+}×{}", -kFarthestBin, below) + text;
    if (above > 0) text += fmt::format(" >{:+}×{}", kFarthestBin, above);
    return text.empty() ? text : text.substr(1);
  }

  void write_element(const OutputComparison& comparison, const ShownElement& shown, const Givers& givers) {
    line("    {}", element_text(comparison.type, shown, givers.expected, givers.got));
    if (!shown.explain.empty()) line("      {}", shown.explain);
  }

  void write_summary() {
    if (results_.was_interrupted)
      line("\n{}: what follows is what there was", painted("interrupted", fmt::terminal_color::red));
    line("\n{}; {} of {} elements compared, {:.1f} s", verdict_counts(results_.verdicts()), results_.compared(),
         results_.elements(), results_.seconds);
    if (const auto through = results_.let_through()) line("{}", to_text(*through));
    const auto differs_elsewhere = std::ranges::count_if(results_.cases, &CaseResult::differs_elsewhere);
    if (differs_elsewhere > 0)
      line("{} of the cases that pass have parameters with which a sweep finds inputs that differ", differs_elsewhere);
    if (results_.judged_cases() == 0)
      line("{}: not one case could be judged, so this run says nothing about {}",
           painted("nothing was compared", fmt::terminal_color::red),
           results_.against ? "the backends" : "the backend");
  }

  const RunResults& results_;
  bool has_colours_;
  std::size_t most_shown_;
  std::string text_;
};

}  // namespace

Colours colours_for_stdout() {
  const char* const no_colour = std::getenv("NO_COLOR");
  const bool is_refused = no_colour != nullptr && *no_colour != '\0';
  return isatty(STDOUT_FILENO) != 0 && !is_refused ? Colours::yes : Colours::no;
}

std::string text_report(const RunResults& results, Colours colours, std::size_t most_shown) {
  return TextReport(results, colours, most_shown).run();
}

std::string output_as_text(const OutputResult& output) {
  return TextReport::of_output(output);
}

std::string to_text(const Sqnr& sqnr) {
  switch (sqnr.kind) {
    case Sqnr::Kind::exact: return "exact";
    case Sqnr::Kind::no_signal: return "no_signal";
    case Sqnr::Kind::decibels: return fmt::format("{:.2f} dB", sqnr.decibels);
    case Sqnr::Kind::nothing: return "of nothing";
  }
  return {};
}

std::string element_text(Type type, const ShownElement& shown, std::string_view expected, std::string_view got) {
  const auto number = [](Type of, std::uint64_t bits) {
    return is_floating(of) ? fmt::format("{} ({:#0{}x})", decimal_text(of, bits), bits, 2 + 2 * row(of).storage_bytes)
                           : number_text(of, bits);
  };
  std::string text = fmt::format("[{}]", fmt::join(shown.index, ","));
  for (const auto& [input, value] : shown.inputs) text += fmt::format(" {}={}", input, number(value.type, value.bits));
  text += fmt::format(": {} {}, {} {}", expected, number(type, shown.difference.expected), got,
                      number(type, shown.difference.got));
  if (shown.difference.lsb) text += fmt::format(", {:+g} lsb", *shown.difference.lsb);
  if (shown.difference.ulp) text += fmt::format(", {} ulp", *shown.difference.ulp);
  return text;
}

std::string to_text(const ToleranceFinding& finding) {
  return fmt::format("tolerance {}: {}; largest difference {:.6g}, mean relative {:.6g}, threshold {:.6g}",
                     finding.tolerance->name, finding.passes ? "passes" : "fails", finding.largest_difference,
                     finding.mean_relative_difference, finding.threshold);
}

std::string to_text(const LetThrough& through) {
  return fmt::format("tolerance {}: {} {} and {} {} pass it; {} of them by a whole step", through.tolerance->name,
                     through.cases, through.cases == 1 ? "case" : "cases", through.elements,
                     through.elements == 1 ? "element that differs" : "elements that differ", through.whole_steps);
}

std::string reproduce_command(const RunResults& results, const CaseResult& result) {
  const auto quoted = [](const std::string& word) {
    const bool needs_quotes = word.find_first_of(" '\"$&|;*?") != std::string::npos;
    return needs_quotes ? fmt::format("'{}'", word) : word;
  };
  std::string command = fmt::format("qassay check --backend {}", quoted(results.backends[result.backend].name));
  if (results.against) command += fmt::format(" --against {}", quoted(results.against->name));
  return command + fmt::format(" --case '{}'{}", results.specs[result.spec].name, result.has_sweep() ? " --sweep" : "");
}

}  // namespace qassay
