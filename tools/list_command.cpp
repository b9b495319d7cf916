#include <fmt/format.h>

#include <memory>
#include <regex>

#include "interpreter/registry.hpp"
#include "tools/commands.hpp"
#include "tools/formula_page.hpp"

namespace qassay {
namespace {

struct ListOptions {
  std::string filter;
  std::string format = "text";
};

void run_list(const ListOptions& options) {
  std::regex pattern;
  try {
    pattern = std::regex(options.filter);
  } catch (const std::regex_error& error) {
    throw RequestError(ErrorKind::bad_value,
                       fmt::format("--filter: '{}' is no regular expression: {}", options.filter, error.what()));
  }
  std::vector<const Formula*> chosen;
  for (const Formula& formula : all_formulas()) {
    if (std::regex_search(std::string(formula.id()), pattern)) chosen.push_back(&formula);
  }
  if (chosen.empty())
    throw RequestError(ErrorKind::not_found,
                       fmt::format("no formula matches '{}'; 'qassay list' shows all", options.filter));
  const auto write = options.format == "json" ? list_json : options.format == "markdown" ? list_markdown : list_text;
  fmt::print("{}", write(chosen));
}

struct ShowOptions {
  std::string formula;
  std::string format = "text";
};

}  // namespace

void add_list_command(CLI::App& program) {
  auto* command = program.add_subcommand("list", "The formulas there are");
  const auto options = std::make_shared<ListOptions>();
  command->add_option("--filter", options->filter, "Only ids that match this regular expression");
  command->add_option("--format", options->format, "text, json or markdown")
      ->check(CLI::IsMember({"text", "json", "markdown"}))
      ->capture_default_str();
  command->footer("Examples:\n  qassay list\n  qassay list --filter '^onnx\\.'\n  qassay list --format json");
  command->callback([options] { run_list(*options); });
}

void add_show_command(CLI::App& program) {
  auto* command = program.add_subcommand("show", "One formula's page: its steps, parameters, edges and source");
  const auto options = std::make_shared<ShowOptions>();
  command->add_option("FORMULA", options->formula, "An id such as onnx.QuantizeLinear")->required();
  command->add_option("--format", options->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->footer(
      "Examples:\n  qassay show onnx.QuantizeLinear\n  qassay show pytorch.quantize_per_tensor@2.13 --format json");
  command->callback([options] {
    const Signature& signature = *formula(options->formula).signature;
    fmt::print("{}", options->format == "json" ? page_json(signature) : page_text(signature));
  });
}

}  // namespace qassay
