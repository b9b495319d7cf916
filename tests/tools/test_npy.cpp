#include "tools/npy.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "catch.hpp"
#include "interpreter/arguments.hpp"
#include "tools/temporary_folder.hpp"

namespace qassay {
namespace {

using testing::contains;
using testing::refusal;
using testing::TemporaryFolder;

/// A file as NumPy writes it, with whatever header and elements a test wants.
std::string npy(const std::string& dictionary, const std::string& elements, char major = 1) {
  const std::string header = dictionary + "\n";
  std::string file = std::string("\x93NUMPY") + major + '\0';
  file += {static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  if (major > 1) file += std::string(2, '\0');
  return file + header + elements;
}

std::string dictionary(const std::string& descr, const std::string& shape, const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

std::string reading(const std::string& content, std::optional<Type> logical = std::nullopt) {
  const TemporaryFolder folder;
  const auto file = folder.write("x.npy", content);
  return refusal([&] { read_npy(file, logical); });
}

Tensor read(const std::string& content, std::optional<Type> logical = std::nullopt) {
  const TemporaryFolder folder;
  return read_npy(folder.write("x.npy", content), logical);
}

}  // namespace

TEST_CASE("npy: every type comes back as it was written", "[npy]") {
  const TemporaryFolder folder;
  for (const TypeRow& type : type_rows()) {
    CAPTURE(type.name);
    for (const Shape& shape : {Shape{}, Shape{0}, Shape{3}, Shape{2, 3}, Shape{2, 0, 4}}) {
      Tensor tensor(type.type, shape);
      for (std::size_t i = 0; i < tensor.size(); ++i) {
        if (is_floating(type.type)) tensor.set_real(i, 0.5 * static_cast<double>(i) - 1);
        else tensor.set_bits(i, i % 2);
      }
      write_tensor(folder / "t.npy", tensor);
      CHECK(read_tensor((folder / "t.npy").string()) == tensor);
    }
  }
}

TEST_CASE("npy: a written file is what NumPy writes", "[npy]") {
  const TemporaryFolder folder;
  Tensor tensor(Type::int16, {2, 1});
  tensor.set_integer(0, -2);
  tensor.set_integer(1, 258);
  write_npy(folder / "t.npy", tensor);
  const std::string content = TemporaryFolder::read(folder / "t.npy");
  CHECK(content.substr(0, 10) == std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  CHECK(content.substr(10, 59) == "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 1), }");
  CHECK(content[127] == '\n');
  CHECK(content.substr(128) == std::string("\xfe\xff\x02\x01", 4));
  CHECK(content.size() == 132);

  write_npy(folder / "v.npy", Tensor(Type::uint8, {3}));
  CHECK_THAT(TemporaryFolder::read(folder / "v.npy"), contains("'descr': '|u1'") && contains("'shape': (3,), }"));
}

TEST_CASE("npy: versions 1 to 3 and the dictionary in any order and quotes", "[npy]") {
  for (const char major : {'\1', '\2', '\3'}) {
    CHECK(read(npy(dictionary("<u2", "(2,)"), std::string("\1\0\2\0", 4), major)).integer(1) == 2);
  }
  const Tensor tensor = read(npy("{\"shape\":(1,2),'fortran_order':False,'descr':'<i1'}", "\xff\x05"));
  CHECK(tensor.shape() == Shape{1, 2});
  CHECK(tensor.integer(0) == -1);
}

TEST_CASE("npy: Fortran order becomes C order", "[npy]") {
  // [[1, 2, 3], [4, 5, 6]] by columns.
  const Tensor matrix = read(npy(dictionary("|u1", "(2, 3)", "True"), "\1\4\2\5\3\6"));
  for (std::size_t i = 0; i < 6; ++i) CHECK(matrix.integer(i) == static_cast<std::int64_t>(i) + 1);

  std::string elements;
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 2; ++i) elements += static_cast<char>(i * 12 + j * 4 + k);
  const Tensor cube = read(npy(dictionary("|u1", "(2, 3, 4)", "True"), elements));
  for (std::size_t i = 0; i < 24; ++i) CHECK(cube.integer(i) == static_cast<std::int64_t>(i));
}

TEST_CASE("npy: big-endian elements", "[npy]") {
  CHECK(read(npy(dictionary(">i4", "()"), std::string("\xff\xff\xff\xfe", 4))).integer(0) == -2);
  CHECK(read(npy(dictionary(">f4", "(1,)"), std::string("\x3f\xc0\0\0", 4))).real(0) == 1.5);
  const Tensor both = read(npy(dictionary(">u2", "(2, 2)", "True"), std::string("\0\1\0\3\0\2\0\4", 8)));
  for (std::size_t i = 0; i < 4; ++i) CHECK(both.integer(i) == static_cast<std::int64_t>(i) + 1);
}

TEST_CASE("npy: NaN payloads and signed zeros survive", "[npy]") {
  const Tensor tensor = read(npy(dictionary("<f4", "(2,)"), std::string("\1\0\xa0\x7f\0\0\0\x80", 8)));
  CHECK(tensor.bits(0) == 0x7fa00001);
  CHECK(tensor.bits(1) == 0x80000000);
}

TEST_CASE("npy: logical types are checked value by value", "[npy]") {
  const std::string codes = npy(dictionary("|i1", "(3,)"), std::string("\x07\xf8\x08", 3));
  CHECK(read(npy(dictionary("|i1", "(2,)"), "\x07\xf8"), Type::int4).integer(1) == -8);
  CHECK_THAT(reading(codes, Type::int4),
             contains("wrong_type: ") && contains("element 2: 8 is no int4") && contains("-8 to 7"));
  CHECK_THAT(reading(npy(dictionary("|u1", "(1,)"), "\x04"), Type::uint2), contains("4 is no uint2"));
  CHECK_THAT(reading(codes, Type::uint4), contains("holds int8, but uint4 was asked for, which is stored as uint8"));
  CHECK_THAT(reading(codes, Type::float32), contains("wrong_type: "));
  CHECK_THAT(reading(npy(dictionary("|b1", "(1,)"), "\x02")), contains("the byte 2 is no bool"));
  CHECK(read(npy(dictionary("<u2", "(1,)"), std::string("\x80\x3f", 2)), Type::bfloat16).real(0) == 1.0);
}

TEST_CASE("npy: malformed files are refused with the place", "[npy]") {
  const std::string good = npy(dictionary("<f4", "(2,)"), std::string(8, '\0'));
  REQUIRE(reading(good).empty());

  SECTION("every truncation") {
    for (std::size_t size = 0; size < good.size(); ++size) {
      CAPTURE(size);
      CHECK_THAT(reading(good.substr(0, size)), contains("bad_file: ") && contains("x.npy: byte "));
    }
    CHECK_THAT(reading(good.substr(0, good.size() - 1)), contains("7 bytes of elements, expected 8 for float32 [2]"));
  }
  SECTION("trailing bytes") {
    CHECK_THAT(reading(good + "\n"), contains("9 bytes of elements, expected 8"));
  }
  SECTION("wrong magic") {
    CHECK_THAT(reading("PK\3\4 not an array"), contains("byte 0: does not start with"));
  }
  SECTION("unknown version") {
    CHECK_THAT(reading(npy(dictionary("<f4", "()"), std::string(4, '\0'), '\4')), contains("format version 4.0"));
  }
  SECTION("element types") {
    for (const std::string descr : {"|O", "<c8", "<U3", "<M8[s]", "<f16", "<u8", "f4", "=f4", "|f4", "", "<"}) {
      CAPTURE(descr);
      CHECK_THAT(reading(npy(dictionary(descr, "()"), std::string(16, '\0'))),
                 contains("bad_file: ") && contains("expected one of |b1"));
    }
    CHECK_THAT(reading(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}", std::string(4, '\0'))),
               contains("structured arrays"));
  }
  SECTION("shapes") {
    for (const std::string shape : {"(-1,)", "(2.0,)", "(2)", "[2]", "(2", "(,)", "(2,,)", "(99999999999999999999,)",
                                    "(2L,)", "('2',)", "(+2,)"}) {
      CAPTURE(shape);
      CHECK_THAT(reading(npy(dictionary("<f4", shape), std::string(8, '\0'))),
                 contains("bad_file: ") && contains("x.npy: byte "));
    }
    CHECK_THAT(reading(npy(dictionary("<f4", "(4611686018427387904, 4)"), "")), contains("too large for any memory"));
    CHECK_THAT(reading(npy(dictionary("<f4", "(0, 4611686018427387904, 4)"), "")), contains("too large"));
    std::string deep;
    for (int i = 0; i < 65; ++i) deep += "1, ";
    CHECK_THAT(reading(npy(dictionary("<f4", "(" + deep + ")"), std::string(4, '\0'))), contains("at most 64 extents"));
  }
  SECTION("dictionaries") {
    for (const std::string header :
         {"{'descr': '<f4', 'fortran_order': False}", "{'descr': '<f4', 'descr': '<f4', 'shape': ()}",
          "{'descr': '<f4', 'fortran_order': 0, 'shape': ()}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (), 'more': 1}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': ()} or None", "{'descr' '<f4'}", "['descr']", "{", "",
          "{'descr': '<f4}", "{'descr': '<f4' 'fortran_order': False, 'shape': ()}"}) {
      CAPTURE(header);
      CHECK_THAT(reading(npy(header, std::string(4, '\0'))), contains("bad_file: ") && contains("expected"));
    }
  }
}

TEST_CASE("npy: the type comes after a colon, from a side file, or is the file's own", "[npy]") {
  const TemporaryFolder folder;
  const std::string x = folder.write("x.npy", npy(dictionary("|i1", "(1,)"), "\x03")).string();
  CHECK(read_tensor(x).type() == Type::int8);
  CHECK(read_tensor(x + ":int4").type() == Type::int4);
  CHECK_THAT(refusal([&] { read_tensor(x + ":int5"); }), contains("'int5' is no type (did you mean"));
  folder.write("x.json", "{\"type\": \"int4\"}");
  CHECK(read_tensor(x).type() == Type::int4);
  CHECK(read_tensor(x + ":int8").type() == Type::int8);
  for (const std::string side : {"{\"type\": \"int5\"}", "{\"type\": \"int4\", \"note\": 1}", "[]", "{", "{}"}) {
    CAPTURE(side);
    folder.write("x.json", side);
    CHECK_THAT(refusal([&] { read_tensor(x); }),
               contains("bad_file: ") && contains("x.json: expected {\"type\": TYPE}"));
  }
}

TEST_CASE("npy: a side file does not outlive its type", "[npy]") {
  const TemporaryFolder folder;
  write_tensor(folder / "y.npy", Tensor(Type::bfloat16, {1}));
  CHECK(TemporaryFolder::read(folder / "y.json") == "{\"type\": \"bfloat16\"}\n");
  write_tensor(folder / "y.npy", Tensor(Type::float32, {1}));
  CHECK_FALSE(std::filesystem::exists(folder / "y.json"));
}

TEST_CASE("npy: files appear whole or not at all", "[npy]") {
  const TemporaryFolder folder;
  CHECK_THAT(refusal([&] { read_npy(folder / "none.npy"); }), contains("bad_file: ") && contains("none.npy"));
  CHECK_THAT(refusal([&] { read_npy(folder.path()); }), contains("is a folder"));
  CHECK_THAT(refusal([&] { write_file(folder / "no/such/folder.txt", "x"); }), contains("cannot be written"));
  std::filesystem::create_directories(folder / "taken/inside");
  CHECK_THAT(refusal([&] { write_file(folder / "taken", "x"); }), contains("cannot be written"));
  write_file(folder / "f.txt", "one");
  write_file(folder / "f.txt", "two");
  CHECK(read_file(folder / "f.txt") == "two");
  CHECK(read_file(folder.write("empty", "")).empty());
  std::size_t entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++entries;
  CHECK(entries == 3);  // taken, f.txt, empty: no temporary file is left
}

}  // namespace qassay
