#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "tools/report/cells.hpp"
#include "tools/report/report.hpp"

namespace qassay {
namespace {

using nlohmann::json;

constexpr std::size_t kMostBins = 64;

json sqnr_as_json(const Sqnr& sqnr) {
  switch (sqnr.kind) {
    case Sqnr::Kind::exact: return "exact";
    case Sqnr::Kind::no_signal: return "no_signal";
    case Sqnr::Kind::decibels: return sqnr.decibels;
    case Sqnr::Kind::nothing: return nullptr;
  }
  return nullptr;
}

template <class Value>
json or_null(const std::optional<Value>& value) {
  return value ? json(*value) : json();
}

json verdicts_as_json(const std::array<std::size_t, kVerdictCount>& counts) {
  json verdicts = json::object();
  for (std::size_t v = 0; v < kVerdictCount; ++v) {
    if (counts[v] > 0) verdicts[std::string(name(static_cast<Verdict>(v)))] = counts[v];
  }
  return verdicts;
}

json number(Type type, std::uint64_t bits) {
  return {{"value", decimal_text(type, bits)},
          {"bits", fmt::format("{:#0{}x}", bits, 2 + 2 * row(type).storage_bytes)}};
}

/// The bins around zero; how many elements lie below and above them.
json lsb_as_json(const LsbSummary& lsb) {
  json result{{"histogram", json::array()}, {"max", lsb.max}, {"mean", lsb.mean}, {"bias", lsb.bias}};
  std::vector<std::pair<std::int64_t, std::uint64_t>> bins(lsb.histogram.begin(), lsb.histogram.end());
  std::uint64_t below = 0;
  std::uint64_t above = 0;
  while (bins.size() > kMostBins) {
    const bool is_low_end_farther = -bins.front().first > bins.back().first;
    (is_low_end_farther ? below : above) += is_low_end_farther ? bins.front().second : bins.back().second;
    bins.erase(is_low_end_farther ? bins.begin() : bins.end() - 1);
  }
  for (const auto& [distance, count] : bins) result["histogram"].push_back({distance, count});
  if (below + above > 0) result["beyond"] = {below, above};
  if (lsb.unmeasured > 0) result["unmeasured"] = lsb.unmeasured;
  return result;
}

json shown_as_json(const OutputComparison& comparison, const ShownElement& shown) {
  json element{{"index", shown.index},
               {"expected", number(comparison.type, shown.difference.expected)},
               {"got", number(comparison.type, shown.difference.got)},
               {"lsb", or_null(shown.difference.lsb)},
               {"ulp", or_null(shown.difference.ulp)},
               {"inputs", json::object()}};
  for (const auto& [input, value] : shown.inputs) element["inputs"][input] = number(value.type, value.bits);
  if (!shown.explain.empty()) element["explain"] = shown.explain;
  return element;
}

json known_as_json(const KnownDifference& known) {
  json result{{"cause", known.cause_text()}, {"why", known.why}};
  if (!known.upstream.empty()) result["upstream"] = known.upstream;
  if (!known.crash.empty()) result["crash"] = known.crash;
  return result;
}

json tolerance_as_json(const ToleranceFinding& finding) {
  // An infinite distance is no JSON number.
  const auto finite = [](double value) { return std::isfinite(value) ? json(value) : json("inf"); };
  return {{"name", finding.tolerance->name},
          {"passes", finding.passes},
          {"threshold", finite(finding.threshold)},
          {"largest_difference", finite(finding.largest_difference)},
          {"mean_relative_difference", finite(finding.mean_relative_difference)}};
}

json side_as_json(const std::string& backend, const SideFinding& side) {
  json result{{"backend", backend}, {"verdict", name(side.verdict)}};
  if (!side.ending.empty()) result["ending"] = side.ending;
  if (side.known_difference != nullptr) result["known_difference"] = known_as_json(*side.known_difference);
  const Fingerprint& fingerprint = side.fingerprint;
  if (fingerprint.tried == 0) return result;
  result["fingerprint"] = {{"tried", fingerprint.tried}, {"fitting", json::array()}};
  for (const Variant& variant : fingerprint.fitting) result["fingerprint"]["fitting"].push_back(variant.text());
  if (!fingerprint.rule.empty()) result["fingerprint"]["rule"] = fingerprint.rule;
  return result;
}

json sweep_as_json(const SweepFinding& sweep) {
  json result{
      {"inputs", sweep.inputs}, {"tried", sweep.tried}, {"differing", sweep.differing}, {"classes", json::array()}};
  if (!sweep.failure.empty()) result["failure"] = sweep.failure;
  for (const SweepClass& found : sweep.classes) {
    result["classes"].push_back({{"class", row(found.kind).name},
                                 {"about", row(found.kind).about},
                                 {"count", found.count},
                                 {"smallest",
                                  {{"input", number(found.input.type, found.input.bits)},
                                   {"expected", number(found.output_type, found.difference.expected)},
                                   {"got", number(found.output_type, found.difference.got)},
                                   {"lsb", or_null(found.difference.lsb)},
                                   {"ulp", or_null(found.difference.ulp)}}}});
  }
  return result;
}

json pair_as_json(const RunResults& results, const CaseResult& result) {
  const std::array<std::string, 2> names{results.backends[result.backend].name, results.against->name};
  json pair{{"sides", json::array()}, {"classes", json::array()}};
  for (std::size_t s = 0; s < names.size(); ++s) pair["sides"].push_back(side_as_json(names[s], result.pair->sides[s]));
  for (const ClassFinding& found : result.pair->classes) {
    const OutputComparison& comparison = result.outputs[found.output].comparison;
    json example = shown_as_json(comparison, found.example);
    example["explain"] = found.explain;
    pair["classes"].push_back({{"class", row(found.kind).name},
                               {"about", row(found.kind).about},
                               {"count", found.count},
                               {"output", comparison.name},
                               {"example", std::move(example)}});
  }
  if (result.pair->sweep) pair["sweep"] = sweep_as_json(*result.pair->sweep);
  return pair;
}

json case_as_json(const RunResults& results, const CaseResult& result) {
  const CaseSpec& spec = results.specs[result.spec];
  json entry{{"backend", results.backends[result.backend].name},
             {"case", spec.name},
             {"formula", spec.formula->id()},
             {"group", spec.group_id()},
             {"verdict", name(result.verdict)},
             {"why", spec.why()},
             {"traps", spec.traps()},
             {"seconds", std::round(result.seconds * 1e6) / 1e6},
             {"reproduce", reproduce_command(results, result)}};
  if (!result.policy.empty()) entry["policy"] = result.policy;
  if (!result.message.empty()) entry["message"] = result.message;
  if (!result.diagnosis.empty()) entry["diagnosis"] = result.diagnosis;
  for (const auto& [parameter, text] : result.parameters) entry["parameters"][parameter] = text;
  if (result.known_difference != nullptr) entry["known_difference"] = known_as_json(*result.known_difference);
  for (const OutputResult& output : result.outputs) entry["outputs"].push_back(output_as_json(output));
  if (result.pair) entry["pair"] = pair_as_json(results, result);
  return entry;
}

json cell_as_json(const RunResults& results, const Cell& cell) {
  json entry{{"backend", results.backends[cell.backend].name},
             {"formula", cell.formula},
             {"verdicts", verdicts_as_json(cell.verdicts)},
             {"elements", cell.elements},
             {"mismatches", cell.mismatches}};
  if (cell.compared > 0) {
    entry["max_lsb"] = cell.max_lsb;
    entry["sqnr"] = sqnr_as_json(cell.sqnr);
  }
  return entry;
}

json backend_as_json(const BackendResult& backend) {
  json entry{{"name", backend.name},
             {"title", backend.title},
             {"version", backend.hello.version},
             {"packages", backend.hello.packages}};
  if (!backend.failure.empty()) entry["failure"] = backend.failure;
  return entry;
}

json traps_as_json(const RunResults& results) {
  std::set<std::string> named;
  for (const CaseSpec& spec : results.specs) named.insert(spec.traps().begin(), spec.traps().end());
  json traps = json::object();
  for (const auto& [trap, known] : results.traps) {
    if (!named.contains(trap)) continue;
    traps[trap] = {{"title", known.title}, {"wrong", known.wrong}, {"cost", known.cost}, {"reports", known.reports}};
  }
  return traps;
}

}  // namespace

json output_as_json(const OutputResult& output) {
  const OutputComparison& comparison = output.comparison;
  json result{{"name", comparison.name},
              {"type", name(comparison.type)},
              {"elements", comparison.elements},
              {"mismatches", comparison.mismatches},
              {"unspecified", comparison.unspecified},
              {"nonfinite_mismatches", comparison.nonfinite_mismatches},
              {"lsb", comparison.lsb ? lsb_as_json(*comparison.lsb) : json()},
              {"max_ulp", or_null(comparison.max_ulp)},
              {"sqnr", sqnr_as_json(comparison.sqnr)}};
  if (output.tolerance) result["tolerance"] = tolerance_as_json(*output.tolerance);
  for (const ShownElement& shown : output.shown) result["shown"].push_back(shown_as_json(comparison, shown));
  return result;
}

json json_report(const RunResults& results) {
  json report{{"schema", results.against ? "qassay-pair-1" : "qassay-results-1"},
              {"qassay", QASSAY_VERSION},
              {"command", results.command},
              {"processor", {{"model", results.processor.model}, {"features", results.processor.features}}},
              {"backends", json::array()},
              {"summary", verdicts_as_json(results.verdicts())},
              {"traps", traps_as_json(results)},
              {"cells", json::array()},
              {"cases", json::array()}};
  report["summary"]["seconds"] = std::round(results.seconds * 1e3) / 1e3;
  report["summary"]["elements"] = results.elements();
  report["summary"]["compared"] = results.compared();
  if (const auto through = results.let_through()) {
    report["summary"]["tolerance"] = {{"name", through->tolerance->name},
                                      {"about", through->tolerance->about},
                                      {"cases", through->cases},
                                      {"elements", through->elements},
                                      {"whole_steps", through->whole_steps}};
  }
  if (results.was_interrupted) report["interrupted"] = true;
  if (results.against) report["against"] = backend_as_json(*results.against);
  for (const BackendResult& backend : results.backends) report["backends"].push_back(backend_as_json(backend));
  for (const Cell& cell : cells_of(results)) report["cells"].push_back(cell_as_json(results, cell));
  for (const CaseResult& result : results.cases) report["cases"].push_back(case_as_json(results, result));
  return report;
}

}  // namespace qassay
