// An explanation for people: aligned, and with the deciding step in sight.
#include <fmt/color.h>
#include <fmt/format.h>

#include <algorithm>

#include "tools/diagnosis/explanation.hpp"

namespace qassay {
namespace {

/// A line of the table: what, its value, its bits, its type, and a remark.
struct Row {
  std::string label;
  std::string value;
  std::string bits;
  std::string type;
  std::string note;
};

Row row_of(std::string label, const StoredNumber& number, std::string note = {}) {
  return {std::move(label), decimal(number), bits_text(number), std::string(name(number.type)), std::move(note)};
}

/// Characters of UTF-8 text.
std::size_t length(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & '\xc0') != '\x80'; }));
}

std::string padded(std::string text, std::size_t width) {
  const std::size_t used = length(text);
  return used < width ? text + std::string(width - used, ' ') : text;
}

constexpr std::size_t kRowIndent = 8;
constexpr std::size_t kDistanceWidth = 12;

class ExplanationText {
 public:
  ExplanationText(const Explanation& explanation, const TextStyle& style) : explanation_(explanation), style_(style) {
    for_all_rows([this](const Row& row) {
      label_width_ = std::max(label_width_, length(row.label));
      value_width_ = std::max(value_width_, length(row.value));
      bits_width_ = std::max(bits_width_, length(row.bits));
      type_width_ = std::max(type_width_, length(row.type));
    });
  }

  std::string run() {
    line("{}", painted(explanation_.signature->id, fmt::emphasis::bold));
    paragraph(explanation_.signature->summary, 2);
    write_given();
    write_steps();
    section("Outputs");
    for (const Row& row : output_rows()) write(row);
    write_alternatives("other formulas of this kind", explanation_.formulas);
    if (explanation_.rules)
      write_alternatives("one choice changed in " + explanation_.rules->base, *explanation_.rules);
    return std::move(text_);
  }

 private:
  template <class... T>
  void line(fmt::format_string<T...> format, T&&... values) {
    std::string one = fmt::format(format, std::forward<T>(values)...);
    one.erase(one.find_last_not_of(' ') + 1);
    text_ += one + "\n";
  }

  std::string painted(std::string_view text, const fmt::text_style& how) const {
    return style_.has_colours && !text.empty() ? fmt::format(how, "{}", text) : std::string(text);
  }

  void section(std::string_view title) { line("\n{}", painted(title, fmt::emphasis::bold)); }

  /// Text broken between words.
  void paragraph(std::string_view text, std::size_t indent) {
    const std::size_t width = std::max<std::size_t>(style_.width, indent + 20);
    std::string one(indent, ' ');
    bool is_empty = true;
    while (!text.empty()) {
      const std::size_t space = std::min(text.find(' '), text.size());
      const std::string_view word = text.substr(0, space);
      text.remove_prefix(std::min(space + 1, text.size()));
      if (!is_empty && length(one) + 1 + length(word) > width) {
        line("{}", one);
        one.assign(indent, ' ');
        is_empty = true;
      }
      if (!is_empty) one += ' ';
      one += word;
      is_empty = false;
    }
    line("{}", one);
  }

  std::vector<Row> given_rows() const {
    std::vector<Row> rows;
    const bool is_elementwise = explanation_.signature->kind == FormulaKind::elementwise;
    for (const Given& given : explanation_.inputs) {
      rows.push_back(row_of(std::string(given.name), *given.number,
                            is_elementwise || explanation_.elements == 1
                                ? ""
                                : fmt::format("element {} of {}", explanation_.index, explanation_.elements)));
    }
    for (const Given& given : explanation_.parameters) {
      const std::string note = given.is_default ? "default" : "";
      if (given.number) rows.push_back(row_of(std::string(given.name), *given.number, note));
      else if (!given.is_default) rows.push_back({std::string(given.name), given.text, "", "", ""});
    }
    return rows;
  }

  static std::vector<Row> rows_of(const ExplainedStep& step) {
    std::vector<Row> rows;
    for (const ExplainedOperand& operand : step.operands)
      rows.push_back(row_of(operand.from.empty() ? "constant" : operand.from, operand.number));
    rows.push_back(row_of("=", step.result, step.note));
    return rows;
  }

  /// The exact value, where neither an operand nor the result is that already.
  static std::optional<std::string> exact_text(const ExplainedStep& step) {
    const bool is_worth_a_line =
        step.kind == StepKind::rounds_to_format || (step.operands.size() > 1 && step.kind != StepKind::limits);
    if (!is_worth_a_line || !step.exact.is_finite() || step.note == "exact") return std::nullopt;
    return readable(step.exact);
  }

  std::vector<Row> output_rows() const {
    std::vector<Row> rows;
    for (const ExplainedOutput& output : explanation_.outputs)
      rows.push_back(row_of(std::string(output.name), output.number, output.note));
    return rows;
  }

