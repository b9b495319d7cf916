// Findings, as text for people and in three formats for machines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/harness/results.hpp"

namespace qassay {

enum class Colours : bool { no, yes };

/// Colours if standard output is a terminal and NO_COLOR is not set.
Colours colours_for_stdout();

/// What there is to say, the worst last; at most `most_shown` failing cases of a backend in full.
std::string text_report(const RunResults& results, Colours colours, std::size_t most_shown);

/// The format that README.md beside this file states.
nlohmann::json json_report(const RunResults& results);

std::string junit_report(const RunResults& results);

/// One page that needs no network.
std::string html_report(const RunResults& results);

/// The text of report.html, which the page is made from.
extern const char* const kHtmlTemplate;

/// One output on its own, for `diff`.
std::string output_as_text(const OutputResult& output);
nlohmann::json output_as_json(const OutputResult& output);

/// "61.25 dB", "exact", "no_signal".
std::string to_text(const Sqnr& sqnr);

/// "[3] x=0.25 (0x3e800000): expected 128, got 129, +1 lsb", with words for who gave what.
std::string element_text(Type type, const ShownElement& shown, std::string_view expected, std::string_view got);
/// What a tolerance says of an output, and what it lets through of a run.
std::string to_text(const ToleranceFinding& finding);
std::string to_text(const LetThrough& through);
/// What is found of a case on two backends: which formulas each follows and what separates them, in lines.
std::string pair_text(const RunResults& results, const CaseResult& result);
/// "onnxruntime refuses it; onnx_reference computes it".
std::string endings_text(const RunResults& results, const CaseResult& result);

/// The command that runs one case again.
std::string reproduce_command(const RunResults& results, const CaseResult& result);

}  // namespace qassay
