#include "interpreter/numeric/steps.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "interpreter/awkward.hpp"
#include "interpreter/tally.hpp"
#ifdef __x86_64__
#include <immintrin.h>
#endif

using namespace qassay;
using namespace qassay::tests;

namespace {

constexpr std::int32_t kLowest = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kHighest = std::numeric_limits<std::int32_t>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("truncation to int32 at the edges") {
  CHECK(truncate_to_int32(2147483520.0F) == 2147483520);
  CHECK(truncate_to_int32(2147483648.0F) == kLowest);
  CHECK(truncate_to_int32(-2147483648.0F) == kLowest);
  CHECK(truncate_to_int32(-2147483904.0F) == kLowest);
  CHECK(truncate_to_int32(-2147483520.0F) == -2147483520);
  CHECK(truncate_to_int32(2147483647.0) == kHighest);
  CHECK(truncate_to_int32(2147483647.999) == kHighest);
  CHECK(truncate_to_int32(2147483648.0) == kLowest);
  CHECK(truncate_to_int32(-2147483647.999) == -2147483647);
  CHECK(truncate_to_int32(-2147483648.999) == kLowest);
  for (const double out_of_range : {kNan, kInfinity, -kInfinity, 1e300, -1e300}) {
    CHECK(truncate_to_int32(out_of_range) == kLowest);
    CHECK(truncate_to_int32(static_cast<float>(out_of_range)) == kLowest);
  }
  CHECK(truncate_to_int32(-0.9F) == 0);
  CHECK(truncate_to_int32(1.9F) == 1);
  CHECK(truncate_to_int32(Binary16(65504.0F)) == 65504);
  CHECK(truncate_to_int32(Bfloat16(0x1p31F)) == kLowest);
  CHECK(truncate_to_int32(Bfloat16(-0x1.fep30F)) == -2139095040);
}

TEST_CASE("truncation to int64 at the edges") {
  const double lowest = -9223372036854775808.0;
  CHECK(truncate_to_int64(0x1.fffffep62F) == 0x1.fffffep62);
  CHECK(truncate_to_int64(0x1p63F) == lowest);
  CHECK(truncate_to_int64(-0x1p63F) == lowest);
  CHECK(truncate_to_int64(0x1.fffffffffffffp62) == 0x1.fffffffffffffp62);
  CHECK(truncate_to_int64(0x1p63) == lowest);
  CHECK(truncate_to_int64(-0x1.0000000000001p63) == lowest);
  CHECK(truncate_to_int64(kNan) == lowest);
  CHECK(truncate_to_int64(kInfinity) == lowest);
  CHECK(truncate_to_int64(-kInfinity) == lowest);
  CHECK(truncate_to_int64(-1.75) == -1);
  CHECK(truncate_to_int64(1.75F) == 1);
}

#ifdef __x86_64__
TEST_CASE("truncation is the processor's") {
  Dice dice(4);
  Tally tally;
  for (int i = 0; i < 200000; ++i) {
    const double wide = awkward_real(Type::float64, dice);
    const auto narrow = static_cast<float>(awkward_real(Type::float32, dice));
    tally.expect(truncate_to_int32(wide) == _mm_cvttsd_si32(_mm_set_sd(wide)) &&
                     truncate_to_int64(wide) == static_cast<double>(_mm_cvttsd_si64(_mm_set_sd(wide))),
                 [&] { return fmt::format("{:a}", wide); });
    tally.expect(truncate_to_int32(narrow) == _mm_cvttss_si32(_mm_set_ss(narrow)) &&
                     truncate_to_int64(narrow) == static_cast<double>(_mm_cvttss_si64(_mm_set_ss(narrow))),
                 [&] { return fmt::format("{:a}", narrow); });
  }
  CHECK(tally.faults() == "");
}
#endif

TEST_CASE("saturation and wrapping by definition, for every small type") {
  for (const Type type : {Type::int2, Type::uint2, Type::int4, Type::uint4, Type::int8, Type::uint8}) {
    const CodeRange range = code_range(type);
    const std::int64_t codes = range.highest - range.lowest + 1;
    Tally tally;
    for (std::int32_t n = -70000; n <= 70000; ++n) {
      const std::int64_t limited = n < range.lowest ? range.lowest : n > range.highest ? range.highest : n;
      tally.expect(saturate(n, range) == limited && saturate(static_cast<double>(n), range) == limited &&
                       saturate(static_cast<float>(n), range) == limited,
                   [&] { return fmt::format("saturate {} to {}", n, name(type)); });
      // Wrapping keeps the residue and lands in the range: there is just one such code.
      const std::int32_t wrapped = wrap(n, range);
      tally.expect(range.contains(wrapped) && (n - wrapped) % codes == 0,
                   [&] { return fmt::format("wrap {} to {}: {}", n, name(type), wrapped); });
    }
    CHECK(tally.faults() == "");
  }
}

TEST_CASE("saturation and wrapping at the ends of wide types") {
  const CodeRange int16 = code_range(Type::int16);
  const CodeRange uint16 = code_range(Type::uint16);
  const CodeRange int32 = code_range(Type::int32);
  CHECK(saturate(32768, int16) == 32767);
  CHECK(saturate(-32769.0, int16) == -32768);
  CHECK(saturate(65536.0F, uint16) == 65535);
  CHECK(saturate(-1, uint16) == 0);
  CHECK(saturate(2147483648.0, int32) == kHighest);
  CHECK(saturate(-2147483649.0, int32) == kLowest);
  CHECK(saturate(kInfinity, int32) == kHighest);
  CHECK(saturate(-kInfinity, int16) == -32768);
  for (const CodeRange range : {int16, uint16, int32}) CHECK(saturate(kNan, range) == range.lowest);
  CHECK(wrap(32768, int16) == -32768);
  CHECK(wrap(-32769, int16) == 32767);
  CHECK(wrap(-1, uint16) == 65535);
  CHECK(wrap(kLowest, uint16) == 0);
  for (const std::int32_t n : {kLowest, -1, 0, kHighest}) CHECK(wrap(n, int32) == n);
}

TEST_CASE("bounds: the name says what becomes of NaN") {
  CHECK(at_least_or_bound_if_nan(kNan, 2.0) == 2.0);
  CHECK(at_most_or_bound_if_nan(kNan, 2.0) == 2.0);
  CHECK(is_nan(at_least_or_bound_if_nan(1.0, kNan)));
  CHECK(is_nan(at_most_or_bound_if_nan(1.0, kNan)));
  CHECK(is_nan(at_least_keeping_nan(kNan, 2.0)));
  CHECK(is_nan(at_most_keeping_nan(kNan, 2.0)));
  CHECK(at_least_keeping_nan(1.0, kNan) == 1.0);
  CHECK(at_most_keeping_nan(1.0, kNan) == 1.0);
  CHECK(at_least_or_bound_if_nan(1.0F, 2.0F) == 2.0F);
  CHECK(at_least_keeping_nan(3.0F, 2.0F) == 3.0F);
  CHECK(at_most_or_bound_if_nan(3.0F, 2.0F) == 2.0F);
  CHECK(at_most_keeping_nan(1.0F, 2.0F) == 1.0F);
  // Of two zeros the "or bound" forms take the bound, the "keeping" forms the value, as the instructions do.
  CHECK(std::signbit(at_least_or_bound_if_nan(0.0, -0.0)));
  CHECK(std::signbit(at_most_or_bound_if_nan(0.0, -0.0)));
  CHECK_FALSE(std::signbit(at_least_keeping_nan(0.0, -0.0)));
  CHECK_FALSE(std::signbit(at_most_keeping_nan(0.0, -0.0)));
}

TEST_CASE("rounding to an integral value: ties to even, the sign of zero stays") {
  CHECK(round_half_even(0.5F) == 0.0F);
  CHECK(round_half_even(1.5F) == 2.0F);
  CHECK(round_half_even(2.5) == 2.0);
  CHECK(round_half_even(-2.5) == -2.0);
  CHECK(round_half_even(-3.5) == -4.0);
  CHECK(std::signbit(round_half_even(-0.5F)));
  CHECK(std::signbit(round_half_even(Binary16(-0.25F)).value));
  CHECK(round_half_even(Bfloat16(2.5F)).value == 2.0F);
  CHECK(round_half_even(8388609.0F) == 8388609.0F);
  CHECK(round_half_even(0x1.fffffep-2F) == 0.0F);
}

TEST_CASE("integer sums and differences") {
  CHECK(add_wrapping(kHighest, 1) == kLowest);
  CHECK(subtract_wrapping(kLowest, 1) == kHighest);
  CHECK(subtract_wrapping(0, kLowest) == kLowest);
  CHECK(subtract_exact(kLowest, kHighest) == -4294967295.0);
  CHECK(add_exact(16777216.0F, 1) == 16777217.0);  // not in binary32
  CHECK(add_exact(Binary16(2048.0F), 1) == 2049.0);
  CHECK(integer_to_binary32(16777217) == 16777216.0F);
  CHECK(integer_to_binary64(kHighest) == 2147483647.0);
  CHECK(from_integer(2049, Binary16(0.0F)).value == 2048.0F);
  CHECK(from_integer(2051, Binary16(0.0F)).value == 2052.0F);
}

TEST_CASE("one fused step differs from two") {
  const float a = 1.0F + 0x1p-12F;
  CHECK(fused_multiply_add(a, a, -1.0F - 0x1p-11F) == 0x1p-24F);
  CHECK(add(multiply(a, a), -1.0F - 0x1p-11F) == 0.0F);
}

TEST_CASE("questions") {
  CHECK(is_between(1.0, 1.0, 1.0));
  CHECK_FALSE(is_between(kNan, 0.0, 1.0));
  CHECK_FALSE(is_equal(kNan, kNan));
  CHECK(is_equal(0.0, -0.0));
  for (const double bad : {0.0, -0.0, -1.0, kInfinity, kNan}) {
    CHECK_FALSE(is_finite_and_positive(bad));
    CHECK_FALSE(is_finite_and_positive(static_cast<float>(bad)));
    CHECK_FALSE(is_finite_and_positive(Binary16(static_cast<float>(bad))));
  }
  CHECK(is_finite_and_positive(std::numeric_limits<float>::denorm_min()));
  CHECK_FALSE(is_finite_and_positive(Binary16(65520.0F)));
}
