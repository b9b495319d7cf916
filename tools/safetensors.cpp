#include "tools/safetensors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "interpreter/error.hpp"
#include "interpreter/nearest_names.hpp"
#include "tools/json_document.hpp"
#include "tools/npy.hpp"

namespace qassay {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kLongestHeader = 100'000'000;  // as the format's own reader has it
constexpr std::size_t kHighestRank = 64;

/// An element type of the format: its width, and what it is here.
struct Dtype {
  std::string_view name;
  std::uint64_t bits;
  std::optional<Type> type;
};
constexpr std::array kDtypes{
    Dtype{"F64", 64, Type::float64},   Dtype{"F32", 32, Type::float32},   Dtype{"F16", 16, Type::float16},
    Dtype{"BF16", 16, Type::bfloat16}, Dtype{"I64", 64, Type::int64},     Dtype{"I32", 32, Type::int32},
    Dtype{"I16", 16, Type::int16},     Dtype{"I8", 8, Type::int8},        Dtype{"U64", 64, std::nullopt},
    Dtype{"U32", 32, Type::uint32},    Dtype{"U16", 16, Type::uint16},    Dtype{"U8", 8, Type::uint8},
    Dtype{"BOOL", 8, Type::boolean},   Dtype{"F8_E4M3", 8, std::nullopt}, Dtype{"F8_E5M2", 8, std::nullopt},
    Dtype{"F8_E8M0", 8, std::nullopt}, Dtype{"C64", 64, std::nullopt},    Dtype{"F4", 4, std::nullopt},
    Dtype{"F6_E2M3", 6, std::nullopt}, Dtype{"F6_E3M2", 6, std::nullopt},
};

const Dtype& dtype_of(const JsonValue& value) {
  const auto* const found = std::ranges::find(kDtypes, value.string(), &Dtype::name);
  if (found != kDtypes.end()) return *found;
  std::vector<std::string_view> names;
  for (const Dtype& known : kDtypes) names.push_back(known.name);
  value.fail(fmt::format("'{}' is no element type, expected one of {}", value.string(), fmt::join(names, ", ")));
}

Shape shape_of(const JsonValue& value) {
  Shape shape;
  for (const JsonValue& extent : value.array()) shape.push_back(extent.integer(0, INT64_MAX));
  if (shape.size() > kHighestRank) value.fail(fmt::format("expected at most {} extents", kHighestRank));
  return shape;
}

/// How many bytes the elements take; fails where that fits no file.
std::uint64_t byte_count(const Dtype& dtype, const Shape& shape, const JsonValue& place) {
  std::uint64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (__builtin_mul_overflow(count, static_cast<std::uint64_t>(extent), &count))
      place.fail(fmt::format("{} is too large for any file", to_text(shape)));
  }
  if (__builtin_mul_overflow(count, dtype.bits, &count))
    place.fail(fmt::format("{} is too large for any file", to_text(shape)));
  if (count % 8 != 0) place.fail(fmt::format("{} {} elements end inside a byte", to_text(shape), dtype.name));
  return count / 8;
}

std::uint64_t little_endian(const std::array<char, kLengthBytes>& bytes) {
  std::uint64_t value = 0;
  for (std::size_t at = bytes.size(); at-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[at]);
  return value;
}

}  // namespace

Safetensors::Safetensors(fs::path file) : file_(std::move(file)) {
  std::error_code error;
  if (fs::is_directory(file_, error)) fail("is a folder, expected a file");
  errno = 0;
  std::ifstream stream(file_, std::ios::binary);
  const std::uint64_t size = fs::file_size(file_, error);
  if (!stream.is_open() || error)
    fail(fmt::format("cannot be read: {}", error ? error.message() : std::strerror(errno)));
  std::array<char, kLengthBytes> length_bytes{};
  if (size < kLengthBytes || !stream.read(length_bytes.data(), kLengthBytes))
    fail(fmt::format("byte 0: has {} bytes, expected the header's length in 8", size));
  const std::uint64_t length = little_endian(length_bytes);
  if (length > kLongestHeader || length > size - kLengthBytes) {
    fail(
        fmt::format("byte 0: a header of {} bytes, expected at most {}; this is no .safetensors file, or not all of it",
                    length, std::min(kLongestHeader, size - kLengthBytes)));
  }
  std::string header(static_cast<std::size_t>(length), '\0');
  stream.read(header.data(), static_cast<std::streamsize>(length));
  if (!stream) fail(fmt::format("cannot be read: {}", std::strerror(errno)));
  if (!header.starts_with('{')) fail("byte 8: expected '{', where the header's JSON begins");
  read_entries(header, kLengthBytes + length, size - kLengthBytes - length);
}

