// Numbers as the commands print them for people.
#pragma once

#include <cstdint>
#include <string>

#include "interpreter/numeric/type.hpp"

namespace qassay {

/// "4,294,967,296".
std::string grouped(std::uint64_t n);

/// "0x3fc66666": the bits, as wide as the type's storage.
std::string hexadecimal(Type type, std::uint64_t bits);

/// "1.55 (0x3fc66666)"; of an integer type only the decimal.
std::string value_text(Type type, std::uint64_t bits);

/// The same of a value by its order, NaN as ScalarFunction has it.
std::string value_text_by_order(Type type, std::int64_t order);

}  // namespace qassay
