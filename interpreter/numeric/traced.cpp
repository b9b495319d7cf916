#include "interpreter/numeric/traced.hpp"

#include <cmath>
#include <utility>

namespace qassay {
namespace {

thread_local Trace* current_trace = nullptr;

Traced record(StepKind kind, const char* act, std::vector<Traced> operands, Exact exact, const Traced& result) {
  if (current_trace == nullptr) return result;
  current_trace->push_back({act, std::move(operands), std::move(exact), result, kind});
  return result.from({current_trace->size() - 1, {}});
}

/// The exact value rounded once to the format. `in_binary64` is the same operation in binary64: its infinities and NaN
/// are right, and so is the sign of its zero. Integers of 64 bits are computed with in binary64, as the compiled ones.
Traced rounded(const char* act, std::vector<Traced> operands, const Exact& exact, double in_binary64,
               Type operand_format) {
  const Type format = is_floating(operand_format) ? operand_format : Type::float64;
  const double value = exact.is_finite() ? std::copysign(round_to(format, exact), in_binary64) : in_binary64;
  return record(StepKind::rounds_to_format, act, std::move(operands), exact, {format, value});
}

bool holds_every_value_of(Type wide, Type narrow) {
  return row(wide).precision >= row(narrow).precision && row(wide).exponent_bits >= row(narrow).exponent_bits;
}

/// An integer step whose exact result `exact` becomes `code`.
Traced integer_step(StepKind kind, const char* act, std::vector<Traced> operands, const Exact& exact, double code,
                    Type type = Type::int32) {
  return record(kind, act, std::move(operands), exact, {type, code});
}

/// A number limited by another.
Traced limited(const char* act, const Traced& a, const Traced& bound, double value) {
  return record(StepKind::limits, act, {a, bound}, Exact(value), {a.format(), value});
}

double wrapped_to_32_bits(double n) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::int64_t>(n)));
}

}  // namespace

Traced Traced::from(const Origin& origin) const {
  Traced number = *this;
  number.origin_ = origin;
  return number;
}

void append(Trace& trace, Trace steps, const Signature& part) {
  const std::size_t before = trace.size();
  for (TraceStep& step : steps) {
    if (step.part == nullptr) step.part = &part;
    for (Traced& operand : step.operands) {
      if (operand.origin().step) operand = operand.from({*operand.origin().step + before, {}});
    }
    trace.push_back(std::move(step));
  }
}

TraceRecorder::TraceRecorder(Trace& trace) : outer_(std::exchange(current_trace, &trace)) {}
TraceRecorder::~TraceRecorder() {
  current_trace = outer_;
}

Traced convert(const Traced& value, Type format) {
  if (value.format() == format) return value;
  if (is_floating(value.format()) && holds_every_value_of(format, value.format())) {
    return Traced(format, value.value()).from(value.origin());
  }
  static const std::string acts[] = {"round to float16", "round to bfloat16", "round to float32", "round to float64"};
  const std::string& act = acts[static_cast<int>(format) - static_cast<int>(Type::float16)];
  return rounded(act.c_str(), {value}, value.exact(), value.value(), format);
}

Traced divide(const Traced& a, const Traced& b) {
  return rounded("divide", {a, b}, divide(a.exact(), b.exact()), a.value() / b.value(), a.format());
}
Traced multiply(const Traced& a, const Traced& b) {
  return rounded("multiply", {a, b}, multiply(a.exact(), b.exact()), a.value() * b.value(), a.format());
}
Traced add(const Traced& a, const Traced& b) {
  return rounded("add", {a, b}, add(a.exact(), b.exact()), a.value() + b.value(), a.format());
}
Traced subtract(const Traced& a, const Traced& b) {
  return rounded("subtract", {a, b}, subtract(a.exact(), b.exact()), a.value() - b.value(), a.format());
}
Traced fused_multiply_add(const Traced& a, const Traced& b, const Traced& c) {
  return rounded("multiply and add, fused", {a, b, c}, fused_multiply_add(a.exact(), b.exact(), c.exact()),
                 std::fma(a.value(), b.value(), c.value()), a.format());
}
Traced reciprocal(const Traced& a) {
  return divide(Traced(a.format(), 1), a);
}
Traced negate(const Traced& a) {
  return record(StepKind::exact, "negate", {a}, negate(a.exact()), {a.format(), -a.value()});
}
Traced absolute(const Traced& a) {
  return record(StepKind::exact, "absolute value", {a}, absolute(a.exact()), {a.format(), std::fabs(a.value())});
}
Traced rounded_by_rule(const char* act, const Traced& a, double result) {
  return record(StepKind::rounds_by_rule, act, {a}, a.exact(), {a.format(), result});
}
Traced take(const Traced& a) {
  return record(StepKind::exact, "take as it is", {a}, a.exact(), {a.format(), a.value()});
}
Traced flush_subnormal(const Traced& a) {
  const float flushed = flush_subnormal(static_cast<float>(a.value()));
  if (is_equal(a, {a.format(), static_cast<double>(flushed)})) return a;
  return rounded_by_rule("subnormal becomes 0", a, static_cast<double>(flushed));
}
Traced round_to_significant(const Traced& a, int precision, int lowest_exponent) {
  const float rounded = round_to_significant(static_cast<float>(a.value()), precision, lowest_exponent);
  const std::string act = "round to " + std::to_string(precision) + " significant bits";
  return rounded_by_rule(act.c_str(), a, static_cast<double>(rounded));
}
Traced round_half_even(const Traced& a) {
  return record(StepKind::rounds_to_integer, "round half to even", {a}, a.exact(),
                {a.format(), std::nearbyint(a.value())});
}

