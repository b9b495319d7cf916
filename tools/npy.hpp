// .npy files, strictly read and wholly written.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "interpreter/tensor.hpp"

namespace qassay {

/// Reads format 1.0, 2.0 and 3.0, C or Fortran order, little- or big-endian. `logical` says what the elements are where
/// the file's own type can't: int2 and int4 in int8, uint2 and uint4 in uint8, bfloat16 in uint16. Throws
/// RequestError(bad_file) naming the file, the place and what was expected; RequestError(wrong_type) where `logical`
/// does not fit the file's type or a value is no code of it.
Tensor read_npy(const std::filesystem::path& file, std::optional<Type> logical = std::nullopt);

/// "x.npy" or "x.npy:int4". A side file x.json ({"type": "int4"}) is honoured where no type is given.
Tensor read_tensor(std::string_view path_and_type);

/// The bytes of a .npy file, format 1.0, little-endian, C order; the same bytes everywhere.
std::string npy_content(const Tensor& tensor);

/// Writes the file whole or not at all (a temporary file beside it, then a rename). Throws RequestError(bad_file).
void write_npy(const std::filesystem::path& file, const Tensor& tensor);

/// write_npy, and FILE.json with the logical type where .npy cannot say it.
void write_tensor(const std::filesystem::path& file, const Tensor& tensor);

/// Writes a text file whole or not at all. Throws RequestError(bad_file).
void write_file(const std::filesystem::path& file, std::string_view content);

/// Throws RequestError(bad_file).
std::string read_file(const std::filesystem::path& file);

}  // namespace qassay
