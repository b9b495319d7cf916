#include <clocale>
#include <cmath>
#include <locale>

#include "catch.hpp"
#include "interpreter/awkward.hpp"
#include "interpreter/request.hpp"
#include "interpreter/tally.hpp"

using namespace qassay;
using namespace qassay::tests;

namespace {

std::string refused(std::string_view text, Type type) {
  return unless_refused([&] { parse_number(text, type); }, ErrorKind::bad_value, {text, name(type)});
}

std::int64_t parsed_integer(std::string_view text, Type type) {
  Tensor holder(type, {});
  holder.set_bits(0, parse_number(text, type));
  return holder.integer(0);
}

class CommaDecimals : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

}  // namespace

TEST_CASE("every 16-bit value has a text that parses back to its bits") {
  for (const Type type : {Type::float16, Type::bfloat16, Type::int16, Type::uint16}) {
    Tally tally;
    for (std::uint64_t bits = 0; bits < 65536; ++bits) {
      const std::string text = number_text(type, bits);
      tally.expect(parse_number(text, type) == bits, [&] { return fmt::format("{:#x} {}", bits, text); });
      if (bits % 3 != 0) continue;
      const bool is_nan = is_floating(type) && decode(type, bits) != decode(type, bits);
      const std::string decimal = decimal_text(type, bits);
      tally.expect(is_nan ? decimal == "nan" : parse_number(decimal, type) == bits,
                   [&] { return fmt::format("{:#x} {}", bits, decimal); });
    }
    CHECK(tally.faults() == "");
  }
}

TEST_CASE("every code of a small type has a text that parses back") {
  for (const Type type : {Type::int2, Type::uint2, Type::int4, Type::uint4, Type::int8, Type::uint8}) {
    Tally tally;
    for (std::int64_t code = lowest(type); code <= highest(type); ++code) {
      Tensor holder(type, {});
      holder.set_integer(0, code);
      const std::string text = number_text(type, holder.bits(0));
      tally.expect(text == std::to_string(code) && parse_number(text, type) == holder.bits(0) &&
                       decimal_text(type, holder.bits(0)) == text,
                   [&] { return fmt::format("{} {}", code, text); });
    }
    CHECK(tally.faults() == "");
  }
  CHECK(number_text(Type::boolean, parse_number("true", Type::boolean)) == "true");
  CHECK(number_text(Type::boolean, parse_number("0", Type::boolean)) == "false");
}

TEST_CASE("wide values have texts that parse back") {
  Dice dice(16);
  for (const Type type : {Type::float32, Type::float64, Type::int32, Type::uint32, Type::int64}) {
    Tally tally;
    for (int i = 0; i < 4000; ++i) {
      Tensor holder(type, {});
      if (is_floating(type)) holder.set_bits(0, awkward_bits(type, dice));
      else holder.set_integer(0, awkward_integer(type, dice));
      const std::uint64_t bits = holder.bits(0);
      tally.expect(parse_number(number_text(type, bits), type) == bits,
                   [&] { return fmt::format("{:#x} {}", bits, number_text(type, bits)); });
      if (is_floating(type) && holder.real(0) != holder.real(0)) continue;
      tally.expect(parse_number(decimal_text(type, bits), type) == bits,
                   [&] { return fmt::format("{:#x} {}", bits, decimal_text(type, bits)); });
    }
    CHECK(tally.faults() == "");
  }
}