Traced at_least_or_bound_if_nan(const Traced& a, const Traced& bound) {
  const double value = a.value() > bound.value() ? a.value() : bound.value();
  return limited("at least, NaN becomes the bound", a, bound, value);
}
Traced at_most_or_bound_if_nan(const Traced& a, const Traced& bound) {
  const double value = a.value() < bound.value() ? a.value() : bound.value();
  return limited("at most, NaN becomes the bound", a, bound, value);
}
Traced at_least_keeping_nan(const Traced& a, const Traced& bound) {
  const double value = a.value() < bound.value() ? bound.value() : a.value();
  return limited("at least, NaN stays", a, bound, value);
}
Traced at_most_keeping_nan(const Traced& a, const Traced& bound) {
  const double value = bound.value() < a.value() ? bound.value() : a.value();
  return limited("at most, NaN stays", a, bound, value);
}

Traced to_binary32(const Traced& a) {
  return convert(a, Type::float32);
}
Traced to_binary64(const Traced& a) {
  return convert(a, Type::float64);
}
Traced in_format_of(const Traced& like, const Traced& a) {
  return is_floating(a.format()) ? convert(a, like.format()) : from_integer(a, like);
}
Traced from_integer(const Traced& n, const Traced& like) {
  // Most integers fit; a step is worth a line only where something was rounded.
  const Traced converted(like.format(), round_to(like.format(), n.exact()));
  if (converted.value() == n.value()) return converted.from(n.origin());
  return record(StepKind::rounds_to_format, "integer to floating point", {n}, n.exact(), converted);
}
Traced integer_to_binary32(const Traced& n) {
  return from_integer(n, {Type::float32, 0});
}
Traced integer_to_binary64(const Traced& n) {
  return from_integer(n, {Type::float64, 0});
}

Traced truncate_to_int32(const Traced& a) {
  return integer_step(StepKind::converts_to_integer, "to int32, out of range gives INT_MIN", {a}, a.exact(),
                      truncate_to_int32(a.value()));
}
Traced truncate_to_int64(const Traced& a) {
  return integer_step(StepKind::converts_to_integer, "to int64, out of range gives INT64_MIN", {a}, a.exact(),
                      truncate_to_int64(a.value()), Type::int64);
}
Traced low_bits_to_int32(const Traced& integral) {
  return integer_step(StepKind::wraps, "keep the low 32 bits", {integral}, integral.exact(),
                      low_bits_to_int32(integral.value()));
}
Traced to_integer(const Traced& a) {
  return Traced(Type::int32, a.value()).from(a.origin());
}
Traced add_exact(const Traced& a, const Traced& b) {
  return integer_step(StepKind::exact, "add, exactly", {a, b}, add(a.exact(), b.exact()), a.value() + b.value(),
                      Type::int64);
}
Traced subtract_exact(const Traced& a, const Traced& b) {
  return integer_step(StepKind::exact, "subtract, exactly", {a, b}, subtract(a.exact(), b.exact()),
                      a.value() - b.value(), Type::int64);
}
Traced add_wrapping(const Traced& a, const Traced& b) {
  return integer_step(StepKind::wraps, "add modulo 2^32", {a, b}, add(a.exact(), b.exact()),
                      wrapped_to_32_bits(a.value() + b.value()));
}
Traced subtract_wrapping(const Traced& a, const Traced& b) {
  return integer_step(StepKind::wraps, "subtract modulo 2^32", {a, b}, subtract(a.exact(), b.exact()),
                      wrapped_to_32_bits(a.value() - b.value()));
}
Traced saturate(const Traced& integral, CodeRange range) {
  return integer_step(StepKind::limits, "saturate", {integral}, integral.exact(), saturate(integral.value(), range));
}
Traced wrap(const Traced& n, CodeRange range) {
  return integer_step(StepKind::wraps, "keep the low bits", {n}, n.exact(),
                      wrap(static_cast<std::int32_t>(n.value()), range));
}
bool is_between(const Traced& a, const Traced& low, const Traced& high) {
  return is_between(a.value(), low.value(), high.value());
}

}  // namespace qassay
