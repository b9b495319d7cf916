#include "tools/npy.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "interpreter/error.hpp"
#include "interpreter/nearest_names.hpp"
#include "tools/npy_header.hpp"

namespace qassay {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "\x93NUMPY";

/// Types that stand in a file as another.
struct StoredAs {
  Type logical;
  Type stored;
};
constexpr std::array kStoredAs{
    StoredAs{Type::int2, Type::int8},   StoredAs{Type::uint2, Type::uint8},     StoredAs{Type::int4, Type::int8},
    StoredAs{Type::uint4, Type::uint8}, StoredAs{Type::bfloat16, Type::uint16},
};

Type stored_type(Type logical) {
  const auto* found = std::ranges::find(kStoredAs, logical, &StoredAs::logical);
  return found == kStoredAs.end() ? logical : found->stored;
}

/// How many bytes the elements take. Nothing where that, or the extents that are not 0, do not fit.
std::optional<std::size_t> byte_count(const NpyHeader& header) {
  auto count = static_cast<std::int64_t>(row(header.type).storage_bytes);
  bool is_empty = false;
  for (const std::int64_t extent : header.shape) {
    if (extent == 0) is_empty = true;
    else if (__builtin_mul_overflow(count, extent, &count)) return std::nullopt;
  }
  return is_empty ? 0 : static_cast<std::size_t>(count);
}

/// The same values in C order.
Tensor in_c_order(const Tensor& fortran, const Shape& shape) {
  Tensor result(fortran.type(), shape);
  const auto width = static_cast<std::size_t>(row(fortran.type()).storage_bytes);
  std::vector<std::size_t> strides(shape.size());
  std::size_t stride = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    strides[d] = stride;
    stride *= static_cast<std::size_t>(shape[d]);
  }
  Shape index(shape.size(), 0);
  std::size_t from = 0;
  for (std::size_t to = 0; to < result.size(); ++to) {
    std::memcpy(result.bytes().data() + to * width, fortran.bytes().data() + from * width, width);
    for (std::size_t d = shape.size(); d-- > 0;) {
      from += strides[d];
      if (++index[d] < shape[d]) break;
      from -= strides[d] * static_cast<std::size_t>(shape[d]);
      index[d] = 0;
    }
  }
  return result;
}

void swap_bytes(Tensor& tensor) {
  const auto width = static_cast<std::ptrdiff_t>(row(tensor.type()).storage_bytes);
  for (auto at = tensor.bytes().begin(); at != tensor.bytes().end(); at += width) std::reverse(at, at + width);
}

void check_codes(const fs::path& file, const Tensor& tensor) {
  const Type type = tensor.type();
  if (type == Type::boolean) {
    for (std::size_t i = 0; i < tensor.size(); ++i) {
      if (tensor.bits(i) > 1) {
        throw RequestError(ErrorKind::wrong_type, fmt::format("{}: element {}: the byte {} is no bool, expected 0 or 1",
                                                              file.string(), i, tensor.bits(i)));
      }
    }
  }
  if (!is_integer(type) || row(type).bits == 8 * row(type).storage_bytes) return;
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    if (!code_range(type).contains(tensor.integer(i))) {
      throw RequestError(ErrorKind::wrong_type,
                         fmt::format("{}: element {}: {} is no {}, expected {} to {}, one value per byte",
                                     file.string(), i, tensor.integer(i), name(type), lowest(type), highest(type)));
    }
  }
}

/// The type of the elements as the reader wants them.
Type logical_type(const fs::path& file, Type stored, std::optional<Type> logical) {
  if (!logical || *logical == stored) return stored;
  if (stored_type(*logical) != stored) {
    throw RequestError(ErrorKind::wrong_type,
                       fmt::format("{}: holds {}, but {} was asked for, which is stored as {}", file.string(),
                                   name(stored), name(*logical), name(stored_type(*logical))));
  }
  return *logical;
}

fs::path side_file(const fs::path& file) {
  fs::path side = file;
  side.replace_extension(".json");
  return side;
}

/// The type in a side file. Throws RequestError(bad_file) where it is not one.
Type read_side_file(const fs::path& side) {
  const nlohmann::json json = nlohmann::json::parse(read_file(side), nullptr, false);
  if (json.is_object() && json.size() == 1 && json.contains("type") && json["type"].is_string()) {
    if (const auto type = type_named(json["type"].get<std::string>())) return *type;
  }
  throw RequestError(ErrorKind::bad_file,
                     fmt::format("{}: expected {{\"type\": TYPE}} about the .npy file beside it; give the type as "
                                 "FILE.npy:TYPE if it belongs to something else",
                                 side.string()));
}

}  // namespace

std::string read_file(const fs::path& file) {
  std::error_code error;
  if (fs::is_directory(file, error))
    throw RequestError(ErrorKind::bad_file, fmt::format("{}: is a folder, expected a file", file.string()));
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream content;
  if (stream.is_open() && stream.peek() != std::ifstream::traits_type::eof()) content << stream.rdbuf();
  if (!stream.is_open() || stream.bad()) {
    throw RequestError(ErrorKind::bad_file, fmt::format("{}: cannot be read: {}", file.string(), std::strerror(errno)));
  }
  return std::move(content).str();
}

