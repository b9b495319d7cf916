// The logical types of tensor elements, as rows of data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace qassay {

enum class Type : std::uint8_t {
  boolean,
  int2,
  uint2,
  int4,
  uint4,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  float16,
  bfloat16,
  float32,
  float64,
};

enum class TypeKind : std::uint8_t { boolean, signed_integer, unsigned_integer, floating };

/// One logical type. A new format is a new row.
struct TypeRow {
  Type type;
  std::string_view name;
  TypeKind kind;
  int bits;           ///< width of the value, without padding
  int storage_bytes;  ///< bytes an element takes in memory and in a .npy file
  char npy_kind;      ///< '.npy' kind letter of the storage: b, i, u, f
  int precision;      ///< significant bits of a floating type, the hidden one included; 0 for integers
  int exponent_bits;  ///< of a floating type; the bias is 2^(exponent_bits-1) - 1
};

/// All types, in the order of the enumeration.
std::span<const TypeRow> type_rows();

const TypeRow& row(Type type);
std::string_view name(Type type);

/// The type called `name`; PyTorch's quint8, qint8, qint32 are accepted. Nothing if there is none.
std::optional<Type> type_named(std::string_view name);

bool is_integer(Type type);
bool is_floating(Type type);

/// The ends of an integer type.
std::int64_t lowest(Type integer);
std::int64_t highest(Type integer);

/// The exponent of the smallest normal number of a floating type, as in 2^e.
int lowest_exponent(Type floating);
/// The exponent of the largest finite number of a floating type.
int highest_exponent(Type floating);

/// A closed interval of codes.
struct CodeRange {
  std::int64_t lowest;
  std::int64_t highest;

  bool contains(std::int64_t code) const { return lowest <= code && code <= highest; }
  friend bool operator==(const CodeRange&, const CodeRange&) = default;
};

/// Every code of an integer type.
CodeRange code_range(Type integer);

}  // namespace qassay
