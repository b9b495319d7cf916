// What is good enough: exact, or a stated allowance that something could still fail.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "interpreter/numeric/exact.hpp"
#include "tools/harness/compare.hpp"

namespace qassay {

/// "exact", "within N lsb", "at most P% off by one lsb", "sqnr >= X dB", and several joined by "and".
class Policy {
 public:
  /// The exact one.
  Policy() = default;
  /// Throws RequestError(bad_value) for other words, and for a policy that nothing could fail.
  static Policy parse(std::string_view text);

  /// Throws RequestError(bad_value) if no output of this type could fail it.
  void require_meaning_for(Type output_type) const;
  /// Why the output is not good enough; nothing if it is.
  std::optional<std::string> objection(const OutputComparison& output) const;

  const std::string& text() const { return text_; }
  bool is_exact() const { return is_exact_; }

 private:
  void parse_clause(std::string_view clause, std::string_view whole);

  std::string text_ = "exact";
  bool is_exact_ = true;
  std::optional<Rational> most_lsb_;
  std::optional<Rational> most_percent_off_by_one_;
  std::optional<double> least_decibels_;
};

}  // namespace qassay
