#include "tools/json_document.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>

#include "interpreter/error.hpp"
#include "interpreter/nearest_names.hpp"
#include "tools/npy.hpp"

namespace qassay {
namespace {

using Kind = JsonValue::Kind;

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::null: return "null";
    case Kind::boolean: return "a boolean";
    case Kind::number: return "a number";
    case Kind::string: return "a string";
    case Kind::array: return "a list";
    case Kind::object: return "an object";
  }
  return {};
}

std::string pointer_token(std::string_view key) {
  std::string token;
  for (const char c : key) {
    if (c == '~') token += "~0";
    else if (c == '/') token += "~1";
    else token += c;
  }
  return token;
}

/// Takes the parser's events and builds the value, bottom up.
class Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(std::string_view file) : file_(std::make_shared<std::string>(file)) {}

  JsonValue take() {
    place(root_, "");
    return std::move(root_);
  }
  const std::string& error() const { return error_; }

  bool null() override { return add(Kind::null, ""); }
  bool boolean(bool value) override { return add(Kind::boolean, value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return add(Kind::number, std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return add(Kind::number, std::to_string(value)); }
  bool number_float(number_float_t /*nearest*/, const string_t& text) override { return add(Kind::number, text); }
  bool string(string_t& text) override { return add(Kind::string, text); }
  bool binary(binary_t& /*bytes*/) override { return false; }
  bool start_object(std::size_t /*size*/) override { return open(Kind::object); }
  bool start_array(std::size_t /*size*/) override { return open(Kind::array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& key) override {
    std::vector<std::string>& keys = open_.back().keys;
    if (std::ranges::find(keys, key) != keys.end()) {
      error_ = fmt::format("the key '{}' is given twice in one object; keep one", key);
      return false;
    }
    keys.push_back(key);
    return true;
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::json::exception& exception) override {
    error_ = exception.what();
    if (const std::size_t end = error_.find("] "); error_.starts_with('[') && end != std::string::npos)
      error_.erase(0, end + 2);
    return false;
  }

 private:
  bool add(Kind kind, std::string text) {
    JsonValue value;
    value.kind = kind;
    value.text = std::move(text);
    return finish(std::move(value));
  }
  bool open(Kind kind) {
    open_.emplace_back();
    open_.back().kind = kind;
    return true;
  }
  bool close() {
    JsonValue value = std::move(open_.back());
    open_.pop_back();
    return finish(std::move(value));
  }
  bool finish(JsonValue value) {
    if (open_.empty()) root_ = std::move(value);
    else open_.back().items.push_back(std::move(value));
    return true;
  }
  void place(JsonValue& value, std::string pointer) const {
    value.file = file_;
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      place(value.items[i], fmt::format("{}/{}", pointer,
                                        value.kind == Kind::object ? pointer_token(value.keys[i]) : std::to_string(i)));
    }
    value.pointer = std::move(pointer);
  }

  std::shared_ptr<const std::string> file_;
  std::vector<JsonValue> open_;
  JsonValue root_;
  std::string error_;
};

/// Whether a sign stands in an exponent, as in 1e-05.
bool is_within_number(std::string_view text, std::size_t at) {
  return at > 0 && (text[at - 1] == 'e' || text[at - 1] == 'E');
}

/// The parser reads -0 as the integer 0.
void refuse_negative_zero(std::string_view text, std::string_view file) {
  bool in_string = false;
  std::size_t line = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (in_string && c == '\\') ++i;
    else if (c == '"') in_string = !in_string;
    else if (!in_string && text.substr(i, 2) == "-0" && !is_within_number(text, i) &&
             (i + 2 == text.size() || !std::strchr(".eE", text[i + 2]))) {
      throw RequestError(ErrorKind::bad_file, fmt::format("{}: line {}: the number -0 loses its sign with many "
                                                          "readers; write the string \"-0\"",
                                                          file, line));
    }
  }
}

}  // namespace

std::string JsonValue::place() const {
  return fmt::format("{}: {}", *file, pointer.empty() ? "/" : pointer);
}

void JsonValue::fail(std::string_view message) const {
  throw RequestError(ErrorKind::bad_file, fmt::format("{}: {}", place(), message));
}

void JsonValue::expect_keys(std::initializer_list<std::string_view> allowed) const {
  if (kind != Kind::object) fail(fmt::format("found {}, expected an object", kind_name(kind)));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (std::ranges::find(allowed, keys[i]) != allowed.end()) continue;
    const std::vector<std::string> names(allowed.begin(), allowed.end());
    items[i].fail(
        fmt::format("unknown key{}; the keys here are {}", did_you_mean(keys[i], names), fmt::join(names, ", ")));
  }
}

const JsonValue* JsonValue::find(std::string_view key) const {
  if (kind != Kind::object) return nullptr;
  const auto found = std::ranges::find(keys, key);
  return found == keys.end() ? nullptr : &items[static_cast<std::size_t>(found - keys.begin())];
}

const JsonValue& JsonValue::at(std::string_view key) const {
  if (kind != Kind::object) fail(fmt::format("found {}, expected an object", kind_name(kind)));
  if (const JsonValue* found = find(key)) return *found;
  fail(fmt::format("the key '{}' is missing", key));
}

const std::string& JsonValue::string() const {
  if (kind != Kind::string) fail(fmt::format("found {}, expected a string", kind_name(kind)));
  return text;
}

std::string JsonValue::sentence() const {
  if (string().empty()) fail("is empty");
  return text;
}

const std::vector<JsonValue>& JsonValue::array() const {
  if (kind != Kind::array) fail(fmt::format("found {}, expected a list", kind_name(kind)));
  return items;
}

std::int64_t JsonValue::integer(std::int64_t lowest, std::int64_t highest) const {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (kind != Kind::number || error != std::errc{} || end != text.data() + text.size() || value < lowest ||
      value > highest) {
    fail(fmt::format("found {}, expected an integer from {} to {}", kind == Kind::number ? text : kind_name(kind),
                     lowest, highest));
  }
  return value;
}

std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string JsonValue::dump() const {
  switch (kind) {
    case Kind::null: return "null";
    case Kind::boolean:
    case Kind::number: return text;
    case Kind::string: return json_string(text);
    default: break;
  }
  std::string result;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) result += ", ";
    if (kind == Kind::object) result += json_string(keys[i]) + ": ";
    result += items[i].dump();
  }
  return kind == Kind::object ? "{" + result + "}" : "[" + result + "]";
}

JsonValue parse_json(std::string_view text, std::string_view file) {
  Builder builder(file);
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) {
    throw RequestError(ErrorKind::bad_file, fmt::format("{}: {}", file, builder.error()));
  }
  refuse_negative_zero(text, file);
  return builder.take();
}

JsonValue read_json(const std::filesystem::path& file) {
  return parse_json(read_file(file), file.string());
}

}  // namespace qassay