void Safetensors::read_entries(std::string_view header, std::uint64_t data_begin, std::uint64_t data_size) {
  const JsonValue root = parse_json(header, fmt::format("{}: header", file_.string()));
  for (std::size_t i = 0; i < root.items.size(); ++i) {
    const JsonValue& item = root.items[i];
    if (root.keys[i] == "__metadata__") continue;
    item.expect_keys({"dtype", "shape", "data_offsets"});
    const Dtype& dtype = dtype_of(item.at("dtype"));
    const JsonValue& offsets = item.at("data_offsets");
    if (offsets.array().size() != 2) offsets.fail("expected [begin, end]");
    SafetensorsEntry entry{root.keys[i], std::string(dtype.name), dtype.type, shape_of(item.at("shape")), 0, 0};
    const std::uint64_t expected = byte_count(dtype, entry.shape, item.at("shape"));
    const auto limit = static_cast<std::int64_t>(data_size);
    const auto begin = static_cast<std::uint64_t>(offsets.items[0].integer(0, limit));
    const auto end = static_cast<std::uint64_t>(offsets.items[1].integer(static_cast<std::int64_t>(begin), limit));
    if (end - begin != expected) {
      offsets.fail(fmt::format("{} bytes of elements, expected {} for {} {}", end - begin, expected, dtype.name,
                               to_text(entry.shape)));
    }
    entry.begin = data_begin + begin;
    entry.end = data_begin + end;
    entries_.push_back(std::move(entry));
  }
  std::ranges::stable_sort(entries_, {}, [](const SafetensorsEntry& e) { return std::pair(e.begin, e.end); });
  // The format allows neither holes nor overlaps.
  std::uint64_t place = data_begin;
  for (const SafetensorsEntry& entry : entries_) {
    if (entry.begin != place) {
      fail(fmt::format("byte {}: the tensor '{}' begins at byte {}; expected no hole and no overlap", place, entry.name,
                       entry.begin));
    }
    place = entry.end;
  }
  if (place != data_begin + data_size)
    fail(fmt::format("byte {}: {} bytes that belong to no tensor", place, data_begin + data_size - place));
}

const SafetensorsEntry& Safetensors::entry(std::string_view name) const {
  const auto found = std::ranges::find(entries_, name, &SafetensorsEntry::name);
  if (found != entries_.end()) return *found;
  std::vector<std::string> names;
  for (const SafetensorsEntry& known : entries_) names.push_back(known.name);
  throw RequestError(ErrorKind::not_found, fmt::format("{}: no tensor '{}' among {}{}", file_.string(), name,
                                                       names.size(), did_you_mean(name, names)));
}

Tensor Safetensors::read(const SafetensorsEntry& entry) const {
  if (!entry.type) {
    throw RequestError(ErrorKind::wrong_type,
                       fmt::format("{}: tensor '{}': holds {}, which qassay does not read; write it as F32",
                                   file_.string(), entry.name, entry.dtype));
  }
  Tensor tensor = Tensor::uncleared(*entry.type, entry.shape);
  std::ifstream stream(file_, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(entry.begin));
  stream.read(reinterpret_cast<char*>(tensor.bytes().data()), static_cast<std::streamsize>(tensor.bytes().size()));
  if (!stream) fail(fmt::format("tensor '{}': cannot be read: {}", entry.name, std::strerror(errno)));
  return tensor;
}

void Safetensors::fail(std::string_view message) const {
  throw RequestError(ErrorKind::bad_file, fmt::format("{}: {}", file_.string(), message));
}

}  // namespace qassay
