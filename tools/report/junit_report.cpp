#include <fmt/format.h>
#include <fmt/ranges.h>

#include <pugixml.hpp>
#include <sstream>

#include "tools/report/report.hpp"

namespace qassay {
namespace {

/// Characters that XML 1.0 cannot hold become question marks.
std::string as_xml_text(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') c = '?';
  }
  return result;
}

std::string details(const RunResults& results, const CaseResult& result) {
  std::string text = fmt::format("{}\n", results.specs[result.spec].why());
  if (!result.diagnosis.empty()) text += fmt::format("diagnosis: {}\n", result.diagnosis);
  for (const OutputResult& output : result.outputs) {
    const OutputComparison& comparison = output.comparison;
    text += fmt::format("{}: {} of {} elements differ, sqnr {}\n", comparison.name, comparison.mismatches,
                        comparison.compared(), to_text(comparison.sqnr));
    for (const ShownElement& shown : output.shown) {
      text += fmt::format("  {}\n  {}\n",
                          element_text(comparison.type, shown, results.against ? results.against->name : "expected",
                                       results.against ? results.backends[result.backend].name : "got"),
                          shown.explain);
    }
  }
  if (result.pair) text += pair_text(results, result);
  return text + reproduce_command(results, result) + "\n";
}

struct SuiteCounts {
  std::size_t tests = 0;
  std::size_t failures = 0;
  std::size_t errors = 0;
  std::size_t skipped = 0;
};

/// How JUnit calls a verdict; nothing for a success.
const char* element_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::mismatch:
    case Verdict::unexpected_pass: return "failure";
    case Verdict::error:
    case Verdict::crash:
    case Verdict::timeout: return "error";
    case Verdict::unsupported:
    case Verdict::unspecified: return "skipped";
    default: return nullptr;
  }
}

std::string known_text(const RunResults& results, const CaseResult& result) {
  if (result.pair) return pair_text(results, result);
  return fmt::format("known difference: {}; {} {}", result.known_difference->cause_text(), result.known_difference->why,
                     result.known_difference->upstream);
}

std::string name_and_version(const BackendResult& backend) {
  return backend.hello.version.empty() ? backend.name : fmt::format("{} {}", backend.name, backend.hello.version);
}

/// A suite that says nothing must not look green.
void add_failure(pugi::xml_node suite, SuiteCounts& counts, const BackendResult& backend) {
  if (backend.failure.empty()) return;
  pugi::xml_node node = suite.append_child("testcase");
  node.append_attribute("classname") = as_xml_text(backend.name).c_str();
  node.append_attribute("name") = "the backend runs";
  node.append_child("error").append_attribute("message") = as_xml_text(backend.failure).c_str();
  ++counts.tests;
  ++counts.errors;
}

void add_case(pugi::xml_node suite, SuiteCounts& counts, const RunResults& results, const CaseResult& result) {
  const CaseSpec& spec = results.specs[result.spec];
  pugi::xml_node node = suite.append_child("testcase");
  node.append_attribute("classname") =
      fmt::format("{}.{}", as_xml_text(results.backends[result.backend].name), spec.formula->id()).c_str();
  node.append_attribute("name") = as_xml_text(spec.name).c_str();
  node.append_attribute("time") = fmt::format("{:.6f}", result.seconds).c_str();
  ++counts.tests;
  if (const char* const element = element_of(result.verdict)) {
    pugi::xml_node outcome = node.append_child(element);
    const bool is_skipped = std::string_view(element) == "skipped";
    const bool is_error = std::string_view(element) == "error";
    ++(is_skipped ? counts.skipped : is_error ? counts.errors : counts.failures);
    outcome.append_attribute("message") =
        as_xml_text(result.message.empty() ? name(result.verdict) : result.message).c_str();
    if (is_skipped) return;
    outcome.append_attribute("type") = std::string(name(result.verdict)).c_str();
    outcome.text() = as_xml_text(details(results, result)).c_str();
  } else if (result.known_difference != nullptr) {
    node.append_child("system-out").text() = as_xml_text(known_text(results, result)).c_str();
  }
}

}  // namespace

std::string junit_report(const RunResults& results) {
  pugi::xml_document document;
  pugi::xml_node suites = document.append_child("testsuites");
  for (std::size_t b = 0; b < results.backends.size(); ++b) {
    const BackendResult& backend = results.backends[b];
    pugi::xml_node suite = suites.append_child("testsuite");
    const std::string against = results.against ? " against " + name_and_version(*results.against) : "";
    suite.append_attribute("name") = as_xml_text(name_and_version(backend) + against).c_str();
    SuiteCounts counts;
    for (const CaseResult& result : results.cases) {
      if (result.backend == b) add_case(suite, counts, results, result);
    }
    add_failure(suite, counts, backend);
    if (results.against) add_failure(suite, counts, *results.against);
    suite.append_attribute("tests") = std::to_string(counts.tests).c_str();
    suite.append_attribute("failures") = std::to_string(counts.failures).c_str();
    suite.append_attribute("errors") = std::to_string(counts.errors).c_str();
    suite.append_attribute("skipped") = std::to_string(counts.skipped).c_str();
  }
  std::ostringstream text;
  document.save(text, "  ");
  return text.str();
}

}  // namespace qassay