TEST_CASE("texts are the short ones") {
  CHECK(number_text(Type::float32, 0x3dcccccd) == "0x1.99999ap-4");
  CHECK(number_text(Type::float32, 0x80000000) == "-0");
  CHECK(number_text(Type::float32, 0) == "0");
  CHECK(number_text(Type::float32, 1) == "0x1p-149");
  CHECK(number_text(Type::float16, 0xc000) == "-0x1p+1");
  CHECK(number_text(Type::float32, 0x7f800000) == "inf");
  CHECK(number_text(Type::bfloat16, 0xff80) == "-inf");
  CHECK(number_text(Type::float32, 0x7fc00000) == "nan");
  CHECK(number_text(Type::float32, 0xffc00001) == "bits:0xffc00001");
  CHECK(number_text(Type::float16, 0x7c01) == "bits:0x7c01");
  CHECK(decimal_text(Type::float32, 0x3dcccccd) == "0.1");
  CHECK(decimal_text(Type::float16, 0x2e66) == "0.1");
  CHECK(decimal_text(Type::float64, 0x3fb999999999999aU) == "0.1");
  CHECK(decimal_text(Type::bfloat16, parse_number("768", Type::bfloat16)) == "768");
  CHECK(decimal_text(Type::float16, parse_number("10", Type::float16)) == "10");
  CHECK(decimal_text(Type::float16, 0x7bff) == "65504");
  CHECK(decimal_text(Type::float16, 0x8000) == "-0");
  CHECK(decimal_text(Type::bfloat16, parse_number("12.5625", Type::bfloat16)) == "12.56");
  CHECK(decimal_text(Type::bfloat16, parse_number("-inf", Type::bfloat16)) == "-inf");
}

TEST_CASE("a decimal is rounded once, not by way of binary64") {
  // Just below the middle of two binary32 values; binary64 takes it for the middle, and the tie would go up.
  CHECK(parse_number("1.00000017881393432617187499", Type::float32) == 0x3f800001);
  CHECK(parse_number("1.000000178813934326171875", Type::float32) == 0x3f800002);
  CHECK(parse_number("1.00000017881393432617187501", Type::float32) == 0x3f800002);
  CHECK(parse_number("-1.00000017881393432617187499", Type::float32) == 0xbf800001);
  // The same for the other formats: 1 + 2^-11 and a hair, 1 + 2^-8 and a hair.
  CHECK(parse_number("1.00048828125", Type::float16) == 0x3c00);
  CHECK(parse_number("1.00048828125000000000000000000001", Type::float16) == 0x3c01);
  CHECK(parse_number("1.00390625", Type::bfloat16) == 0x3f80);
  CHECK(parse_number("1.00390625000000000000000000000001", Type::bfloat16) == 0x3f81);
  CHECK(parse_number("9007199254740993", Type::float64) == parse_number("9007199254740992", Type::float64));
  CHECK(parse_number("9007199254740993.0000000000000000000001", Type::float64) == 0x4340000000000001U);
  // Hex floats with more digits than fit are rounded as well.
  CHECK(parse_number("0x1.000003p0", Type::float32) == 0x3f800002);
  CHECK(parse_number("0x1.00000100000000000001p0", Type::float32) == 0x3f800001);
}

TEST_CASE("decimals at the ends of a format") {
  CHECK(parse_number("340282356779733661637539395458142568448", Type::float32) == 0x7f800000);
  CHECK(parse_number("340282356779733661637539395458142568447", Type::float32) == 0x7f7fffff);
  CHECK(parse_number("65519.999", Type::float16) == 0x7bff);
  CHECK(parse_number("65520", Type::float16) == 0x7c00);
  CHECK(parse_number("1e-45", Type::float32) == 1);
  CHECK(parse_number("7.006e-46", Type::float32) == 0);
  CHECK(parse_number("-1e-60", Type::float32) == 0x80000000);
  CHECK(parse_number("1e400", Type::float64) == 0x7ff0000000000000U);
  CHECK(parse_number("2.2250738585072011e-308", Type::float64) == 0x000fffffffffffffU);
}

