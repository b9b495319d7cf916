#include "interpreter/tensor.hpp"

#include <cmath>

#include "catch.hpp"
#include "interpreter/awkward.hpp"
#include "interpreter/numeric/exact.hpp"
#include "interpreter/tally.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

/// What bits mean, by the definition of IEEE 754's interchange formats.
double defined_value(Type format, std::uint64_t bits) {
  const int fraction_bits = row(format).precision - 1;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << fraction_bits) - 1);
  const std::uint64_t exponent = (bits >> fraction_bits) & ((std::uint64_t{1} << row(format).exponent_bits) - 1);
  const bool is_negative = (bits >> (row(format).bits - 1)) != 0;
  double magnitude = 0;
  if (exponent == (std::uint64_t{1} << row(format).exponent_bits) - 1) {
    magnitude = fraction == 0 ? INFINITY : NAN;
  } else {
    const std::uint64_t significand = exponent == 0 ? fraction : fraction | (std::uint64_t{1} << fraction_bits);
    const int biased = exponent == 0 ? 1 : static_cast<int>(exponent);
    magnitude = std::ldexp(static_cast<double>(significand), biased - 1 + lowest_exponent(format) - fraction_bits);
  }
  return is_negative ? -magnitude : magnitude;
}

std::uint64_t canonical_nan(Type format) {
  switch (format) {
    case Type::float16: return 0x7e00U;
    case Type::bfloat16: return 0x7fc0U;
    case Type::float32: return 0x7fc00000U;
    default: return 0x7ff8000000000000U;
  }
}

}  // namespace

TEST_CASE("all 16-bit floating codes decode as defined and encode back") {
  for (const Type format : {Type::float16, Type::bfloat16}) {
    Tally tally;
    for (std::uint64_t bits = 0; bits < 65536; ++bits) {
      const double value = defined_value(format, bits);
      tally.expect(same(decode(format, bits), value), [&] { return fmt::format("decode {:#06x}", bits); });
      const std::uint64_t expected = value != value ? canonical_nan(format) : bits;
      tally.expect(encode(format, value) == expected, [&] { return fmt::format("encode {:#06x}", bits); });
    }
    CHECK(tally.faults() == "");
  }
}

TEST_CASE("wide floating codes decode as defined and encode back") {
  Dice dice(12);
  for (const Type format : {Type::float32, Type::float64}) {
    Tally tally;
    for (int i = 0; i < 50000; ++i) {
      const std::uint64_t bits = awkward_bits(format, dice);
      const double value = defined_value(format, bits);
      tally.expect(same(decode(format, bits), value), [&] { return fmt::format("decode {:#x}", bits); });
      const std::uint64_t expected = value != value ? canonical_nan(format) : bits;
      tally.expect(encode(format, value) == expected, [&] { return fmt::format("encode {:#x}", bits); });
    }
    CHECK(tally.faults() == "");
  }
}

TEST_CASE("encoding rounds once") {
  Dice dice(13);
  for (const Type format : {Type::float16, Type::bfloat16, Type::float32}) {
    Tally tally;
    for (int i = 0; i < 8000; ++i) {
      const double value = awkward_real(Type::float64, dice);
      if (value != value) continue;
      const double expected = std::copysign(round_to(format, Exact(value)), value);
      tally.expect(same(decode(format, encode(format, value)), expected), [&] { return fmt::format("{:a}", value); });
    }
    CHECK(tally.faults() == "");
  }
}

TEST_CASE("shapes") {
  CHECK(element_count({}) == 1);
  CHECK(element_count({2, 3}) == 6);
  CHECK(element_count({2, 0, 3}) == 0);
  CHECK(to_text(Shape{}) == "[]");
  CHECK(to_text(Shape{2, 3}) == "[2, 3]");
  CHECK(Tensor(Type::int16, {3, 5}).bytes().size() == 30);
  CHECK(Tensor(Type::int4, {3}).bytes().size() == 3);
  CHECK(Tensor(Type::float64, {}).size() == 1);
  CHECK(Tensor(Type::float32, {0}).bytes().empty());
  const Tensor tensor(Type::int8, {2, 3});
  CHECK(tensor.reshaped({3, 2}).shape() == Shape{3, 2});
  CHECK_THROWS_AS(tensor.reshaped({4}), std::logic_error);
}

TEST_CASE("integers of every type go in and come out") {
  Dice dice(14);
  for (const TypeRow& type : type_rows()) {
    if (!is_integer(type.type)) continue;
    CAPTURE(type.name);
    Tensor tensor(type.type, {64});
    std::vector<std::int64_t> codes(tensor.size());
    for (std::size_t i = 0; i < codes.size(); ++i) {
      codes[i] = awkward_integer(type.type, dice);
      tensor.set_integer(i, codes[i]);
    }
    for (std::size_t i = 0; i < codes.size(); ++i) {
      if (tensor.integer(i) != codes[i] || tensor.real(i) != static_cast<double>(codes[i])) FAIL_CHECK(codes[i]);
      Tensor copy(type.type, {});
      copy.set_bits(0, tensor.bits(i));
      if (copy.integer(0) != codes[i]) FAIL_CHECK(codes[i]);
    }
  }
  CHECK(Tensor::scalar(Type::int4, std::int64_t{-8}).bits(0) == 0xf8);
  CHECK(Tensor::scalar(Type::bfloat16, 1.0).bits(0) == 0x3f80);
}

TEST_CASE("lanes: loaded exactly, stored rounded once with one NaN") {
  const Type all[] = {Type::int2,    Type::uint2,    Type::int8,    Type::uint8,   Type::int16, Type::uint16,
                      Type::float16, Type::bfloat16, Type::float32, Type::float64, Type::int32};
  Dice dice(15);
  for (const Type type : all) {
    CAPTURE(name(type));
    Tensor tensor(type, {100});
    for (std::size_t i = 0; i < tensor.size(); ++i) {
      if (is_floating(type)) tensor.set_real(i, awkward_real(type, dice));
      else tensor.set_integer(i, awkward_integer(type, dice));
    }
    std::vector<double> doubles(40);
    load(tensor, 30, doubles.size(), doubles.data());
    Tensor stored(type, {100});
    store(stored, 30, doubles.size(), doubles.data());
    Tally tally;
    for (std::size_t i = 0; i < stored.size(); ++i) {
      const bool is_inside = i >= 30 && i < 70;
      tally.expect(!is_inside || same(doubles[i - 30], tensor.real(i)), [&] { return fmt::format("load {}", i); });
      tally.expect(stored.bits(i) == (is_inside ? tensor.bits(i) : 0), [&] { return fmt::format("store {}", i); });
    }
    CHECK(tally.faults() == "");
  }
  Tensor nans(Type::float32, {2});
  const float payload[] = {-NAN, std::nanf("77")};
  store(nans, 0, 2, payload);
  CHECK(nans.bits(0) == 0x7fc00000U);
  CHECK(nans.bits(1) == 0x7fc00000U);
  Tensor halves(Type::float16, {1});
  const double near_tie = 1.0 + 0x1p-11 + 0x1p-40;
  store(halves, 0, 1, &near_tie);
  CHECK(halves.bits(0) == 0x3c01);
}