void write_file(const fs::path& file, std::string_view content) {
  static std::atomic<unsigned> counter = 0;
  fs::path temporary = file;
  temporary.replace_filename(fmt::format(".{}.{}-{}.tmp", file.filename().string(), getpid(), counter++));
  const auto fail = [&](std::string_view why) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw RequestError(ErrorKind::bad_file, fmt::format("{}: cannot be written: {}", file.string(), why));
  };
  errno = 0;
  std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
  stream.write(content.data(), static_cast<std::streamsize>(content.size()));
  stream.close();
  if (!stream) fail(std::strerror(errno));
  std::error_code error;
  fs::rename(temporary, file, error);
  if (error) fail(error.message());
}

Tensor read_npy(const fs::path& file, std::optional<Type> logical) {
  const std::string content = read_file(file);
  const auto fail = [&](std::size_t at, const std::string& what) {
    throw RequestError(ErrorKind::bad_file, fmt::format("{}: byte {}: {}; {}", file.string(), at, what, kRewriteNpy));
  };
  if (!content.starts_with(kMagic)) fail(0, "does not start with \\x93NUMPY, so this is no .npy file");
  if (content.size() < 8) fail(content.size(), "ends inside the format version");
  const auto byte_at = [&](std::size_t at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(content[at]));
  };
  const std::size_t major = byte_at(6);
  if (major < 1 || major > 3 || byte_at(7) != 0) {
    fail(6, fmt::format("format version {}.{}, expected 1.0, 2.0 or 3.0", major, byte_at(7)));
  }
  const std::size_t start = major == 1 ? 10 : 12;
  if (content.size() < start) fail(content.size(), "ends inside the header's length");
  std::size_t header_length = 0;
  for (std::size_t at = start; at-- > 8;) header_length = header_length << 8U | byte_at(at);
  if (header_length > content.size() - start) {
    fail(content.size(), fmt::format("ends inside the header, which should have {} bytes", header_length));
  }
  const NpyHeader header = read_npy_header(file, std::string_view(content).substr(start, header_length), start);

  const std::size_t data_start = start + header_length;
  const std::optional<std::size_t> expected = byte_count(header);
  if (!expected) fail(start, fmt::format("the shape {} is too large for any memory", to_text(header.shape)));
  if (const std::size_t found = content.size() - data_start; found != *expected) {
    fail(std::min(content.size(), data_start + *expected),
         fmt::format("{} bytes of elements, expected {} for {} {}", found, *expected, name(header.type),
                     to_text(header.shape)));
  }
  // Byte order and Fortran order first, in the stored type; then the logical one.
  const Type type = logical_type(file, header.type, logical);
  Tensor tensor(type, header.shape);
  if (*expected > 0) std::memcpy(tensor.bytes().data(), content.data() + data_start, *expected);
  if (header.is_big_endian) swap_bytes(tensor);
  if (header.is_fortran_order && header.shape.size() > 1) tensor = in_c_order(tensor, header.shape);
  check_codes(file, tensor);
  return tensor;
}

Tensor read_tensor(std::string_view path_and_type) {
  const std::size_t colon = path_and_type.rfind(':');
  if (colon != std::string_view::npos) {
    const std::string_view word = path_and_type.substr(colon + 1);
    const std::string_view path = path_and_type.substr(0, colon);
    if (const auto type = type_named(word)) return read_npy(fs::path(path), type);
    if (path.ends_with(".npy") && !fs::exists(fs::path(path_and_type))) {
      std::vector<std::string> names;
      for (const TypeRow& known : type_rows()) names.emplace_back(known.name);
      throw RequestError(ErrorKind::bad_value,
                         fmt::format("{}: '{}' is no type{}", path_and_type, word, did_you_mean(word, names)));
    }
  }
  const fs::path file(path_and_type);
  std::error_code error;
  const fs::path side = side_file(file);
  if (side == file || !fs::exists(side, error)) return read_npy(file);
  return read_npy(file, read_side_file(side));
}

std::string npy_content(const Tensor& tensor) {
  const Type stored = stored_type(tensor.type());
  std::string shape;
  for (const std::int64_t extent : tensor.shape()) shape += fmt::format("{}, ", extent);
  if (tensor.shape().size() > 1) shape.resize(shape.size() - 2);
  else if (!shape.empty()) shape.resize(shape.size() - 1);
  std::string dictionary = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}",
                                       row(stored).storage_bytes == 1 ? '|' : '<', npy_type_code(stored), shape);
  constexpr std::size_t kStart = 10;
  constexpr std::size_t kAlignment = 64;
  const std::size_t padding = kAlignment - (kStart + dictionary.size() + 1) % kAlignment;
  dictionary.append(padding % kAlignment, ' ');
  dictionary += '\n';
  std::string content(kMagic);
  content += {'\x01', '\x00', static_cast<char>(dictionary.size() & 0xffU), static_cast<char>(dictionary.size() >> 8U)};
  content += dictionary;
  content.append(reinterpret_cast<const char*>(tensor.bytes().data()), tensor.bytes().size());
  return content;
}

void write_npy(const fs::path& file, const Tensor& tensor) {
  write_file(file, npy_content(tensor));
}

void write_tensor(const fs::path& file, const Tensor& tensor) {
  write_npy(file, tensor);
  const fs::path side = side_file(file);
  std::error_code error;
  if (stored_type(tensor.type()) != tensor.type()) {
    write_file(side, fmt::format("{{\"type\": \"{}\"}}\n", name(tensor.type())));
  } else if (fs::exists(side, error)) {
    read_side_file(side);  // throws where the file belongs to something else
    fs::remove(side, error);
  }
}

}  // namespace qassay
