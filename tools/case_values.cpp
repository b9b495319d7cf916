#include "tools/case_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "interpreter/nearest_names.hpp"
#include "tools/exact_number.hpp"

namespace qassay {
namespace {

constexpr std::string_view kExactForms =
    "a hex float such as \"0x1.8p-3\", \"bits:0x…\", \"nan\", \"inf\", \"-inf\", \"-0\" or an integer";

using Kind = JsonValue::Kind;

Type type_of(const JsonValue& json) {
  if (const std::optional<Type> type = type_named(json.string())) return *type;
  std::vector<std::string> names;
  for (const TypeRow& known : type_rows()) names.emplace_back(known.name);
  json.fail(fmt::format("'{}' is no type{}; expected one of {}", json.text, did_you_mean(json.text, names),
                        fmt::join(names, ", ")));
}

Shape shape_of(const JsonValue& json) {
  Shape shape;
  std::int64_t count = 1;
  for (const JsonValue& extent : json.array()) {
    shape.push_back(extent.integer(0, std::int64_t{1} << 40));
    if (__builtin_mul_overflow(count, std::max<std::int64_t>(shape.back(), 1), &count) || count > (1LL << 40))
      json.fail("has more than 2^40 elements");
  }
  return shape;
}

CaseNumber plain_number(const JsonValue& json) {
  const auto [text, type] = split_type(json);
  if (type) json.fail("a type after the colon has no place in a list; give \"type\" beside \"values\"");
  return number_of(json, text);
}

std::vector<CaseNumber> numbers_of(const JsonValue& json) {
  std::vector<CaseNumber> numbers;
  for (const JsonValue& item : json.array()) numbers.push_back(plain_number(item));
  return numbers;
}

/// An output's number: exact in whatever form.
CaseNumber expected_number(const JsonValue& json) {
  CaseNumber number = plain_number(json);
  if (json.is(Kind::number) && !is_written_exactly(number.text)) {
    json.fail(fmt::format("the decimal {} is no exact expectation; write {}", number.text, kExactForms));
  }
  number.must_be_exact = !json.is(Kind::boolean);
  return number;
}

std::uint64_t count_of(const JsonValue& json, std::string_view key, std::int64_t lowest, std::int64_t highest) {
  return static_cast<std::uint64_t>(json.at(key).integer(lowest, highest));
}

Generator generator_of(const JsonValue& json) {
  using Generated = Generator::Kind;
  Generator generator;
  if (json.is(Kind::string)) {
    if (json.text == "boundary") generator.kind = Generated::boundary;
    else if (json.text == "exhaustive") generator.kind = Generated::exhaustive;
    else if (json.text == "special") generator.kind = Generated::special;
    else
      json.fail(fmt::format("no generator '{}'{}; \"boundary\", \"exhaustive\" and \"special\" stand alone", json.text,
                            did_you_mean(json.text, {"boundary", "exhaustive", "special"})));
    return generator;
  }
  json.expect_keys({"boundary", "random", "stride", "values"});
  if (json.keys.size() != 1) json.fail("expected one generator in an object");
  const JsonValue& options = json.items[0];
  if (json.keys[0] == "boundary") {
    generator.kind = Generated::boundary;
    options.expect_keys({"codes"});
    generator.steps = count_of(options, "codes", 1, 1 << 20);
  } else if (json.keys[0] == "random") {
    generator.kind = Generated::random;
    options.expect_keys({"count", "seed"});
    generator.count = count_of(options, "count", 1, 1 << 26);
    generator.seed = count_of(options, "seed", 0, INT64_MAX);
  } else if (json.keys[0] == "stride") {
    generator.kind = Generated::stride;
    options.expect_keys({"step", "offset"});
    generator.step = count_of(options, "step", 1, UINT32_MAX);
    generator.offset = count_of(options, "offset", 0, UINT32_MAX);
  } else {
    generator.kind = Generated::values;
    generator.values = numbers_of(options);
    if (generator.values.empty()) options.fail("is empty");
  }
  return generator;
}

}  // namespace

std::pair<std::string, std::optional<Type>> split_type(const JsonValue& json) {
  const std::string& text = json.text;
  const std::size_t colon = text.rfind(':');
  if (!json.is(Kind::string) || colon == std::string::npos || text.substr(0, colon) == "bits") return {text, {}};
  const std::optional<Type> type = type_named(std::string_view(text).substr(colon + 1));
  if (!type) json.fail(fmt::format("'{}' is no type", text.substr(colon + 1)));
  return {text.substr(0, colon), type};
}

CaseNumber number_of(const JsonValue& json, const std::string& text) {
  if (json.is(Kind::string) && !is_written_exactly(text)) {
    json.fail(fmt::format("'{}' is not exact, and a string must be: write {}, or a JSON number for the nearest value",
                          text, kExactForms));
  }
  if (!json.is(Kind::string) && !json.is(Kind::number) && !json.is(Kind::boolean)) json.fail("is no number");
  return {text, json.is(Kind::string), json.place()};
}

StatedElement stated_element(const JsonValue& json) {
  using Stated = StatedElement::Kind;
  if (json.is(Kind::string) && json.text == "unspecified") return {Stated::unspecified, {}};
  if (!json.is(Kind::object)) return {Stated::exact, {expected_number(json)}};
  json.expect_keys({"either", "between"});
  if (json.keys.size() != 1) json.fail("expected one of {\"either\": [...]} and {\"between\": [lowest, highest]}");
  StatedElement element{json.keys[0] == "either" ? Stated::either : Stated::between, {}};
  for (const JsonValue& item : json.items[0].array()) element.numbers.push_back(expected_number(item));
  if (element.kind == Stated::between && element.numbers.size() != 2) json.items[0].fail("expected [lowest, highest]");
  if (element.numbers.size() < 2) json.items[0].fail("expected two values or more; a single one is exact");
  return element;
}

StatedOutput stated_output(const JsonValue& json) {
  StatedOutput output;
  output.place = json.place();
  const JsonValue* values = &json;
  if (json.is(Kind::object) && (json.find("values") != nullptr || json.find("shape") != nullptr)) {
    json.expect_keys({"type", "shape", "values"});
    if (const JsonValue* type = json.find("type")) output.type = type_of(*type);
    if (const JsonValue* shape = json.find("shape")) output.shape = shape_of(*shape);
    values = &json.at("values");
  }
  if (values->is(Kind::string) && values->text == "unspecified") return output;
  output.elements.emplace();
  if (values->is(Kind::array)) {
    for (const JsonValue& item : values->items) output.elements->push_back(stated_element(item));
  } else {
    output.elements->push_back(stated_element(*values));
    output.shape = output.shape.value_or(Shape{});
  }
  return output;
}

InputPlan input_plan(const JsonValue& json, const Input& input) {
  json.expect_keys({"type", "shape", "values", "generate"});
  InputPlan plan;
  const JsonValue* type = json.find("type");
  plan.type = type != nullptr ? type_of(*type) : input.types.front();
  if (const JsonValue* shape = json.find("shape")) plan.shape = shape_of(*shape);
  const JsonValue* values = json.find("values");
  const JsonValue* generate = json.find("generate");
  if ((values == nullptr) == (generate == nullptr)) json.fail("expected either \"values\" or \"generate\"");
  if (values != nullptr) {
    plan.literal = numbers_of(*values);
    const Shape shape = plan.shape.value_or(Shape{static_cast<std::int64_t>(plan.literal->size())});
    if (element_count(shape) != static_cast<std::int64_t>(plan.literal->size()))
      values->fail(fmt::format("{} values for the shape {}", plan.literal->size(), to_text(shape)));
    plan.shape = shape;
    for (const CaseNumber& number : *plan.literal) number.bits(plan.type);
  } else if (generate->is(Kind::array)) {
    for (const JsonValue& item : generate->items) plan.generators.push_back(generator_of(item));
    if (plan.generators.empty()) generate->fail("is empty");
  } else {
    plan.generators.push_back(generator_of(*generate));
  }
  return plan;
}

Written written_of(const JsonValue& json, const Parameter* parameter) {
  const bool is_numeric = parameter != nullptr && is_spread(parameter->kind);
  Written written;
  const auto add = [&](const JsonValue& item, const std::string& text) {
    if (is_numeric) number_of(item, text);
    if (item.is(Kind::object) || item.is(Kind::array) || item.is(Kind::null)) item.fail("expected a number or a word");
    written.elements.push_back(text);
  };
  if (json.is(Kind::array)) {
    for (const JsonValue& item : json.items) add(item, item.text);
  } else if (json.is(Kind::object)) {
    json.expect_keys({"type", "shape", "values"});
    if (const JsonValue* type = json.find("type")) written.type = type_of(*type);
    if (const JsonValue* shape = json.find("shape")) written.shape = shape_of(*shape);
    for (const JsonValue& item : json.at("values").array()) add(item, item.text);
  } else {
    std::string text = json.text;
    if (is_numeric) std::tie(text, written.type) = split_type(json);
    add(json, text);
    written.shape = Shape{};
  }
  return written;
}

std::string label_of(const JsonValue& json) {
  if (!json.is(Kind::array) && !json.is(Kind::object)) return json.text;
  std::vector<std::string> texts;
  for (const JsonValue& item : json.is(Kind::object) ? json.at("values").items : json.items) texts.push_back(item.text);
  std::string label = fmt::format("[{}]", fmt::join(texts, ","));
  if (const JsonValue* type = json.find("type")) label += ":" + type->text;
  if (const JsonValue* shape = json.find("shape")) label += shape->dump();
  return label;
}

}  // namespace qassay
