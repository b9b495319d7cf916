#include "tools/cases_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "interpreter/nearest_names.hpp"
#include "interpreter/registry.hpp"
#include "tools/case_values.hpp"
#include "tools/json_document.hpp"

namespace qassay {
namespace {

constexpr std::array kRefusals{ErrorKind::missing_parameter,
                               ErrorKind::unknown_parameter,
                               ErrorKind::wrong_type,
                               ErrorKind::wrong_shape,
                               ErrorKind::axis_out_of_range,
                               ErrorKind::out_of_domain,
                               ErrorKind::zero_point_out_of_range};

using Kind = JsonValue::Kind;

bool needs_formula(const Generator& generator) {
  return generator.kind == Generator::Kind::boundary || generator.kind == Generator::Kind::random;
}

/// Reads one group of a formula's cases.
class GroupReader {
 public:
  GroupReader(const JsonValue& json, const Signature& signature, std::shared_ptr<const CaseProgram> program,
              const std::set<std::string, std::less<>>* traps)
      : json_(json), signature_(signature), traps_(traps) {
    group_.program = std::move(program);
  }

  std::shared_ptr<const CaseGroup> read() {
    json_.expect_keys(
        {"id", "why", "traps", "source", "policy", "set", "each", "lengths", "in", "tests", "out", "expect"});
    read_words();
    if (const JsonValue* expect = json_.find("expect")) read_error(*expect);
    if (const JsonValue* set = json_.find("set")) read_set(*set);
    if (const JsonValue* each = json_.find("each")) read_each(*each);
    const JsonValue* tests = json_.find("tests");
    const JsonValue* in = json_.find("in");
    if (tests != nullptr && in != nullptr) tests->fail("a group has either \"tests\" or \"in\"");
    if (tests != nullptr) read_tests(*tests);
    else if (in != nullptr) read_inputs(*in);
    else if (signature_.inputs.empty()) group_.generators = "\"none\"";
    else if (!group_.error) json_.fail("has no inputs; give \"tests\" or \"in\"");
    if (const JsonValue* out = json_.find("out")) read_outputs(*out);
    if (const JsonValue* lengths = json_.find("lengths")) read_lengths(*lengths);
    return std::make_shared<const CaseGroup>(std::move(group_));
  }

