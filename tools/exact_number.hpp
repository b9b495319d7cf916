// Numbers in cases that must be exact.
#pragma once

#include <cstdint>
#include <string_view>

#include "interpreter/numeric/type.hpp"

namespace qassay {

/// Whether the text is written exactly: a hex float, "bits:0x…", nan, inf, -inf, -0 or an integer.
bool is_written_exactly(std::string_view text);

/// Whether a hex float or an integer is a value of the type; texts of other forms are.
bool is_value_of(std::string_view text, Type type);

/// The bits of a number that is written exactly and is a value of the type. Throws RequestError(bad_value).
std::uint64_t parse_exact(std::string_view text, Type type);

}  // namespace qassay
