#include "tools/case_program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "interpreter/nearest_names.hpp"
#include "interpreter/registry.hpp"
#include "tools/case_values.hpp"

namespace qassay {
namespace {

constexpr std::string_view kPrefix = "program.";

template <class List>
std::vector<std::string> names_of(const List& list) {
  std::vector<std::string> names;
  for (const auto& member : list) names.emplace_back(member.name);
  return names;
}

/// The member of that name; fails where there is none.
template <class List>
const auto& member_of(const List& list, const std::string& name, const JsonValue& place, std::string_view callee,
                      std::string_view kind) {
  const auto found = std::ranges::find(list, std::string_view(name), [](const auto& member) { return member.name; });
  if (found != list.end()) return *found;
  const std::vector<std::string> names = names_of(list);
  place.fail(fmt::format("{} has no {} '{}'{}; it has {}", callee, kind, name, did_you_mean(name, names),
                         fmt::join(names, ", ")));
}

/// The members of an object, or none.
std::vector<std::pair<std::string, const JsonValue*>> members_of(const JsonValue& step, std::string_view key) {
  std::vector<std::pair<std::string, const JsonValue*>> members;
  const JsonValue* object = step.find(key);
  if (object == nullptr) return members;
  if (!object->is(JsonValue::Kind::object)) object->fail("expected an object");
  for (std::size_t i = 0; i < object->keys.size(); ++i) members.emplace_back(object->keys[i], &object->items[i]);
  return members;
}

/// A parameter of the program: what the first callee that it goes to says of it, as far as that makes sense alone.
Parameter standing_alone(Parameter parameter, std::string_view name) {
  parameter.name = name;
  if (parameter.fallback == "none" || parameter.fallback == "lowest" || parameter.fallback == "highest")
    parameter.fallback = {};
  if (parameter.within != Within::any) parameter.within = Within::int32;
  if (parameter.own_type == OwnType::of_input || parameter.own_type == OwnType::of_output)
    parameter.own_type = OwnType::float32_or_float64;
  if (parameter.spread != Spread::alone) parameter.spread = Spread::freely;
  return parameter;
}

}  // namespace

class ProgramReader {
 public:
  std::shared_ptr<const CaseProgram> read(const JsonValue& id, const JsonValue& steps) {
    const std::string& name = id.string();
    if (!name.starts_with(kPrefix) || name.size() == kPrefix.size())
      id.fail(fmt::format("a program is called '{}NAME', as its file", kPrefix));
    if (steps.array().empty()) steps.fail("is empty");
    for (const JsonValue& step : steps.items) read_step(step);
    Signature& signature = program_->signature_;
    signature.id = kept(name);
    signature.summary = kept(fmt::format("{}", fmt::join(callees_, ", then ")));
    signature.kind = FormulaKind::composite;
    if (signature.inputs.empty()) steps.fail("no step takes an input of the program");
    choose_roles(steps);
    program_->formula_ = composite(signature, program_->calls_);
    return program_;
  }

 private:
  void read_step(const JsonValue& step) {
    step.expect_keys({"call", "in", "with", "set", "out"});
    const JsonValue& call = step.at("call");
    ProgramCall line;
    try {
      line.callee = formula(call.string());
    } catch (const RequestError& error) {
      call.fail(error.what());
    }
    const Signature& callee = *line.callee.signature;
    callees_.emplace_back(callee.id);
    for (const auto& [port, value] : members_of(step, "in")) {
      const Input& input = member_of(callee.inputs, port, *value, callee.id, "input");
      if (!computed_.contains(value->string())) add_input(value->text, input);
      line.inputs.emplace_back(port, value->text);
    }
    if (line.inputs.size() != callee.inputs.size())
      step.fail(fmt::format("{} has the inputs {}", callee.id, fmt::join(names_of(callee.inputs), ", ")));
    for (const auto& [name, value] : members_of(step, "with")) {
      const Parameter& parameter = member_of(callee.parameters, name, *value, callee.id, "parameter");
      if (!computed_.contains(value->string())) uses_[value->text].push_back(&parameter);
      line.parameters.emplace_back(name, FromValue{value->text});
    }
    for (const auto& [name, value] : members_of(step, "set")) {
      const Parameter& parameter = member_of(callee.parameters, name, *value, callee.id, "parameter");
      line.parameters.emplace_back(name, Literal{written_of(*value, &parameter)});
    }
    for (const auto& [name, value] : members_of(step, "out")) {
      const Output& output = member_of(callee.outputs, name, *value, callee.id, "output");
      if (!computed_.insert(value->string()).second) value->fail("an earlier step gives a value of this name already");
      program_->signature_.outputs.push_back({kept(value->text), OutputRule::varies, output.fixed, output.about, {}});
      line.outputs.emplace_back(name, value->text);
    }
    if (line.outputs.empty()) step.at("out").fail("names no output");
    program_->calls_.push_back(std::move(line));
  }

  void add_input(const std::string& name, const Input& input) {
    std::vector<Input>& inputs = program_->signature_.inputs;
    if (std::ranges::find(inputs, std::string_view(name), &Input::name) != inputs.end()) return;
    inputs.push_back({kept(name), input.types, input.about, InputShape::own});
  }

  /// A role is what a formula has one parameter of. A parameter takes a free one among those of its uses; first those
  /// that have the least choice.
  void choose_roles(const JsonValue& steps) {
    std::vector<std::pair<std::string, std::vector<const Parameter*>>> parameters(uses_.begin(), uses_.end());
    std::ranges::stable_sort(parameters, {}, [](const auto& parameter) {
      std::set<Role> roles;
      for (const Parameter* use : parameter.second) roles.insert(use->role);
      return roles.size();
    });
    std::set<Role> taken;
    for (const auto& [name, uses] : parameters) {
      const auto free = std::ranges::find_if(uses, [&](const Parameter* use) { return !taken.contains(use->role); });
      if (free == uses.end())
        steps.fail(fmt::format("the parameter '{}' is the second {} of the program; give it by \"set\"", name,
                               qassay::name(uses.front()->role)));
      taken.insert((*free)->role);
      program_->signature_.parameters.push_back(standing_alone(**free, kept(name)));
    }
    std::ranges::sort(program_->signature_.parameters, {}, &Parameter::name);
  }

  std::string_view kept(const std::string& text) { return program_->texts_.emplace_back(text); }

  std::shared_ptr<CaseProgram> program_ = std::make_shared<CaseProgram>();
  std::vector<std::string> callees_;
  std::set<std::string> computed_;                             ///< values that steps have given so far
  std::map<std::string, std::vector<const Parameter*>> uses_;  ///< of the program's parameters
};

std::shared_ptr<const CaseProgram> CaseProgram::read(const JsonValue& id, const JsonValue& steps) {
  return ProgramReader().read(id, steps);
}

}  // namespace qassay
