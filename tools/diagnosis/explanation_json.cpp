#include <nlohmann/json.hpp>

#include "tools/diagnosis/explanation.hpp"

namespace qassay {
namespace {

using Json = nlohmann::ordered_json;

std::string_view name(StepKind kind) {
  switch (kind) {
    case StepKind::rounds_to_format: return "rounds_to_format";
    case StepKind::rounds_to_integer: return "rounds_to_integer";
    case StepKind::rounds_by_rule: return "rounds_by_rule";
    case StepKind::limits: return "limits";
    case StepKind::converts_to_integer: return "converts_to_integer";
    case StepKind::wraps: return "wraps";
    case StepKind::exact: return "exact";
  }
  return {};
}

/// "3/8", "-5", "inf", "nan": all digits.
std::string fraction(const Exact& exact) {
  return exact.is_finite() ? exact.value().str() : to_text(exact);
}

Json fraction(const std::optional<Rational>& value) {
  return value ? Json(value->str()) : Json(nullptr);
}

Json text_or_null(std::string_view text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json number(const StoredNumber& stored) {
  return {{"type", qassay::name(stored.type)}, {"value", decimal(stored)}, {"bits", bits_text(stored)}};
}

Json as_json(const Given& given, bool is_parameter) {
  Json json{{"name", given.name}};
  if (given.number) json.update(number(*given.number));
  else json["value"] = given.text;
  if (is_parameter) json["is_default"] = given.is_default;
  return json;
}

Json as_json(const ExplainedStep& step, std::size_t at, bool decides) {
  Json json{{"number", at + 1},        {"name", text_or_null(step.name)}, {"act", step.act},
            {"kind", name(step.kind)}, {"part", text_or_null(step.part)}, {"operands", Json::array()}};
  for (const ExplainedOperand& operand : step.operands) {
    Json one{{"from", text_or_null(operand.from)}};
    one.update(number(operand.number));
    json["operands"].push_back(std::move(one));
  }
  json["exact"] = fraction(step.exact);
  json["result"] = number(step.result);
  json["error_ulp"] = fraction(step.error_ulp);
  json["tie"] = step.tie ? Json{{"at", step.tie->at.str()},
                                {"distance", step.tie->distance.str()},
                                {"distance_ulp", step.tie->ulp.str()}}
                         : Json(nullptr);
  json["note"] = step.note;
  json["decides"] = decides;
  return json;
}

Json as_json(const ExplainedOutput& output) {
  Json json{{"name", output.name}};
  json.update(number(output.number));
  json["is_unspecified"] = output.is_unspecified;
  json["ideal"] = fraction(output.ideal);
  json["from_ideal"] = fraction(output.from_ideal);
  json["note"] = output.note;
  return json;
}

Json as_json(const Alternatives& alternatives) {
  Json json{{"agreeing", alternatives.agreeing}, {"differing", Json::array()}};
  for (const Alternative& alternative : alternatives.differing) {
    Json one{{"name", alternative.name}, {"about", alternative.about}};
    one.update(number(alternative.result));
    one["difference"] = fraction(alternative.difference);
    json["differing"].push_back(std::move(one));
  }
  return json;
}

}  // namespace

std::string explanation_json(const Explanation& explanation) {
  Json json{{"version", 1},
            {"formula", explanation.signature->id},
            {"summary", explanation.signature->summary},
            {"index", explanation.index},
            {"elements", explanation.elements},
            {"inputs", Json::array()},
            {"parameters", Json::array()},
            {"steps", Json::array()}};
  for (const Given& given : explanation.inputs) json["inputs"].push_back(as_json(given, false));
  for (const Given& given : explanation.parameters) json["parameters"].push_back(as_json(given, true));
  for (std::size_t i = 0; i < explanation.steps.size(); ++i)
    json["steps"].push_back(as_json(explanation.steps[i], i, explanation.deciding == i));
  json["because"] = explanation.because;
  json["outputs"] = Json::array();
  for (const ExplainedOutput& output : explanation.outputs) json["outputs"].push_back(as_json(output));
  json["formulas"] = as_json(explanation.formulas);
  json["rules"] = nullptr;
  if (explanation.rules) {
    json["rules"] = {{"base", explanation.rules->base}};
    json["rules"].update(as_json(*explanation.rules));
  }
  return json.dump(1) + "\n";
}

}  // namespace qassay
