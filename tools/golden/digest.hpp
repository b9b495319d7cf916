// SHA-256.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace qassay {

/// In small hexadecimal digits.
std::string sha256(std::span<const std::byte> bytes);
std::string sha256(std::string_view text);

}  // namespace qassay
