#include "tools/formula_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace qassay {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string_view> names_of(const std::vector<Type>& types) {
  std::vector<std::string_view> names;
  for (const Type type : types) names.push_back(name(type));
  return names;
}

/// What may be written for a parameter.
std::string values_of(const Parameter& parameter) {
  switch (parameter.kind) {
    case ParameterKind::real:
      return parameter.own_type == OwnType::float64              ? "float64"
             : parameter.own_type == OwnType::float32            ? "float32"
             : parameter.own_type == OwnType::of_input           ? "the type of x"
             : parameter.own_type == OwnType::float32_or_float64 ? "float32 or float64"
                                                                 : "float32; the type of y before opset 23";
    case ParameterKind::integer:
      if (!parameter.types.empty()) return fmt::format("integers: {}", fmt::join(names_of(parameter.types), " "));
      return parameter.within == Within::output_type   ? "integers of the output's type"
             : parameter.within == Within::input_type  ? "integers of the input's type"
             : parameter.within == Within::quant_range ? "integers in [quant_min, quant_max]"
                                                       : "int32";
    case ParameterKind::integer_or_real: return "int32, or float32";
    case ParameterKind::whole: return "an integer";
    case ParameterKind::shape: return "extents, as [1,32]";
    case ParameterKind::dtype: return fmt::format("{}", fmt::join(names_of(parameter.types), " "));
    case ParameterKind::choice: return fmt::format("{}", fmt::join(parameter.words, " "));
    case ParameterKind::boolean: return "true false";
  }
  return {};
}

std::string type_of(const Output& output) {
  switch (output.rule) {
    case OutputRule::fixed: return std::string(name(output.fixed));
    case OutputRule::of_dtype: return "as asked for";
    case OutputRule::of_input: return "the type of the input";
    case OutputRule::varies: return "see there";
  }
  return {};
}

}  // namespace

std::string page_text(const Signature& signature) {
  std::string text = fmt::format("{}\n\n  {}\n", signature.id, signature.summary);
  const auto section = [&](std::string_view title) { text += fmt::format("\n{}\n", title); };
  if (!signature.steps.empty()) section("Steps");
  for (std::size_t i = 0; i < signature.steps.size(); ++i) {
    text += fmt::format("  S{:<2} {:<16} {}\n", i + 1, signature.steps[i].name, signature.steps[i].about);
  }
  if (!signature.inputs.empty()) section("Inputs");
  for (const Input& input : signature.inputs) {
    text += fmt::format("  {:<20} {} ({})\n", input.name, input.about, fmt::join(names_of(input.types), " "));
  }
  if (!signature.parameters.empty()) section("Parameters");
  for (const Parameter& parameter : signature.parameters) {
    text += fmt::format("  {:<20} {} ({}{})\n", parameter.name, parameter.about, values_of(parameter),
                        parameter.fallback.empty() ? "; required" : fmt::format("; default {}", parameter.fallback));
  }
  section("Outputs");
  for (const Output& output : signature.outputs) {
    text += fmt::format("  {:<20} {} ({})\n", output.name, output.about, type_of(output));
  }
  section("Edges");
  text += fmt::format("  {}\n", signature.edges);
  section(signature.authority == Authority::specification ? "Specification" : "Implementation");
  text += fmt::format("  {}\n", signature.source);
  if (!signature.verified.empty()) text += fmt::format("  Verified: {}\n", signature.verified);
  return text;
}

std::string page_json(const Signature& signature) {
  Json page{{"id", signature.id},
            {"summary", signature.summary},
            {"kind", name(signature.kind)},
            {"authority", signature.authority == Authority::specification ? "specification" : "implementation"}};
  for (const Step& step : signature.steps) page["steps"].push_back({{"name", step.name}, {"about", step.about}});
  for (const Input& input : signature.inputs) {
    page["inputs"].push_back({{"name", input.name}, {"types", names_of(input.types)}, {"about", input.about}});
  }
  page["parameters"] = Json::array();
  for (const Parameter& parameter : signature.parameters) {
    Json row{{"name", parameter.name},
             {"role", name(parameter.role)},
             {"values", values_of(parameter)},
             {"about", parameter.about}};
    if (!parameter.fallback.empty()) row["default"] = parameter.fallback;
    page["parameters"].push_back(row);
  }
  for (const Output& output : signature.outputs) {
    page["outputs"].push_back({{"name", output.name}, {"type", type_of(output)}, {"about", output.about}});
  }
  page["edges"] = signature.edges;
  page["source"] = signature.source;
  if (!signature.verified.empty()) page["verified"] = signature.verified;
  return page.dump(2) + "\n";
}

std::string list_text(const std::vector<const Formula*>& formulas) {
  std::size_t width = 0;
  for (const Formula* formula : formulas) width = std::max(width, formula->id().size());
  std::string text;
  for (const Formula* formula : formulas)
    text += fmt::format("{:<{}}  {}\n", formula->id(), width, formula->signature->summary);
  return text;
}

std::string list_json(const std::vector<const Formula*>& formulas) {
  Json all = Json::array();
  for (const Formula* formula : formulas) all.push_back(Json::parse(page_json(*formula->signature)));
  return all.dump(2) + "\n";
}

std::string list_markdown(const std::vector<const Formula*>& formulas) {
  std::string text = "| formula | computes | kind |\n|---|---|---|\n";
  for (const Formula* formula : formulas) {
    const Signature& signature = *formula->signature;
    text += fmt::format("| `{}` | `{}` | {}, {} |\n", signature.id, signature.summary,
                        signature.authority == Authority::specification ? "specification" : "implementation",
                        name(signature.kind));
  }
  return text;
}

}  // namespace qassay