  template <class Use>
  void for_all_rows(Use use) const {
    for (const auto& rows : {given_rows(), output_rows()}) std::ranges::for_each(rows, use);
    for (const ExplainedStep& step : explanation_.steps) std::ranges::for_each(rows_of(step), use);
  }

  void write(const Row& row, const fmt::text_style& note_style = {}) {
    const std::string head =
        std::string(kRowIndent, ' ') + padded(row.label, label_width_) + "  " + padded(row.value, value_width_) + "  " +
        painted(padded(row.bits, bits_width_), fmt::emphasis::faint) + "  " + padded(row.type, type_width_);
    const std::size_t used = kRowIndent + label_width_ + value_width_ + bits_width_ + type_width_ + 6;
    if (row.note.empty() || used + 2 + length(row.note) <= style_.width) {
      line("{}{}{}", head, row.note.empty() ? "" : "  ", painted(row.note, note_style));
    } else {
      line("{}", head);
      line("{}{}", std::string(kRowIndent + label_width_ + 2, ' '), painted(row.note, note_style));
    }
  }

  void write_given() {
    const bool has_channels = explanation_.signature->kind == FormulaKind::elementwise && explanation_.elements > 1;
    section(has_channels ? fmt::format("Given, channel {} of {}", explanation_.index, explanation_.elements) : "Given");
    for (const Row& row : given_rows()) write(row, fmt::emphasis::faint);
    std::string defaults;
    for (const Given& given : explanation_.parameters) {
      if (given.is_default && !given.number) defaults += fmt::format("{}={} ", given.name, given.text);
    }
    if (!defaults.empty()) paragraph(defaults + "by default", kRowIndent);
  }

  void write_steps() {
    section("Steps");
    std::size_t name_width = 0;
    for (const ExplainedStep& step : explanation_.steps) name_width = std::max(name_width, step.name.size());
    std::string_view part;
    for (std::size_t i = 0; i < explanation_.steps.size(); ++i) {
      const ExplainedStep& step = explanation_.steps[i];
      if (step.part != part) line("  {}", painted(part = step.part, fmt::emphasis::italic));
      const bool decides = explanation_.deciding == i;
      const std::string number = fmt::format("S{}", i + 1);
      std::string head = fmt::format("{} {:<4} {:<{}}{}{}", decides ? ">" : " ", number, step.name, name_width,
                                     name_width > 0 ? "  " : "", step.act);
      line("{}", decides ? painted(head, fmt::emphasis::bold | fmt::fg(fmt::terminal_color::yellow)) : head);
      std::vector<Row> rows = rows_of(step);
      const Row result = rows.back();
      rows.pop_back();
      for (const Row& row : rows) write(row);
      if (const auto exact = exact_text(step))
        line("{}{}  {}", std::string(kRowIndent, ' '), padded("exactly", label_width_), *exact);
      write(result, decides ? fmt::fg(fmt::terminal_color::yellow) : fmt::text_style{});
    }
    text_ += "\n";
    paragraph(explanation_.because, 2);
  }

  std::string distance_text(const Alternative& alternative) const {
    if (!alternative.difference) return "not comparable";
    const Rational& difference = *alternative.difference;
    if (difference == 0) return "the zero's sign";
    const std::string sign = difference > 0 ? "+" : "";
    if (!is_floating(alternative.result.type)) return fmt::format("{}{} LSB", sign, few_digits(difference));
    return sign + few_digits(difference);
  }

  void write_alternatives(const std::string& what, const Alternatives& alternatives) {
    const std::size_t all = alternatives.agreeing + alternatives.differing.size();
    if (all == 0) return;
    section(fmt::format("Near alternatives: {}", what));
    std::size_t name_width = 0;
    std::size_t value_width = 0;
    for (const Alternative& alternative : alternatives.differing) {
      name_width = std::max(name_width, alternative.name.size());
      value_width = std::max(value_width, decimal(alternative.result).size());
    }
    for (const Alternative& alternative : alternatives.differing) {
      const Row row = row_of(alternative.name, alternative.result);
      const std::string distance = padded(distance_text(alternative), kDistanceWidth);
      const std::size_t used = name_width + value_width + row.bits.size() + distance.size() + 10;
      const bool has_room = used + length(alternative.about) <= style_.width;
      line("  {:<{}}  {:<{}}  {}  {}{}", row.label, name_width, row.value, value_width,
           painted(row.bits, fmt::emphasis::faint), distance,
           has_room ? "  " + painted(alternative.about, fmt::emphasis::faint) : "");
    }
    const std::string_view verb = alternatives.agreeing == 1 ? "gives" : "give";
    line("  {} of {} {} the same", alternatives.agreeing, all, verb);
  }

  const Explanation& explanation_;
  TextStyle style_;
  std::size_t label_width_ = 0;
  std::size_t value_width_ = 0;
  std::size_t bits_width_ = 0;
  std::size_t type_width_ = 0;
  std::string text_;
};

}  // namespace

std::string explanation_text(const Explanation& explanation, const TextStyle& style) {
  return ExplanationText(explanation, style).run();
}

}  // namespace qassay
