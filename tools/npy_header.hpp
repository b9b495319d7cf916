// The header of a .npy file: a Python dictionary.
#pragma once

#include <filesystem>
#include <string_view>

#include "interpreter/tensor.hpp"

namespace qassay {

struct NpyHeader {
  Type type = Type::float32;
  bool is_big_endian = false;
  bool is_fortran_order = false;
  Shape shape;
};

inline constexpr std::string_view kRewriteNpy = "write it again with numpy.save";

/// The dictionary with the keys descr, fortran_order and shape, each once. `offset` is its place in the file. Throws
/// RequestError(bad_file) naming the byte and what was expected there.
NpyHeader read_npy_header(const std::filesystem::path& file, std::string_view text, std::size_t offset);

/// "i2" of int16. The type must be one that .npy has.
std::string_view npy_type_code(Type stored);

}  // namespace qassay
