#include "tools/harness/policy.hpp"

#include <fmt/format.h>

#include <regex>

#include "interpreter/error.hpp"

namespace qassay {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw RequestError(ErrorKind::bad_value, message);
}

/// A decimal such as "2", "0.25", "-3.5", exactly.
Rational decimal(const std::string& text) {
  const std::size_t point = text.find('.');
  std::string digits = text;
  if (point == std::string::npos) return Rational(BigInteger(digits));
  digits.erase(point, 1);
  const bool is_negative = digits[0] == '-';
  digits.erase(0, digits.find_first_not_of("-0"));
  const Rational magnitude(BigInteger(digits.empty() ? "0" : digits),
                           pow(BigInteger(10), static_cast<unsigned>(text.size() - point - 1)));
  return is_negative ? -magnitude : magnitude;
}

std::string lowered(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string with_single_spaces(std::string_view text) {
  std::string result = std::regex_replace(std::string(text), std::regex("\\s+"), " ");
  if (result.starts_with(' ')) result.erase(0, 1);
  if (result.ends_with(' ')) result.pop_back();
  return result;
}

Rational exactly(double value) {
  return Rational(value);
}

}  // namespace

Policy Policy::parse(std::string_view text) {
  Policy policy;
  policy.text_ = with_single_spaces(text);
  policy.is_exact_ = false;
  std::string rest = lowered(policy.text_);
  for (;;) {
    const std::size_t joint = rest.find(" and ");
    policy.parse_clause(rest.substr(0, joint), text);
    if (joint == std::string::npos) return policy;
    rest = rest.substr(joint + 5);
  }
}

void Policy::parse_clause(std::string_view clause_text, std::string_view whole) {
  static const std::string number = "(-?[0-9]{1,12}(?:\\.[0-9]{1,12})?)";
  static const std::regex within("within " + number + " lsb");
  static const std::regex off_by_one("at most " + number + " ?% off by one lsb");
  static const std::regex at_least("sqnr >= ?(-?inf|" + number + ") db");
  const std::string clause(clause_text);
  std::smatch found;
  if (clause == "exact") {
    is_exact_ = true;
  } else if (std::regex_match(clause, found, within)) {
    most_lsb_ = decimal(found[1]);
    if (*most_lsb_ < 1) refuse(fmt::format("policy '{}': less than one lsb is 'exact'", whole));
  } else if (std::regex_match(clause, found, off_by_one)) {
    most_percent_off_by_one_ = decimal(found[1]);
    if (*most_percent_off_by_one_ <= 0) refuse(fmt::format("policy '{}': nothing off by one is 'exact'", whole));
    if (*most_percent_off_by_one_ >= 100)
      refuse(fmt::format("policy '{}': a share of 100% or more cannot be exceeded; 'within 1 lsb' says what is meant",
                         whole));
  } else if (std::regex_match(clause, found, at_least)) {
    if (found[1].str().find("inf") != std::string::npos)
      refuse(fmt::format("policy '{}': give a finite number of dB; no error at all is 'exact'", whole));
    least_decibels_ = static_cast<double>(decimal(found[1]));
    if (*least_decibels_ <= 0)
      refuse(fmt::format("policy '{}': an output of nothing but zeros has 0 dB; give more than that", whole));
  } else {
    refuse(
        fmt::format("policy '{}': '{}' is not understood; expected 'exact', 'within N lsb', "
                    "'at most P% off by one lsb' or 'sqnr >= X dB', joined by 'and'",
                    whole, clause));
  }
}

void Policy::require_meaning_for(Type output_type) const {
  if (!most_lsb_ || !is_integer(output_type)) return;
  const auto widest = Rational(BigInteger(highest(output_type)) - BigInteger(lowest(output_type)));
  if (*most_lsb_ < widest) return;
  refuse(
      fmt::format("policy '{}': no two codes of {} are more than {} lsb apart, so nothing could fail it; allow fewer",
                  text_, name(output_type), widest.str()));
}

std::optional<std::string> Policy::objection(const OutputComparison& output) const {
  if (output.mismatches == 0) return std::nullopt;
  if (is_exact_) return fmt::format("{} of {} elements differ", output.mismatches, output.compared());
  if (output.nonfinite_mismatches > 0)
    return fmt::format("{} elements are an infinity or NaN on one side only", output.nonfinite_mismatches);
  if (most_lsb_ || most_percent_off_by_one_) {
    if (!output.lsb) return "the output has no grid to count lsb on";
    if (output.lsb->unmeasured > 0)
      return fmt::format("{} differing elements have a scale that is no unit", output.lsb->unmeasured);
  }
  if (most_lsb_ && exactly(output.lsb->max) > *most_lsb_)
    return fmt::format("an element is {:g} lsb off, {} allowed", output.lsb->max, most_lsb_->str());
  if (most_percent_off_by_one_) {
    if (output.lsb->max > 1) return fmt::format("an element is {:g} lsb off, 1 allowed", output.lsb->max);
    const Rational share(BigInteger(output.mismatches) * 100, BigInteger(output.compared()));
    if (share > *most_percent_off_by_one_)
      return fmt::format("{:.6g}% of the elements differ, {:g}% allowed", static_cast<double>(share),
                         static_cast<double>(*most_percent_off_by_one_));
  }
  if (least_decibels_) {
    if (output.sqnr.kind == Sqnr::Kind::no_signal) return "an error where the reference is zero throughout";
    if (output.sqnr.kind == Sqnr::Kind::decibels && output.sqnr.decibels < *least_decibels_)
      return fmt::format("sqnr is {:.6g} dB, {:g} dB asked for", output.sqnr.decibels, *least_decibels_);
  }
  return std::nullopt;
}

}  // namespace qassay