TEST_CASE("forms of numbers") {
  CHECK(parse_number("-0", Type::float32) == 0x80000000);
  CHECK(parse_number("+.5", Type::float32) == 0x3f000000);
  CHECK(parse_number("5.", Type::float32) == 0x40a00000);
  CHECK(parse_number("1E+2", Type::float32) == 0x42c80000);
  CHECK(parse_number("0X1.8P-1", Type::float32) == 0x3f400000);
  CHECK(parse_number("0x10", Type::float32) == 0x41800000);
  CHECK(parse_number("-inf", Type::float32) == 0xff800000);
  CHECK(parse_number("infinity", Type::float16) == 0x7c00);
  CHECK(parse_number("nan", Type::bfloat16) == 0x7fc0);
  CHECK(parse_number("bits:0x7fc00123", Type::float32) == 0x7fc00123);
  CHECK(parse_number("bits:ff", Type::uint8) == 255);
  CHECK(parsed_integer("-8", Type::int4) == -8);
  CHECK(parsed_integer("0x10", Type::int8) == 16);
  CHECK(parsed_integer("1e2", Type::uint8) == 100);
  CHECK(parsed_integer("2.50e1", Type::uint8) == 25);
  CHECK(parsed_integer("4294967295", Type::uint32) == 4294967295);
  CHECK(parsed_integer("-9223372036854775808", Type::int64) == INT64_MIN);
}

TEST_CASE("what is no number is refused as bad_value, with the text and the type") {
  for (const char* text : {"",
                           "-",
                           "+",
                           ".",
                           "-.",
                           "e5",
                           "1e",
                           "1e+",
                           "1e+-5",
                           "1e1.5",
                           "0x",
                           "0x.p1",
                           "0x1p",
                           "1.2.3",
                           "1,5",
                           "1_000",
                           " 1",
                           "1 ",
                           "--1",
                           "+-1",
                           "0x1g",
                           "1f",
                           "nan(1)",
                           "infx",
                           "in",
                           "Inf",
                           "NaN",
                           "1e20001",
                           "1e99999999999",
                           "bits:",
                           "bits:0x",
                           "bits:0xg",
                           "bits:-1",
                           "bits:0x123456789",
                           "true",
                           "½",
                           "1p3",
                           "0x1.8e3p",
                           "[1]"}) {
    CAPTURE(text);
    CHECK(refused(text, Type::float32) == "");
  }
  CHECK(refused(std::string(2001, '1'), Type::float32) == "");
  CHECK(refused("bits:0x10000", Type::float16) == "");
  for (const char* text : {"1.5", "0.1", "1e-1", "nan", "inf", "256", "-1", "99999999999999999999", "bits:0x100"}) {
    CAPTURE(text);
    CHECK(refused(text, Type::uint8) == "");
  }
  CHECK(refused("8", Type::int4) == "");
  CHECK(refused("-3", Type::int2) == "");
  CHECK(refused("9223372036854775808", Type::int64) == "");
  for (const char* text : {"2", "True", "yes", "-1", ""}) CHECK(refused(text, Type::boolean) == "");
}

TEST_CASE("bits of a small integer must be one of its codes") {
  CHECK(parsed_integer("bits:0xf8", Type::int4) == -8);
  CHECK(refused("bits:0x7f", Type::int4) == "");
  CHECK(refused("bits:0x10", Type::uint4) == "");
  CHECK(refused("bits:0x02", Type::int2) == "");
  CHECK(refused("bits:0x02", Type::boolean) == "");
}

TEST_CASE("numbers do not depend on the locale") {
  const std::string c_locale = std::setlocale(LC_ALL, nullptr);
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new CommaDecimals));
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"}) {
    if (std::setlocale(LC_ALL, name) != nullptr) break;
  }
  const std::uint64_t parsed = parse_number("1234.5", Type::float32);
  const std::string hex = number_text(Type::float32, 0x449a5000);
  const std::string decimal = decimal_text(Type::float32, 0x449a5000);
  const std::string half = decimal_text(Type::float16, 0x64d3);
  const std::string integer = number_text(Type::int32, 1234567);
  const std::string comma = refused("1234,5", Type::float32);
  const std::string codes = result("onnx.QuantizeLinear", "y", {{"x", "[1.5]"}}, {{"y_scale", "0.01"}});
  std::locale::global(before);
  std::setlocale(LC_ALL, c_locale.c_str());
  CHECK(parsed == 0x449a5000);
  CHECK(hex == "0x1.34ap+10");
  CHECK(decimal == "1234.5");
  CHECK(half == "1235");
  CHECK(integer == "1234567");
  CHECK(comma == "");
  CHECK(codes == "150");
}
