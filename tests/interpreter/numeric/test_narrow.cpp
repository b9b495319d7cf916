#include "interpreter/numeric/narrow.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "interpreter/awkward.hpp"
#include "interpreter/numeric/exact.hpp"
#include "interpreter/tally.hpp"
#include "interpreter/tensor.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

float bits_to_float(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}

float rounded(Type format, float value) {
  return format == Type::float16 ? round_to_float16(value) : round_to_bfloat16(value);
}

/// The correctly rounded value, with the sign that an operation in binary64 gives.
double reference(Type format, const Exact& exact, double sign) {
  return exact.is_finite() ? std::copysign(round_to(format, exact), sign) : sign;
}

std::string describe(const char* what, double a, double b, double got, double expected) {
  return fmt::format("{} {:a} {:a}: {:a}, expected {:a}", what, a, b, got, expected);
}

template <Type format>
void check_arithmetic(std::uint64_t seed, int pairs) {
  using Number = Narrow<format>;
  const auto number = [](double member) { return Number(static_cast<float>(member)); };
  Dice dice(seed);
  Tally tally;
  for (int i = 0; i < pairs; ++i) {
    const double a = awkward_real(format, dice);
    const double b = awkward_real(format, dice);
    const auto expect = [&](const char* what, Number got, const Exact& exact, double in_binary64) {
      const double expected = reference(format, exact, in_binary64);
      tally.expect(same(static_cast<double>(got.value), expected),
                   [&] { return describe(what, a, b, static_cast<double>(got.value), expected); });
    };
    const Exact x(a);
    const Exact y(b);
    expect("divide", divide(number(a), number(b)), divide(x, y), a / b);
    expect("multiply", multiply(number(a), number(b)), multiply(x, y), a * b);
    expect("add", add(number(a), number(b)), add(x, y), a + b);
    expect("subtract", subtract(number(a), number(b)), subtract(x, y), a - b);
  }
  CHECK(tally.faults() == "");
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("all values, midpoints and their neighbours round as by definition", "", ((Type format), format),
                       Type::float16, Type::bfloat16) {
  const std::uint32_t infinity = format == Type::float16 ? 0x7c00U : 0x7f80U;
  Tally tally;
  const auto expect = [&](float value) {
    const double expected = round_to(format, Exact(value));
    for (const float signed_value : {value, -value}) {
      const double got = static_cast<double>(rounded(format, signed_value));
      const double with_sign = std::copysign(expected, static_cast<double>(signed_value));
      tally.expect(same(got, with_sign),
                   [&] { return describe("round", static_cast<double>(signed_value), 0, got, with_sign); });
    }
  };
  for (std::uint32_t code = 0; code < infinity; ++code) {
    const auto value = static_cast<float>(decode(format, code));
    // Past the largest value the grid goes on for the sake of the tie with infinity.
    const float next = code + 1 < infinity       ? static_cast<float>(decode(format, code + 1))
                       : format == Type::float16 ? 65536.0F
                                                 : std::numeric_limits<float>::infinity();
    const float middle = format == Type::bfloat16 && code + 1 == infinity ? bits_to_float((code << 16U) + 0x8000U)
                                                                          : value + (next - value) / 2;
    expect(value);
    expect(middle);
    expect(std::nextafter(middle, 0.0F));
    expect(std::nextafter(middle, std::numeric_limits<float>::infinity()));
  }
  CHECK(tally.faults() == "");
  CHECK(tally.checked() == 8U * infinity);
}

TEMPLATE_TEST_CASE_SIG("rounding keeps infinities and makes every NaN the quiet one", "", ((Type format), format),
                       Type::float16, Type::bfloat16) {
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(rounded(format, infinity) == infinity);
  CHECK(rounded(format, -infinity) == -infinity);
  CHECK(rounded(format, std::numeric_limits<float>::max()) == infinity);
  CHECK(rounded(format, std::numeric_limits<float>::lowest()) == -infinity);
  for (const std::uint32_t nan : {0x7f800001U, 0x7fffffffU, 0xffc00000U, 0xff800001U, 0x7fc00001U}) {
    const float value = rounded(format, bits_to_float(nan));
    CHECK(value != value);
    CHECK((std::bit_cast<std::uint32_t>(value) & 0x7fffffffU) == 0x7fc00000U);
  }
}

TEST_CASE("rounding to float16 agrees with the compiler's type over a sweep of binary32") {
#ifdef __FLT16_MAX__
  Tally tally;
  for (std::uint64_t bits = 0; bits <= 0xffffffffU; bits += 1021) {
    const float value = bits_to_float(static_cast<std::uint32_t>(bits));
    const double expected = static_cast<double>(static_cast<float>(static_cast<_Float16>(value)));
    const double got = static_cast<double>(round_to_float16(value));
    tally.expect(same(got, expected), [&] { return describe("round", static_cast<double>(value), 0, got, expected); });
  }
  CHECK(tally.faults() == "");
#else
  WARN("this compiler has no _Float16");
#endif
}

TEST_CASE("float16 arithmetic is rounded once") {
  check_arithmetic<Type::float16>(1, 40000);
}

TEST_CASE("bfloat16 arithmetic is rounded once") {
  check_arithmetic<Type::bfloat16>(2, 40000);
}

TEMPLATE_TEST_CASE_SIG("binary64 goes to 16 bits with one rounding", "", ((Type format), format), Type::float16,
                       Type::bfloat16) {
  const std::uint32_t infinity = format == Type::float16 ? 0x7c00U : 0x7f80U;
  Tally tally;
  const auto expect = [&](double value) {
    const double got = static_cast<double>(in_format_of(Narrow<format>(0.0F), value).value);
    const double expected = reference(format, Exact(value), value);
    tally.expect(same(got, expected), [&] { return describe("convert", value, 0, got, expected); });
    const double encoded = decode(format, encode(format, value));
    tally.expect(same(encoded, expected), [&] { return describe("encode", value, 0, encoded, expected); });
  };
  // A value so near a midpoint that binary32 takes it for the midpoint.
  for (std::uint32_t code = 0; code + 1 < infinity; code += 3) {
    const double value = decode(format, code);
    const double middle = value + (decode(format, code + 1) - value) / 2;
    expect(middle);
    expect(-middle * (1 + 0x1p-50));
    expect(middle * (1 - 0x1p-50));
  }
  Dice dice(3);
  for (int i = 0; i < 20000; ++i) expect(awkward_real(Type::float64, dice));
  CHECK(tally.faults() == "");
}