 private:
  void read_words() {
    group_.place = json_.place();
    const JsonValue& id = json_.at("id");
    group_.id = id.sentence();
    if (group_.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_.") != std::string::npos ||
        group_.id.starts_with('.')) {
      id.fail("expected small letters, digits, '-', '_' and '.'; it names files");
    }
    group_.why = json_.at("why").sentence();
    if (const JsonValue* source = json_.find("source")) group_.source = source->sentence();
    if (const JsonValue* policy = json_.find("policy")) group_.policy = policy->sentence();
    if (const JsonValue* traps = json_.find("traps")) {
      for (const JsonValue& trap : traps->array()) {
        if (traps_ != nullptr && !traps_->contains(trap.string())) {
          trap.fail(fmt::format("no trap '{}'{}; the list is in traps.json", trap.text,
                                did_you_mean(trap.text, {traps_->begin(), traps_->end()})));
        }
        if (std::ranges::find(group_.traps, trap.string()) != group_.traps.end()) trap.fail("is named twice");
        group_.traps.push_back(trap.text);
      }
    }
  }
  void read_error(const JsonValue& json) {
    json.expect_keys({"error"});
    const JsonValue& kind = json.at("error");
    const auto* found = std::ranges::find(kRefusals, kind.string(), [](ErrorKind k) { return std::string(name(k)); });
    if (found == kRefusals.end()) {
      std::vector<std::string> names;
      for (const ErrorKind k : kRefusals) names.emplace_back(name(k));
      kind.fail(fmt::format("no error '{}'{}; expected one of {}", kind.text, did_you_mean(kind.text, names),
                            fmt::join(names, ", ")));
    }
    group_.error = *found;
  }
  const Parameter* parameter(const JsonValue& place, const std::string& name) const {
    const Parameter* found = signature_.parameter(std::string_view(name));
    if (found == nullptr && !group_.error) {
      std::vector<std::string> names;
      for (const Parameter& known : signature_.parameters) names.emplace_back(known.name);
      place.fail(fmt::format("{} has no parameter '{}'{}; it has {}", signature_.id, name, did_you_mean(name, names),
                             fmt::join(names, ", ")));
    }
    return found;
  }
  void read_set(const JsonValue& json) {
    if (!json.is(Kind::object)) json.fail("expected an object: parameter to value");
    for (std::size_t i = 0; i < json.keys.size(); ++i) {
      group_.settings.emplace(json.keys[i], written_of(json.items[i], parameter(json.items[i], json.keys[i])));
    }
  }
  void read_each(const JsonValue& json) {
    if (!json.is(Kind::object) || json.keys.empty()) json.fail("expected an object: parameter to list of values");
    for (std::size_t i = 0; i < json.keys.size(); ++i) {
      const JsonValue& values = json.items[i];
      if (group_.settings.contains(json.keys[i])) values.fail("stands in \"set\" too");
      auto& [name, crossed] = group_.each.emplace_back(json.keys[i], std::vector<std::pair<std::string, Written>>{});
      for (const JsonValue& value : values.array()) {
        crossed.emplace_back(label_of(value), written_of(value, parameter(values, name)));
      }
      if (crossed.empty()) values.fail("is empty");
    }
  }
  const Input& input(const JsonValue& place, const std::string& name) const {
    const auto found = std::ranges::find(signature_.inputs, name, &Input::name);
    if (found == signature_.inputs.end()) {
      std::vector<std::string> names;
      for (const Input& known : signature_.inputs) names.emplace_back(known.name);
      place.fail(fmt::format("{} has no input '{}'{}; it has {}", signature_.id, name, did_you_mean(name, names),
                             fmt::join(names, ", ")));
    }
    return *found;
  }
  void check_output(const JsonValue& place, const std::string& name) const {
    if (std::ranges::find(signature_.outputs, name, &Output::name) != signature_.outputs.end()) return;
    std::vector<std::string> names;
    for (const Output& known : signature_.outputs) names.emplace_back(known.name);
    place.fail(fmt::format("{} has no output '{}'{}; it has {}", signature_.id, name, did_you_mean(name, names),
                           fmt::join(names, ", ")));
  }
  void read_inputs(const JsonValue& json) {
    if (!json.is(Kind::object)) json.fail("expected an object: input to tensor or generators");
    for (std::size_t i = 0; i < json.keys.size(); ++i) {
      InputPlan plan = input_plan(json.items[i], input(json.items[i], json.keys[i]));
      if (group_.error && std::ranges::any_of(plan.generators, needs_formula))
        json.items[i].fail("boundary and random look at the formula, which must refuse here; use other generators");
      group_.inputs.emplace(json.keys[i], std::move(plan));
    }
    for (const Input& needed : signature_.inputs) {
      if (!group_.inputs.contains(needed.name) && !group_.error)
        json.fail(fmt::format("the input '{}' is missing", needed.name));
    }
    group_.generators = json.dump();
  }
  void read_outputs(const JsonValue& json) {
    if (!json.is(Kind::object)) json.fail("expected an object: output to values");
    if (!group_.outputs.empty()) json.fail("\"tests\" state the outputs already");
    if (group_.error) json.fail("an error is expected, so there are no outputs");
    for (std::size_t i = 0; i < json.keys.size(); ++i) {
      check_output(json.items[i], json.keys[i]);
      group_.outputs.emplace(json.keys[i], stated_output(json.items[i]));
    }
  }
  /// The parameter that a column of "tests" stands for: formulas without inputs are tested by their parameters.
  const Parameter* parameter_column(const std::string& name) const {
    const Parameter* found = signature_.inputs.empty() ? signature_.parameter(std::string_view(name)) : nullptr;
    return found != nullptr && is_spread(found->kind) ? found : nullptr;
  }
  /// Tests are rows; they become one literal tensor an input and the stated elements of each output.
  void read_tests(const JsonValue& json) {
    const std::vector<JsonValue>& tests = json.array();
    if (tests.empty()) json.fail("is empty");
    if (group_.error) json.fail("an error is expected; give \"in\", or nothing");
    for (const JsonValue& test : tests) {
      if (!test.is(Kind::object)) test.fail("expected an object: inputs and outputs to values");
      for (std::size_t i = 0; i < test.keys.size(); ++i) {
        if (std::ranges::find(signature_.inputs, test.keys[i], &Input::name) == signature_.inputs.end() &&
            parameter_column(test.keys[i]) == nullptr) {
          check_output(test.items[i], test.keys[i]);
        }
      }
    }
    const Shape shape{static_cast<std::int64_t>(tests.size())};
    for (const Input& column : signature_.inputs) {
      group_.inputs.emplace(column.name, input_column(tests, column, shape));
    }
    for (const Parameter& column : signature_.parameters) {
      if (parameter_column(std::string(column.name)) != nullptr) read_parameter_column(tests, std::string(column.name));
    }
    for (const Output& column : signature_.outputs) {
      StatedOutput output;
      output.place = json.place();
      output.shape = shape;
      output.elements.emplace();
      for (const JsonValue& test : tests) {
        const JsonValue* value = test.find(column.name);
        output.elements->push_back(value != nullptr ? stated_element(*value) : StatedElement{});
      }
      group_.outputs.emplace(column.name, std::move(output));
    }
    for (std::size_t i = 0; i < tests.size(); ++i) {
      if (std::ranges::all_of(signature_.outputs, [&](const Output& o) { return !tests[i].find(o.name); }))
        tests[i].fail("states no output");
    }
    group_.generators = "\"tests\"";
  }
  struct Column {
    std::vector<CaseNumber> numbers;
    std::optional<Type> type;  ///< the one after the colon on any of them
  };
  static Column column_of(const std::vector<JsonValue>& tests, std::string_view name_of_column) {
    Column column;
    for (const JsonValue& test : tests) {
      const JsonValue& value = test.at(name_of_column);
      const auto [text, type] = split_type(value);
      if (type && column.type && *type != *column.type)
        value.fail(fmt::format("is {}, but a test before it is {}; one type a group", name(*type), name(*column.type)));
      if (type) column.type = type;
      column.numbers.push_back(number_of(value, text));
    }
    return column;
  }
  static InputPlan input_column(const std::vector<JsonValue>& tests, const Input& input, const Shape& shape) {
    Column column = column_of(tests, input.name);
    InputPlan plan;
    plan.shape = shape;
    plan.type = column.type.value_or(input.types.front());
    for (const CaseNumber& number : column.numbers) number.bits(plan.type);
    plan.literal = std::move(column.numbers);
    return plan;
  }
  /// A vector, in every test or in none.
  void read_parameter_column(const std::vector<JsonValue>& tests, const std::string& name_of_column) {
    if (std::ranges::none_of(tests, [&](const JsonValue& test) { return test.find(name_of_column) != nullptr; }))
      return;
    const Column column = column_of(tests, name_of_column);
    const bool is_crossed = std::ranges::any_of(group_.each, [&](const auto& e) { return e.first == name_of_column; });
    if (is_crossed || group_.settings.contains(name_of_column))
      tests.front().at(name_of_column).fail("stands in \"set\" or \"each\" too");
    Written& written = group_.settings[name_of_column];
    written.type = column.type;
    for (const CaseNumber& number : column.numbers) written.elements.push_back(number.text);
  }
  void read_lengths(const JsonValue& json) {
    json.expect_keys({"from", "to"});
    constexpr std::int64_t kLongest = 1 << 20;
    const std::int64_t from = json.at("from").integer(0, kLongest);
    group_.lengths = {static_cast<std::size_t>(from), static_cast<std::size_t>(json.at("to").integer(from, kLongest))};
    for (const auto& [name, plan] : group_.inputs) {
      if (plan.shape)
        json.fail(fmt::format("the input '{}' has a shape or stated values; lengths need generators", name));
    }
    if (group_.inputs.empty() || !group_.outputs.empty())
      json.fail("lengths need generated inputs and no stated outputs");
  }

