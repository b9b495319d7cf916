#include "interpreter/numeric/type.hpp"

#include <algorithm>
#include <array>

namespace qassay {
namespace {

using enum TypeKind;

constexpr std::array kRows{
    TypeRow{Type::boolean, "bool", boolean, 1, 1, 'b', 0, 0},
    TypeRow{Type::int2, "int2", signed_integer, 2, 1, 'i', 0, 0},
    TypeRow{Type::uint2, "uint2", unsigned_integer, 2, 1, 'u', 0, 0},
    TypeRow{Type::int4, "int4", signed_integer, 4, 1, 'i', 0, 0},
    TypeRow{Type::uint4, "uint4", unsigned_integer, 4, 1, 'u', 0, 0},
    TypeRow{Type::int8, "int8", signed_integer, 8, 1, 'i', 0, 0},
    TypeRow{Type::uint8, "uint8", unsigned_integer, 8, 1, 'u', 0, 0},
    TypeRow{Type::int16, "int16", signed_integer, 16, 2, 'i', 0, 0},
    TypeRow{Type::uint16, "uint16", unsigned_integer, 16, 2, 'u', 0, 0},
    TypeRow{Type::int32, "int32", signed_integer, 32, 4, 'i', 0, 0},
    TypeRow{Type::uint32, "uint32", unsigned_integer, 32, 4, 'u', 0, 0},
    TypeRow{Type::int64, "int64", signed_integer, 64, 8, 'i', 0, 0},
    TypeRow{Type::float16, "float16", floating, 16, 2, 'f', 11, 5},
    TypeRow{Type::bfloat16, "bfloat16", floating, 16, 2, 'u', 8, 8},
    TypeRow{Type::float32, "float32", floating, 32, 4, 'f', 24, 8},
    TypeRow{Type::float64, "float64", floating, 64, 8, 'f', 53, 11},
};

struct Alias {
  std::string_view name;
  Type type;
};
constexpr std::array kAliases{Alias{"quint8", Type::uint8}, Alias{"qint8", Type::int8}, Alias{"qint32", Type::int32}};

}  // namespace

std::span<const TypeRow> type_rows() {
  return kRows;
}

const TypeRow& row(Type type) {
  return kRows[static_cast<std::size_t>(type)];
}

std::string_view name(Type type) {
  return row(type).name;
}

std::optional<Type> type_named(std::string_view name) {
  if (const auto* found = std::ranges::find(kRows, name, &TypeRow::name); found != kRows.end()) return found->type;
  if (const auto* found = std::ranges::find(kAliases, name, &Alias::name); found != kAliases.end()) return found->type;
  return std::nullopt;
}

bool is_integer(Type type) {
  return row(type).kind == signed_integer || row(type).kind == unsigned_integer;
}

bool is_floating(Type type) {
  return row(type).kind == floating;
}

std::int64_t lowest(Type integer) {
  return row(integer).kind == signed_integer ? -1 - highest(integer) : 0;
}

std::int64_t highest(Type integer) {
  const TypeRow& r = row(integer);
  const int magnitude_bits = r.kind == signed_integer ? r.bits - 1 : r.bits;
  return static_cast<std::int64_t>((std::uint64_t{1} << magnitude_bits) - 1);
}

int lowest_exponent(Type floating) {
  return 2 - (1 << (row(floating).exponent_bits - 1));
}

int highest_exponent(Type floating) {
  return (1 << (row(floating).exponent_bits - 1)) - 1;
}

CodeRange code_range(Type integer) {
  return {lowest(integer), highest(integer)};
}

}  // namespace qassay
