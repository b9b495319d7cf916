#include "tools/number_words.hpp"

#include <fmt/format.h>

#include "interpreter/arguments.hpp"
#include "tools/diagnosis/scalar_function.hpp"
#include "tools/generators.hpp"

namespace qassay {

std::string grouped(std::uint64_t n) {
  std::string digits = std::to_string(n);
  for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > 0; i -= 3)
    digits.insert(static_cast<std::size_t>(i), ",");
  return digits;
}

std::string hexadecimal(Type type, std::uint64_t bits) {
  return fmt::format("0x{:0{}x}", bits, 2 * row(type).storage_bytes);
}

std::string value_text(Type type, std::uint64_t bits) {
  if (!is_floating(type)) return decimal_text(type, bits);
  return fmt::format("{} ({})", decimal_text(type, bits), hexadecimal(type, bits));
}

std::string value_text_by_order(Type type, std::int64_t order) {
  return order == ScalarFunction::kNanOutput ? "nan" : value_text(type, bits_at(type, order));
}

}  // namespace qassay