  const JsonValue& json_;
  const Signature& signature_;
  const std::set<std::string, std::less<>>* traps_;
  CaseGroup group_;
};

}  // namespace

CaseFile read_case_file(const std::filesystem::path& file, const std::set<std::string, std::less<>>* traps) {
  const JsonValue json = read_json(file);
  json.expect_keys({"schema", "formula", "steps", "groups"});
  constexpr std::string_view kSchema = "qassay-cases-1";
  if (const JsonValue& schema = json.at("schema"); schema.string() != kSchema)
    schema.fail(fmt::format("found '{}', expected '{}'", schema.text, kSchema));
  CaseFile cases;
  const JsonValue& id = json.at("formula");
  std::shared_ptr<const CaseProgram> program;
  if (const JsonValue* steps = json.find("steps")) program = CaseProgram::read(id, *steps);
  try {
    cases.formula = program ? &program->formula() : &formula(id.string());
  } catch (const RequestError& error) {
    id.fail(error.what());
  }
  std::set<std::string> ids;
  for (const JsonValue& group : json.at("groups").array()) {
    cases.groups.push_back(GroupReader(group, *cases.formula->signature, program, traps).read());
    if (!ids.insert(cases.groups.back()->id).second)
      group.at("id").fail(
          fmt::format("two groups have the id '{}'; ids are unique and never change", cases.groups.back()->id));
  }
  if (cases.groups.empty()) json.at("groups").fail("is empty");
  return cases;
}

}  // namespace qassay
