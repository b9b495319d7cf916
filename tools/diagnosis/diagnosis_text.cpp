#include "tools/diagnosis/diagnosis_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tools/harness/request.hpp"
#include "tools/number_words.hpp"

namespace qassay {
namespace {

using Json = nlohmann::ordered_json;

std::string assignments(const Settings& settings) {
  std::vector<std::string> parts;
  for (const auto& [name, text] : settings_as_text(settings)) parts.push_back(fmt::format("{}={}", name, text));
  return fmt::format("{}", fmt::join(parts, " "));
}

std::string witness_text(const Witness& witness) {
  const std::string settings = assignments(witness.settings);
  return fmt::format("x = {}: expected {}, got {}{}", value_text(witness.input_type, witness.input),
                     value_text(witness.output_type, witness.expected), value_text(witness.output_type, witness.got),
                     settings.empty() ? "" : "  (" + settings + ")");
}

Json witness_json(const Witness& witness) {
  const auto value = [](Type type, std::uint64_t bits) {
    return Json{{"value", decimal_text(type, bits)}, {"bits", hexadecimal(type, bits)}};
  };
  Json json{{"x", value(witness.input_type, witness.input)},
            {"expected", value(witness.output_type, witness.expected)},
            {"got", value(witness.output_type, witness.got)}};
  for (const auto& [name, text] : settings_as_text(witness.settings)) json["set"][name] = text;
  return json;
}

std::string_view name(Diagnosis::Verdict verdict) {
  switch (verdict) {
    case Diagnosis::Verdict::follows_expected: return "follows_expected";
    case Diagnosis::Verdict::follows_another: return "follows_another";
    case Diagnosis::Verdict::none_fits: return "none_fits";
  }
  return "";
}

std::string rejected_text(const Rejected& rejected) {
  std::string text = fmt::format("{} ({} mismatch{})", rejected.name, grouped(rejected.mismatches),
                                 rejected.mismatches == 1 ? "" : "es");
  if (rejected.first) text += fmt::format("\n            first at {}", witness_text(*rejected.first));
  return text;
}

std::string recovered_text(const Recovered& one) {
  return fmt::format("explained by scale {} and zero point {}: any of {} binary32 scale{} in [{}, {}], under {} rule{}",
                     one.simplest_scale, one.zero_point, grouped(one.scales), one.scales == 1 ? "" : "s",
                     static_cast<float>(one.lowest_scale), static_cast<float>(one.highest_scale), one.rules.size(),
                     one.rules.size() == 1 ? "" : "s");
}

std::string hypotheses_text(std::size_t count) {
  if (count == 0) return "no hypothesis";
  return count == 1 ? "1 hypothesis" : fmt::format("{} hypotheses", grouped(count));
}

}  // namespace

std::string diagnosis_text(const Diagnosis& diagnosis, const std::string& subject) {
  std::string text = fmt::format("{} {}\n", subject, diagnosis.sentence);
  text += fmt::format("  expected  {}: {}\n", diagnosis.expected->id(), diagnosis.expected->signature->summary);
  if (!diagnosis.settings.empty()) text += fmt::format("  settings  {}\n", assignments(diagnosis.settings));
  if (!diagnosis.formulas.empty()) text += fmt::format("  equals    {}\n", fmt::join(diagnosis.formulas, ", "));
  if (diagnosis.touched) {
    text += fmt::format("  touches   {} of {} inputs", grouped(diagnosis.touched->differing),
                        grouped(diagnosis.touched->inputs));
    if (diagnosis.touched->differing_nan > 0) text += fmt::format(", and NaN");
    text += "\n";
  } else if (!diagnosis.uncounted.empty()) {
    text += fmt::format("  touches   not counted: {}\n", diagnosis.uncounted);
  }
  for (const Recovered& one : diagnosis.recovered) text += fmt::format("  {}\n", recovered_text(one));
  if (diagnosis.witness) text += fmt::format("  witness   {}\n", witness_text(*diagnosis.witness));
  if (diagnosis.best) text += fmt::format("  nearest   {}\n", rejected_text(*diagnosis.best));
  if (diagnosis.runner_up) text += fmt::format("  runner-up {}\n", rejected_text(*diagnosis.runner_up));
  for (const Settled& settled : diagnosis.fingerprint) {
    const Aspect& aspect = *std::ranges::find(aspects(), settled.aspect, &Aspect::name);
    const bool is_unseen = settled.choices.size() == aspect.choices.size();
    text += fmt::format("  {:<14}  {}\n", settled.aspect,
                        is_unseen ? "not seen" : fmt::format("{}", fmt::join(settled.choices, " or ")));
  }
  text += fmt::format("{} elements{}, {:.2f} s; reproduced by {}\n", grouped(diagnosis.elements),
                      diagnosis.requests > 0 ? fmt::format(" in {} requests", diagnosis.requests) : "",
                      diagnosis.seconds, hypotheses_text(diagnosis.fitting.size()));
  for (const std::string& note : diagnosis.notes) text += fmt::format("note: {}\n", note);
  return text;
}

Json diagnosis_json(const Diagnosis& diagnosis, const std::string& subject) {
  Json json{{"subject", subject},       {"expected", diagnosis.expected->id()}, {"verdict", name(diagnosis.verdict)},
            {"cause", diagnosis.cause}, {"sentence", diagnosis.sentence},       {"formulas", diagnosis.formulas}};
  for (const auto& [parameter, value] : settings_as_text(diagnosis.settings)) json["set"][parameter] = value;
  json["fingerprint"] = Json::object();
  for (const Settled& settled : diagnosis.fingerprint)
    json["fingerprint"][std::string(settled.aspect)] = settled.choices;
  if (diagnosis.touched) {
    json["touches"] = {{"inputs", diagnosis.touched->inputs},
                       {"differing", diagnosis.touched->differing},
                       {"differing_nan", diagnosis.touched->differing_nan}};
  }
  if (!diagnosis.uncounted.empty()) json["uncounted"] = diagnosis.uncounted;
  for (const Recovered& one : diagnosis.recovered) {
    json["recovered"].push_back({{"zero_point", one.zero_point},
                                 {"lowest_scale", fmt::format("{:a}", one.lowest_scale)},
                                 {"highest_scale", fmt::format("{:a}", one.highest_scale)},
                                 {"scales", one.scales},
                                 {"simplest_scale", one.simplest_scale},
                                 {"rules", one.rules.size()}});
  }
  if (diagnosis.witness) json["witness"] = witness_json(*diagnosis.witness);
  const auto rejected = [](const Rejected& one) {
    Json entry{{"name", one.name}, {"mismatches", one.mismatches}};
    if (one.first) entry["first"] = witness_json(*one.first);
    return entry;
  };
  if (diagnosis.best) json["nearest"] = rejected(*diagnosis.best);
  if (diagnosis.runner_up) json["runner_up"] = rejected(*diagnosis.runner_up);
  json["elements"] = diagnosis.elements;
  json["requests"] = diagnosis.requests;
  json["seconds"] = diagnosis.seconds;
  json["notes"] = diagnosis.notes;
  return json;
}

}  // namespace qassay
