// .safetensors files: a header of JSON, then the tensors' bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/tensor.hpp"

namespace qassay {

/// A tensor as the header describes it.
struct SafetensorsEntry {
  std::string name;
  std::string dtype;  ///< as written: "F32", "BF16", "F8_E4M3"
  std::optional<Type> type;
  Shape shape;
  std::uint64_t begin = 0;  ///< of its bytes in the file
  std::uint64_t end = 0;
};

/// One file. The header is read and checked at once, elements when they are asked for.
class Safetensors {
 public:
  /// Throws RequestError(bad_file) naming the file, the place and what was expected.
  explicit Safetensors(std::filesystem::path file);

  /// In the order of their bytes.
  const std::vector<SafetensorsEntry>& entries() const { return entries_; }
  /// Throws RequestError(not_found) that offers the nearest names.
  const SafetensorsEntry& entry(std::string_view name) const;
  /// Throws RequestError(wrong_type) for an element type that Tensor does not have.
  Tensor read(const SafetensorsEntry& entry) const;

 private:
  void read_entries(std::string_view header, std::uint64_t data_begin, std::uint64_t data_size);
  [[noreturn]] void fail(std::string_view message) const;

  std::filesystem::path file_;
  std::vector<SafetensorsEntry> entries_;
};

}  // namespace qassay
