#include "tools/npy_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "interpreter/error.hpp"

namespace qassay {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostDimensions = 64;  // as many as NumPy has
/// What can stand in a .npy file, by kind letter and bytes.
struct FileType {
  std::string_view code;
  Type type;
};
constexpr std::array kFileTypes{
    FileType{"b1", Type::boolean}, FileType{"i1", Type::int8},    FileType{"u1", Type::uint8},
    FileType{"i2", Type::int16},   FileType{"u2", Type::uint16},  FileType{"i4", Type::int32},
    FileType{"u4", Type::uint32},  FileType{"i8", Type::int64},   FileType{"f2", Type::float16},
    FileType{"f4", Type::float32}, FileType{"f8", Type::float64},
};

/// Reads the dictionary in the header: a Python literal with the keys descr, fortran_order and shape, each once.
class HeaderReader {
 public:
  HeaderReader(const fs::path& file, std::string_view text, std::size_t offset)
      : file_(file), text_(text), offset_(offset) {}

  NpyHeader read() {
    NpyHeader header;
    bool has_descr = false;
    bool has_order = false;
    bool has_shape = false;
    expect('{');
    while (!try_character('}')) {
      skip_space();
      const std::size_t at = place_;
      const std::string key = quoted();
      expect(':');
      if (key == "descr" && !std::exchange(has_descr, true)) read_descr(header);
      else if (key == "fortran_order" && !std::exchange(has_order, true)) header.is_fortran_order = boolean();
      else if (key == "shape" && !std::exchange(has_shape, true)) header.shape = shape();
      else fail(at, "one each of 'descr', 'fortran_order' and 'shape'");
      if (!try_character(',')) {
        expect('}');
        break;
      }
    }
    if (!has_descr || !has_order || !has_shape) fail(place_, "all of 'descr', 'fortran_order' and 'shape'");
    skip_space();
    if (place_ != text_.size()) fail(place_, "nothing but spaces and one newline after the dictionary");
    return header;
  }

 private:
  [[noreturn]] void fail(std::size_t at, std::string_view expected) const {
    const std::string found = at < text_.size() ? fmt::format("'{}'", text_.substr(at, 20)) : "the header's end";
    throw RequestError(ErrorKind::bad_file, fmt::format("{}: byte {}: found {}, expected {}; {}", file_.string(),
                                                        offset_ + at, found, expected, kRewriteNpy));
  }
  void skip_space() {
    while (place_ < text_.size() && (text_[place_] == ' ' || text_[place_] == '\n' || text_[place_] == '\t')) ++place_;
  }
  bool try_character(char c) {
    skip_space();
    if (place_ >= text_.size() || text_[place_] != c) return false;
    ++place_;
    return true;
  }
  void expect(char c) {
    if (!try_character(c)) fail(place_, fmt::format("'{}'", c));
  }
  bool try_word(std::string_view word) {
    skip_space();
    if (!text_.substr(place_).starts_with(word)) return false;
    place_ += word.size();
    return true;
  }
  std::string quoted() {
    skip_space();
    const char quote = place_ < text_.size() ? text_[place_] : '\0';
    if (quote != '\'' && quote != '"') fail(place_, "a quoted string");
    const std::size_t end = text_.find(quote, place_ + 1);
    if (end == std::string_view::npos) fail(place_, "a quoted string that ends");
    std::string result(text_.substr(place_ + 1, end - place_ - 1));
    place_ = end + 1;
    return result;
  }
  bool boolean() {
    if (try_word("True")) return true;
    if (try_word("False")) return false;
    fail(place_, "True or False");
  }
  void read_descr(NpyHeader& header) {
    skip_space();
    const std::size_t at = place_;
    if (place_ < text_.size() && text_[place_] == '[') fail(at, "a simple element type; structured arrays have none");
    const std::string descr = quoted();
    const auto* found = descr.empty()
                            ? kFileTypes.end()
                            : std::ranges::find(kFileTypes, std::string_view(descr).substr(1), &FileType::code);
    if (found == kFileTypes.end() || std::string_view("<>|").find(descr[0]) == std::string_view::npos ||
        (descr[0] == '|' && row(found->type).storage_bytes > 1)) {
      fail(at, "one of |b1 |i1 |u1 <i2 <u2 <i4 <u4 <i8 <f2 <f4 <f8 or the same with '>'");
    }
    header.type = found->type;
    header.is_big_endian = descr[0] == '>';
  }
  Shape shape() {
    Shape result;
    expect('(');
    bool has_comma = false;
    while (!try_character(')')) {
      skip_space();
      std::int64_t extent = 0;
      const char* const begin = text_.data() + place_;
      const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), extent);
      if (error != std::errc{} || extent < 0 || *begin == '-') fail(place_, "an extent from 0 to 2^63 - 1");
      place_ += static_cast<std::size_t>(end - begin);
      result.push_back(extent);
      if (result.size() > kMostDimensions) fail(place_, fmt::format("at most {} extents", kMostDimensions));
      if (!try_character(',')) {
        if (!has_comma) fail(place_, "',' (a shape of rank 1 is written (3,))");
        expect(')');
        break;
      }
      has_comma = true;
    }
    return result;
  }

  const fs::path& file_;
  std::string_view text_;
  std::size_t offset_;
  std::size_t place_ = 0;
};

}  // namespace

NpyHeader read_npy_header(const fs::path& file, std::string_view text, std::size_t offset) {
  return HeaderReader(file, text, offset).read();
}

std::string_view npy_type_code(Type stored) {
  return std::ranges::find(kFileTypes, stored, &FileType::type)->code;
}

}  // namespace qassay
