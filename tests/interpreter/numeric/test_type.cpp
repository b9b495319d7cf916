#include <set>

#include "catch.hpp"
#include "interpreter/numeric/type.hpp"

using namespace qassay;

TEST_CASE("type rows stand in the order of the enumeration and have names of their own") {
  std::set<std::string_view> names;
  int expected = 0;
  for (const TypeRow& type : type_rows()) {
    CHECK(static_cast<int>(type.type) == expected++);
    CHECK(&row(type.type) == &type);
    CHECK(names.insert(type.name).second);
    CHECK(name(type.type) == type.name);
    CHECK(type_named(type.name) == type.type);
  }
  CHECK(expected == static_cast<int>(Type::float64) + 1);
}

TEST_CASE("a type's storage holds it") {
  for (const TypeRow& type : type_rows()) {
    CAPTURE(type.name);
    CHECK(type.bits >= 1);
    CHECK(type.bits <= 8 * type.storage_bytes);
    CHECK((type.bits > 4 * type.storage_bytes || type.storage_bytes == 1));
    if (is_floating(type.type)) {
      CHECK(type.precision + type.exponent_bits == type.bits);
      CHECK_FALSE(is_integer(type.type));
    } else {
      CHECK(type.precision == 0);
      CHECK(type.exponent_bits == 0);
    }
  }
}

TEST_CASE("PyTorch's names of dtypes are accepted, others are not") {
  CHECK(type_named("quint8") == Type::uint8);
  CHECK(type_named("qint8") == Type::int8);
  CHECK(type_named("qint32") == Type::int32);
  for (const char* none : {"", "Int8", "int8 ", "float", "half", "torch.int8", "quint4x2", "float8"}) {
    CHECK_FALSE(type_named(none));
  }
}

TEST_CASE("ends of integer types") {
  struct Ends {
    Type type;
    std::int64_t lowest;
    std::int64_t highest;
  };
  const Ends ends[] = {{Type::int2, -2, 1},
                       {Type::uint2, 0, 3},
                       {Type::int4, -8, 7},
                       {Type::uint4, 0, 15},
                       {Type::int8, -128, 127},
                       {Type::uint8, 0, 255},
                       {Type::int16, -32768, 32767},
                       {Type::uint16, 0, 65535},
                       {Type::int32, INT32_MIN, INT32_MAX},
                       {Type::uint32, 0, 4294967295},
                       {Type::int64, INT64_MIN, INT64_MAX}};
  std::size_t integers = 0;
  for (const TypeRow& type : type_rows()) integers += is_integer(type.type) ? 1 : 0;
  CHECK(integers == std::size(ends));
  for (const Ends& expected : ends) {
    CAPTURE(name(expected.type));
    CHECK(is_integer(expected.type));
    CHECK(lowest(expected.type) == expected.lowest);
    CHECK(highest(expected.type) == expected.highest);
    const CodeRange range = code_range(expected.type);
    CHECK(range == CodeRange{expected.lowest, expected.highest});
    CHECK(range.contains(expected.lowest));
    CHECK(range.contains(expected.highest));
    if (expected.lowest > INT64_MIN) CHECK_FALSE(range.contains(expected.lowest - 1));
    if (expected.highest < INT64_MAX) CHECK_FALSE(range.contains(expected.highest + 1));
  }
}

TEST_CASE("ends of floating types") {
  CHECK(lowest_exponent(Type::float16) == -14);
  CHECK(highest_exponent(Type::float16) == 15);
  CHECK(lowest_exponent(Type::bfloat16) == -126);
  CHECK(highest_exponent(Type::bfloat16) == 127);
  CHECK(lowest_exponent(Type::float32) == -126);
  CHECK(highest_exponent(Type::float32) == 127);
  CHECK(lowest_exponent(Type::float64) == -1022);
  CHECK(highest_exponent(Type::float64) == 1023);
}
