// JSON as it was written: members in their order, numbers as their text, every value with its place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace qassay {

struct JsonValue {
  enum class Kind : std::uint8_t { null, boolean, number, string, array, object };

  Kind kind = Kind::null;
  std::string text;              ///< a string's characters, a number's digits, "true" or "false"
  std::vector<JsonValue> items;  ///< of an array; the values of an object
  std::vector<std::string> keys;
  std::string pointer;  ///< RFC 6901: "/groups/3/id"; "" is the whole document
  std::shared_ptr<const std::string> file;

  bool is(Kind other) const { return kind == other; }

  /// "FILE: /groups/3/id"
  std::string place() const;
  /// Throws RequestError(bad_file): "FILE: /groups/3/id: MESSAGE".
  [[noreturn]] void fail(std::string_view message) const;

  /// Fails unless this is an object with no other keys than these.
  void expect_keys(std::initializer_list<std::string_view> allowed) const;
  const JsonValue* find(std::string_view key) const;
  /// The member; fails where there is none.
  const JsonValue& at(std::string_view key) const;

  /// The value as what it must be; fails where it is something else.
  const std::string& string() const;
  std::string sentence() const;  ///< a string that is not empty
  const std::vector<JsonValue>& array() const;
  std::int64_t integer(std::int64_t lowest, std::int64_t highest) const;

  /// On one line, numbers as they were written.
  std::string dump() const;
};

/// Throws RequestError(bad_file) for what is no JSON, for a key given twice, and for the number -0, whose sign not
/// every reader keeps.
JsonValue parse_json(std::string_view text, std::string_view file);
JsonValue read_json(const std::filesystem::path& file);

/// A JSON string literal.
std::string json_string(std::string_view text);

}  // namespace qassay
