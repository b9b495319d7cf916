#include "tools/safetensors.hpp"

#include <string>

#include "catch.hpp"
#include "tools/temporary_folder.hpp"

namespace qassay {
namespace {

using testing::contains;
using testing::refusal;
using testing::TemporaryFolder;

std::string safetensors(const std::string& header, const std::string& data) {
  std::string length;
  for (std::size_t rest = header.size(), i = 0; i < 8; ++i, rest >>= 8) length += static_cast<char>(rest & 0xff);
  return length + header + data;
}

std::string entry(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

std::string reading(const std::string& content) {
  const TemporaryFolder folder;
  const auto file = folder.write("m.safetensors", content);
  return refusal([&] { Safetensors{file}; });
}

}  // namespace

TEST_CASE("safetensors: tensors come back with names, shapes and bits", "[safetensors]") {
  const TemporaryFolder folder;
  const auto file =
      folder.write("m.safetensors",
                   safetensors(R"({"__metadata__":{"format":"pt"},"b":)" + entry("BF16", "[2]", "[8,12]") + R"(,"a":)" +
                                   entry("F32", "[2,1]", "[0,8]") + R"(,"none":)" + entry("F16", "[0,3]", "[12,12]") +
                                   R"(,"scalar":)" + entry("I8", "[]", "[12,13]") + "}  ",
                               std::string("\0\0\xc0\x3f\0\0\0\x80\x80\x3f\x80\xbf\xfe", 13)));
  const Safetensors tensors(file);
  REQUIRE(tensors.entries().size() == 4);
  CHECK(tensors.entries()[0].name == "a");
  const Tensor a = tensors.read(tensors.entry("a"));
  CHECK(a.type() == Type::float32);
  CHECK(a.shape() == Shape{2, 1});
  CHECK(a.real(0) == 1.5);
  CHECK(a.bits(1) == 0x80000000);
  const Tensor b = tensors.read(tensors.entry("b"));
  CHECK(b.type() == Type::bfloat16);
  CHECK(b.real(0) == 1.0);
  CHECK(b.real(1) == -1.0);
  CHECK(tensors.read(tensors.entry("none")).size() == 0);
  CHECK(tensors.read(tensors.entry("scalar")).integer(0) == -2);
  CHECK_THAT(refusal([&] { tensors.entry("scalr"); }), contains("not_found: ") && contains("did you mean 'scalar'"));
}

TEST_CASE("safetensors: an element type that is not read here is refused when it is asked for", "[safetensors]") {
  const TemporaryFolder folder;
  const auto file =
      folder.write("m.safetensors", safetensors(R"({"w":)" + entry("F8_E4M3", "[2]", "[0,2]") + "}", "ab"));
  const Safetensors tensors(file);
  CHECK_THAT(refusal([&] { tensors.read(tensors.entry("w")); }),
             contains("wrong_type: ") && contains("'w'") && contains("F8_E4M3") && contains("F32"));
}

TEST_CASE("safetensors: malformed files are refused with the place", "[safetensors]") {
  const std::string w = R"({"w":)" + entry("F32", "[2]", "[0,8]") + "}";
  const std::string good = safetensors(w, std::string(8, '\0'));
  REQUIRE(reading(good).empty());

  SECTION("every truncation") {
    for (std::size_t size = 0; size < good.size(); ++size) {
      CAPTURE(size);
      CHECK_THAT(reading(good.substr(0, size)), contains("bad_file: ") && contains("m.safetensors"));
    }
  }
  SECTION("trailing bytes") {
    CHECK_THAT(reading(good + "x"), contains("1 bytes that belong to no tensor"));
  }
  SECTION("no header") {
    CHECK_THAT(reading("PK\3\4 a zip archive of PyTorch's"), contains("no .safetensors file"));
    CHECK_THAT(reading(safetensors(" " + w, std::string(8, '\0'))), contains("byte 8: expected '{'"));
    CHECK_THAT(reading(safetensors(R"({"w":)", "")), contains("bad_file: "));
  }
  SECTION("holes and overlaps") {
    CHECK_THAT(reading(safetensors(R"({"w":)" + entry("F32", "[1]", "[4,8]") + "}", std::string(8, '\0'))),
               contains("the tensor 'w' begins at byte"));
    CHECK_THAT(
        reading(safetensors(R"({"w":)" + entry("F32", "[2]", "[0,8]") + R"(,"v":)" + entry("F32", "[1]", "[4,8]") + "}",
                            std::string(8, '\0'))),
        contains("the tensor 'v' begins at byte"));
  }
  SECTION("entries") {
    const auto with = [&](const std::string& text) {
      return reading(safetensors(R"({"w":)" + text + "}", std::string(8, '\0')));
    };
    CHECK_THAT(with(entry("F31", "[2]", "[0,8]")), contains("/w/dtype: 'F31' is no element type"));
    CHECK_THAT(with(entry("F32", "[-2]", "[0,8]")), contains("/w/shape/0"));
    CHECK_THAT(with(entry("F32", "2", "[0,8]")), contains("/w/shape: found a number, expected a list"));
    CHECK_THAT(with(entry("F32", "[3]", "[0,8]")), contains("8 bytes of elements, expected 12 for F32 [3]"));
    CHECK_THAT(with(entry("F32", "[2]", "[0,9]")), contains("/w/data_offsets/1"));
    CHECK_THAT(with(entry("F32", "[2]", "[8,0]")), contains("/w/data_offsets/1"));
    CHECK_THAT(with(entry("F32", "[2]", "[0]")), contains("expected [begin, end]"));
    CHECK_THAT(with(entry("F32", "[4294967296,4294967296,4]", "[0,8]")), contains("too large for any file"));
    CHECK_THAT(with(entry("F4", "[3]", "[0,8]")), contains("end inside a byte"));
    CHECK_THAT(with(R"({"dtype":"F32","shape":[2]})"), contains("'data_offsets' is missing"));
    CHECK_THAT(with("[]"), contains("/w"));
  }
  SECTION("one name twice") {
    CHECK_THAT(
        reading(safetensors(R"({"w":)" + entry("F32", "[1]", "[0,4]") + R"(,"w":)" + entry("F32", "[1]", "[4,8]") + "}",
                            std::string(8, '\0'))),
        contains("'w' is given twice"));
  }
  SECTION("no file") {
    const TemporaryFolder folder;
    CHECK_THAT(refusal([&] { Safetensors{folder / "none.safetensors"}; }), contains("cannot be read"));
    CHECK_THAT(refusal([&] { Safetensors{folder.path()}; }), contains("is a folder"));
  }
}

}  // namespace qassay
