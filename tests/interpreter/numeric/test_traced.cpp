#include "interpreter/numeric/traced.hpp"

#include <cmath>

#include "catch.hpp"
#include "interpreter/awkward.hpp"
#include "interpreter/tally.hpp"
#include "interpreter/tensor.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

template <class Number>
constexpr Type kFormat = NumberTraits<Number>::format;

template <class Number>
Number native(double member) {
  if constexpr (std::same_as<Number, double>) return member;
  else return Number(static_cast<float>(member));
}

double value_of(double number) {
  return number;
}
double value_of(float number) {
  return static_cast<double>(number);
}
double value_of(std::int32_t number) {
  return number;
}
template <Type f>
double value_of(Narrow<f> number) {
  return static_cast<double>(number.value);
}

/// Compares acts on traced numbers with the same acts on compiled ones.
class Comparison {
 public:
  template <class Native>
  void expect(const char* act, const Traced& traced, Native native) {
    tally_.expect(same(traced.value(), value_of(native)), [&] {
      return fmt::format("{} of {}: {:a}, natively {:a}", act, operands_, traced.value(), value_of(native));
    });
  }
  void set_operands(double a, double b, double c) { operands_ = fmt::format("{:a} {:a} {:a}", a, b, c); }
  std::string faults() const { return tally_.faults(); }

 private:
  Tally tally_;
  std::string operands_;
};

template <class Number>
void compare_arithmetic(Comparison& comparison, double a, double b, double c) {
  const Traced x(kFormat<Number>, a);
  const Traced y(kFormat<Number>, b);
  const auto p = native<Number>(a);
  const auto q = native<Number>(b);
  comparison.expect("divide", divide(x, y), divide(p, q));
  comparison.expect("multiply", multiply(x, y), multiply(p, q));
  comparison.expect("add", add(x, y), add(p, q));
  comparison.expect("subtract", subtract(x, y), subtract(p, q));
  comparison.expect("round_half_even", round_half_even(x), round_half_even(p));
  comparison.expect("truncate_to_int32", truncate_to_int32(x), truncate_to_int32(p));
  comparison.expect("to_binary32", to_binary32(x), to_binary32(p));
  comparison.expect("to_binary64", to_binary64(x), to_binary64(p));
  if constexpr (NativeFloat<Number>) {
    const Traced z(kFormat<Number>, c);
    const auto r = native<Number>(c);
    comparison.expect("reciprocal", reciprocal(x), reciprocal(p));
    comparison.expect("fused_multiply_add", fused_multiply_add(x, y, z), fused_multiply_add(p, q, r));
    comparison.expect("at_least_or_bound_if_nan", at_least_or_bound_if_nan(x, y), at_least_or_bound_if_nan(p, q));
    comparison.expect("at_most_or_bound_if_nan", at_most_or_bound_if_nan(x, y), at_most_or_bound_if_nan(p, q));
    comparison.expect("at_least_keeping_nan", at_least_keeping_nan(x, y), at_least_keeping_nan(p, q));
    comparison.expect("at_most_keeping_nan", at_most_keeping_nan(x, y), at_most_keeping_nan(p, q));
    comparison.expect("truncate_to_int64", truncate_to_int64(x), truncate_to_int64(p));
    comparison.expect("in float16", in_format_of(Traced(Type::float16, 0), to_binary64(x)),
                      in_format_of(Binary16(0.0F), to_binary64(p)));
    comparison.expect("in bfloat16", in_format_of(Traced(Type::bfloat16, 0), to_binary64(x)),
                      in_format_of(Bfloat16(0.0F), to_binary64(p)));
    comparison.expect("in float32", in_format_of(Traced(Type::float32, 0), x), in_format_of(0.0F, p));
    comparison.expect("is_between", Traced(is_between(x, y, z) ? 1 : 0), is_between(p, q, r) ? 1 : 0);
  }
}

template <class Number>
void compare_with_integers(Comparison& comparison, double a, std::int32_t n) {
  const Traced x(kFormat<Number>, a);
  const auto p = native<Number>(a);
  const Traced integer(n);
  comparison.expect("from_integer", from_integer(integer, x), from_integer(n, p));
  const double integral = std::nearbyint(a);
  if (std::isfinite(integral)) {
    comparison.expect("add_exact", add_exact(Traced(kFormat<Number>, integral), integer),
                      add_exact(native<Number>(integral), n));
  }
}

template <class Number>
void compare_all(std::uint64_t seed, int count) {
  Dice dice(seed);
  Comparison comparison;
  for (int i = 0; i < count; ++i) {
    const double a = awkward_real(kFormat<Number>, dice);
    const double b = awkward_real(kFormat<Number>, dice);
    const double c = awkward_real(kFormat<Number>, dice);
    const std::int64_t n = awkward_integer(sizeof(Number) == 2 ? Type::int16 : Type::int32, dice);
    comparison.set_operands(a, b, c);
    compare_arithmetic<Number>(comparison, a, b, c);
    compare_with_integers<Number>(comparison, a, static_cast<std::int32_t>(n));
  }
  CHECK(comparison.faults() == "");
}

}  // namespace

