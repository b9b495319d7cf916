#include "tools/diagnosis/identity_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "tools/diagnosis/diagnosis_text.hpp"
#include "tools/harness/request.hpp"
#include "tools/number_words.hpp"

namespace qassay {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kOperators{"fake_quantize", "quantize", "dequantize"};

std::string assignments(const Settings& settings) {
  std::vector<std::string> parts;
  for (const auto& [name, text] : settings_as_text(settings)) parts.push_back(fmt::format("{}={}", name, text));
  return fmt::format("{}", fmt::join(parts, " "));
}

std::string steps_name(std::int64_t steps) {
  return steps == INT64_MIN ? "without measure" : fmt::format("{:+} LSB", steps);
}

std::string settings_text(const IdentityFinding& finding) {
  return fmt::format("               {}\n               {}\n\n", assignments(finding.of_fake_quantize),
                     assignments(finding.of_composition));
}

std::string witness_text(const IdentityFinding& finding) {
  const IdentityWitness& witness = *finding.smallest;
  std::string text = fmt::format("smallest  x = {}\n", value_text(finding.input_type, witness.input));
  text += fmt::format("  fake_quantize(x)         {}\n", value_text(finding.output_type, witness.fake_quantized));
  if (finding.parting) text += fmt::format("    {}\n", finding.parting->first);
  text += fmt::format("  dequantize(quantize(x))  {}\n", value_text(finding.output_type, witness.dequantized));
  if (finding.parting) text += fmt::format("    {}\n", finding.parting->second);
  return text;
}

std::string result_text(const IdentityFinding& finding, std::string_view inputs) {
  if (finding.holds()) return fmt::format("holds for all {} {}\n", grouped(finding.inputs), inputs);
  std::string text =
      fmt::format("does not hold for {} of {} {}\n", grouped(finding.differing), grouped(finding.inputs), inputs);
  text += fmt::format("of these {} are NaN or infinite\n", grouped(finding.not_finite));
  for (const auto& [steps, count] : finding.by_steps)
    text += fmt::format("  {:>13}  {}\n", grouped(count), steps_name(steps));
  return text;
}

std::string why_text(const IdentityFinding& finding) {
  const std::string cause = cause_of(finding);
  if (cause.empty()) return {};
  std::string text = fmt::format("\nwhy: {}\n", cause);
  for (const std::string& note : finding.diagnosis->notes) text += fmt::format("note: {}\n", note);
  return text;
}

Json value_json(Type type, std::uint64_t bits) {
  return {{"value", decimal_text(type, bits)}, {"bits", hexadecimal(type, bits)}};
}

Json settings_json(const Settings& settings) {
  Json json = Json::object();
  for (const auto& [name, text] : settings_as_text(settings)) json[name] = text;
  return json;
}

void add_finding(Json& json, const IdentityFinding& finding) {
  json["set"] = {{"fake_quantize", settings_json(finding.of_fake_quantize)},
                 {"composition", settings_json(finding.of_composition)}};
  json["input_type"] = name(finding.input_type);
  json["holds"] = finding.holds();
  json["inputs"] = finding.inputs;
  json["differing"] = finding.differing;
  json["differing_not_finite"] = finding.not_finite;
  json["complete"] = finding.is_complete;
  json["by_lsb"] = Json::array();
  for (const auto& [steps, count] : finding.by_steps)
    json["by_lsb"].push_back({steps == INT64_MIN ? Json("not_finite") : Json(steps), count});
  if (finding.smallest) {
    json["smallest"] = {{"x", value_json(finding.input_type, finding.smallest->input)},
                        {"fake_quantize", value_json(finding.output_type, finding.smallest->fake_quantized)},
                        {"composition", value_json(finding.output_type, finding.smallest->dequantized)}};
  }
  if (finding.parting)
    json["parts_at"] = {{"fake_quantize", finding.parting->first}, {"composition", finding.parting->second}};
  if (!finding.diagnosis) return;
  if (const std::string cause = cause_of(finding); !cause.empty()) json["why"] = cause;
  json["diagnosis"] = diagnosis_json(*finding.diagnosis, "composition");
}

}  // namespace

std::string identity_text(const IdentityIds& ids, const IdentityFinding& finding) {
  std::string text;
  for (std::size_t i = 0; i < ids.size(); ++i) text += fmt::format("{:<13}  {}\n", kOperators[i], ids[i]);
  text += settings_text(finding);
  if (!finding.is_complete) text += "interrupted: this is what the sweep had seen\n";
  text += fmt::format("fake_quantize(x) == dequantize(quantize(x)) {}", result_text(finding, "inputs"));
  if (finding.smallest) text += "\n" + witness_text(finding);
  return text + why_text(finding);
}

std::string identity_text(const IdentityIds& ids, const std::string& backend, const BackendIdentityFinding& finding) {
  std::string text = fmt::format("{}\n", backend);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    text += fmt::format("{:<13}  {}{}\n", kOperators[i], finding.asked[i],
                        finding.asked[i] == ids[i] ? "" : fmt::format(", what it has of {}", ids[i]));
  }
  text += settings_text(finding.finding);
  text += fmt::format("fake_quantize(x) == dequantize(quantize(x)) {}",
                      result_text(finding.finding, "inputs asked with these parameters"));
  if (finding.varied > 0) {
    text += fmt::format("with other scales and zero points {} of {} elements differ\n",
                        grouped(finding.varied_differing), grouped(finding.varied));
  }
  if (finding.finding.smallest) text += "\n" + witness_text(finding.finding);
  text += why_text(finding.finding);
  text += finding.unpredicted == 0
              ? fmt::format("\nthe formulas predict each of these {} results\n", grouped(finding.results))
              : fmt::format("\nthe formulas do not predict {} of {} results\n", grouped(finding.unpredicted),
                            grouped(finding.results));
  if (finding.first_unpredicted) {
    const Unpredicted& first = *finding.first_unpredicted;
    text += fmt::format("  {} of x = {}: predicted {}, got {}  ({})\n", first.side,
                        value_text(first.witness.input_type, first.witness.input),
                        value_text(first.witness.output_type, first.witness.expected),
                        value_text(first.witness.output_type, first.witness.got), assignments(first.witness.settings));
  }
  return text;
}

Json identity_json(const IdentityIds& ids, const IdentityFinding& finding) {
  Json json;
  for (std::size_t i = 0; i < ids.size(); ++i) json[kOperators[i]] = ids[i];
  add_finding(json, finding);
  return json;
}

Json identity_json(const IdentityIds& ids, const std::string& backend, const BackendIdentityFinding& finding) {
  Json json{{"backend", backend}};
  for (std::size_t i = 0; i < ids.size(); ++i) json[kOperators[i]] = ids[i];
  json["asked"] = finding.asked;
  add_finding(json, finding.finding);
  json["varied"] = {{"elements", finding.varied}, {"differing", finding.varied_differing}};
  json["results"] = finding.results;
  json["unpredicted"] = finding.unpredicted;
  return json;
}

}  // namespace qassay
