// Numbers that compute what the machine computes and record how: the reading of a formula behind `explain`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/numeric/exact.hpp"
#include "interpreter/numeric/steps.hpp"
#include "interpreter/numeric/type.hpp"

namespace qassay {

struct Signature;

/// Where a number comes from: a step of its trace, an input or a parameter, or, with neither, the formula itself.
struct Origin {
  std::optional<std::size_t> step;
  std::string_view name;
};

/// A number of a format known at run time. Floating values of every format and integers below 2^53 stand exactly in a
/// double.
class Traced {
 public:
  Traced() = default;
  Traced(int value) : Traced(Type::int32, value) {}  // NOLINT: integers convert
  Traced(Type format, double value) : format_(format), value_(value) {}

  Type format() const { return format_; }
  double value() const { return value_; }
  Exact exact() const { return Exact(value_); }
  const Origin& origin() const { return origin_; }
  Traced from(const Origin& origin) const;

 private:
  Type format_ = Type::float32;
  double value_ = 0;
  Origin origin_;
};

template <>
struct NumberTraits<Traced> {
  using Integer = Traced;
  using Single = Traced;
  using Double = Traced;
};

/// What a step does to the exact value of its operands.
enum class StepKind : std::uint8_t {
  rounds_to_format,
  rounds_to_integer,
  rounds_by_rule,  ///< to fewer bits than the result's format has, or in a way of the dialect's own
  limits,
  converts_to_integer,  ///< exactly, or to the lowest integer
  wraps,
  exact,
};

/// One arithmetic act as it happened.
struct TraceStep {
  std::string act;  ///< "divide", "round half to even", ...
  std::vector<Traced> operands;
  Exact exact;  ///< of these operands, before rounding
  Traced result;
  StepKind kind = StepKind::exact;
  const Signature* part = nullptr;  ///< of a composite: the formula that the step belongs to
};

/// The steps of one element, in order.
using Trace = std::vector<TraceStep>;

/// Puts the steps of a part behind those there are.
void append(Trace& trace, Trace steps, const Signature& part);

/// While it lives, steps of this thread are appended to the trace.
class TraceRecorder {
 public:
  explicit TraceRecorder(Trace& trace);
  ~TraceRecorder();
  TraceRecorder(const TraceRecorder&) = delete;
  TraceRecorder& operator=(const TraceRecorder&) = delete;

 private:
  Trace* outer_;
};

/// The value in another floating format. A step is recorded only where the target cannot hold every value of the
/// source.
Traced convert(const Traced& value, Type format);

Traced divide(const Traced& a, const Traced& b);
Traced multiply(const Traced& a, const Traced& b);
Traced add(const Traced& a, const Traced& b);
Traced subtract(const Traced& a, const Traced& b);
Traced fused_multiply_add(const Traced& a, const Traced& b, const Traced& c);
Traced negate(const Traced& a);
Traced absolute(const Traced& a);
Traced round_half_even(const Traced& a);
Traced at_least_or_bound_if_nan(const Traced& a, const Traced& bound);
Traced at_most_or_bound_if_nan(const Traced& a, const Traced& bound);
Traced at_least_keeping_nan(const Traced& a, const Traced& bound);
Traced at_most_keeping_nan(const Traced& a, const Traced& bound);
Traced to_binary32(const Traced& a);
Traced to_binary64(const Traced& a);
Traced truncate_to_int32(const Traced& a);
Traced truncate_to_int64(const Traced& a);
Traced low_bits_to_int32(const Traced& integral);
Traced to_integer(const Traced& a);
Traced add_exact(const Traced& a, const Traced& b);
Traced subtract_exact(const Traced& a, const Traced& b);
Traced add_wrapping(const Traced& a, const Traced& b);
Traced subtract_wrapping(const Traced& a, const Traced& b);
Traced saturate(const Traced& integral, CodeRange range);
Traced wrap(const Traced& n, CodeRange range);
Traced integer_to_binary32(const Traced& n);
Traced integer_to_binary64(const Traced& n);
Traced in_format_of(const Traced& like, const Traced& a);
Traced from_integer(const Traced& n, const Traced& like);
/// A rounding of a dialect's own: the result is what the compiled number became.
Traced rounded_by_rule(const char* act, const Traced& a, double result);
Traced take(const Traced& a);
Traced round_to_significant(const Traced& a, int precision, int lowest_exponent);
Traced flush_subnormal(const Traced& a);
Traced reciprocal(const Traced& a);
bool is_between(const Traced& a, const Traced& low, const Traced& high);
inline Traced constant(int n, const Traced& like) {
  return {like.format(), static_cast<double>(n)};
}
inline Traced constant(double value, const Traced& like) {
  return {like.format(), value};
}
inline bool is_below(const Traced& a, const Traced& b) {
  return a.value() < b.value();
}
inline bool is_negative(const Traced& a) {
  return is_negative(static_cast<float>(a.value()));
}
inline bool is_infinite(const Traced& a) {
  return is_infinite(a.value());
}
inline bool is_equal(const Traced& a, const Traced& b) {
  return a.value() == b.value();
}
inline bool is_nan(const Traced& a) {
  return is_nan(a.value());
}
inline bool is_finite_and_positive(const Traced& a) {
  return is_finite_and_positive(a.value());
}
}  // namespace qassay