TEST_CASE("traced binary32 computes the processor's bits") {
  compare_all<float>(7, 6000);
}
TEST_CASE("traced binary64 computes the processor's bits") {
  compare_all<double>(8, 4000);
}
TEST_CASE("traced float16 computes the compiled bits") {
  compare_all<Binary16>(9, 6000);
}
TEST_CASE("traced bfloat16 computes the compiled bits") {
  compare_all<Bfloat16>(10, 6000);
}

TEST_CASE("traced integer steps compute the compiled integers") {
  Dice dice(11);
  Comparison comparison;
  for (int i = 0; i < 5000; ++i) {
    const auto a = static_cast<std::int32_t>(awkward_integer(Type::int32, dice));
    const auto b = static_cast<std::int32_t>(awkward_integer(Type::int32, dice));
    comparison.set_operands(a, b, 0);
    comparison.expect("add_wrapping", add_wrapping(Traced(a), Traced(b)), add_wrapping(a, b));
    comparison.expect("subtract_wrapping", subtract_wrapping(Traced(a), Traced(b)), subtract_wrapping(a, b));
    comparison.expect("subtract_exact", subtract_exact(Traced(a), Traced(b)), subtract_exact(a, b));
    comparison.expect("integer_to_binary32", integer_to_binary32(Traced(a)), integer_to_binary32(a));
    comparison.expect("integer_to_binary64", integer_to_binary64(Traced(a)), integer_to_binary64(a));
    comparison.expect("in float32", in_format_of(Traced(Type::float32, 0), subtract_exact(Traced(a), Traced(b))),
                      in_format_of(0.0F, subtract_exact(a, b)));
    comparison.expect("in bfloat16", in_format_of(Traced(Type::bfloat16, 0), subtract_exact(Traced(a), Traced(b))),
                      in_format_of(Bfloat16(0.0F), subtract_exact(a, b)));
    for (const Type type : {Type::int2, Type::uint4, Type::int8, Type::uint16, Type::int32}) {
      comparison.expect("saturate", saturate(Traced(a), code_range(type)), saturate(a, code_range(type)));
      comparison.expect("wrap", wrap(Traced(a), code_range(type)), wrap(a, code_range(type)));
    }
  }
  CHECK(comparison.faults() == "");
}

TEST_CASE("a trace has the steps in order, with the exact value before rounding") {
  Trace trace;
  {
    const TraceRecorder recorder(trace);
    const Traced quotient = divide(Traced(Type::float32, 1), Traced(Type::float32, 3));
    saturate(add_exact(round_half_even(quotient), Traced(7)), {0, 5});
  }
  divide(Traced(Type::float32, 1), Traced(Type::float32, 3));  // nobody listens
  REQUIRE(trace.size() == 4);
  CHECK(trace[0].act == "divide");
  CHECK(trace[0].exact == Exact(Rational(1, 3)));
  CHECK(trace[0].result.value() == static_cast<double>(1.0F / 3.0F));
  CHECK(trace[0].result.format() == Type::float32);
  REQUIRE(trace[0].operands.size() == 2);
  CHECK(trace[0].operands[1].value() == 3);
  CHECK(trace[1].act == "round half to even");
  CHECK(trace[1].exact == Exact(1.0F / 3.0F));
  CHECK(trace[1].result.value() == 0);
  CHECK(trace[2].exact == Exact(7));
  CHECK(trace[3].exact == Exact(7));
  CHECK(trace[3].result.value() == 5);
}

TEST_CASE("recorders nest: the inner one listens alone, then the outer one goes on") {
  Trace outer;
  Trace inner;
  const Traced one(Type::float64, 1);
  const TraceRecorder outer_recorder(outer);
  add(one, one);
  {
    const TraceRecorder inner_recorder(inner);
    subtract(one, one);
  }
  multiply(one, one);
  REQUIRE(outer.size() == 2);
  CHECK(outer[0].act == "add");
  CHECK(outer[1].act == "multiply");
  REQUIRE(inner.size() == 1);
  CHECK(inner[0].act == "subtract");
}

TEST_CASE("a conversion is a step only where it could round") {
  Trace trace;
  const TraceRecorder recorder(trace);
  CHECK(convert(Traced(Type::float16, 1.5), Type::float32).format() == Type::float32);
  CHECK(convert(Traced(Type::bfloat16, 0x1p-133), Type::float32).value() == 0x1p-133);
  CHECK(convert(Traced(Type::float32, 0.5), Type::float32).value() == 0.5);
  CHECK(trace.empty());
  CHECK(convert(Traced(Type::float16, 1.0 + 0x1p-10), Type::bfloat16).value() == 1.0);
  CHECK(convert(Traced(Type::float32, 1e30), Type::float16).value() == INFINITY);
  CHECK(convert(Traced(Type::float64, 0.1), Type::float32).value() == static_cast<double>(0.1F));
  REQUIRE(trace.size() == 3);
  CHECK(trace[0].act == "round to bfloat16");
  CHECK(trace[1].act == "round to float16");
  CHECK(trace[2].act == "round to float32");
}
