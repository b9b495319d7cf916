#include "tools/cases.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "tools/case_expectation.hpp"
#include "tools/case_group.hpp"
#include "tools/case_inputs.hpp"
#include "tools/cases_json.hpp"
#include "tools/exact_number.hpp"
#include "tools/summation.hpp"

namespace qassay {
namespace {

namespace fs = std::filesystem;

/// Case files below a folder, in the order of their names. The schemas and the list of traps are none.
std::vector<fs::path> case_files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  for (auto entry = fs::recursive_directory_iterator(folder); entry != fs::recursive_directory_iterator(); ++entry) {
    if (entry->is_directory() && entry->path().filename() == "schema") entry.disable_recursion_pending();
    else if (entry->is_regular_file() && entry->path().extension() == ".json" &&
             entry->path().filename() != "traps.json")
      files.push_back(entry->path());
  }
  std::ranges::sort(files);
  if (files.empty())
    throw RequestError(ErrorKind::bad_file, fmt::format("{}: has no case files (*.json)", folder.string()));
  return files;
}

/// One case for each combination of crossed values and each length.
void add_cases(const Formula& formula, const std::shared_ptr<const CaseGroup>& group, std::vector<CaseSpec>& cases) {
  std::vector<std::pair<std::vector<std::string>, Settings>> combinations{{{}, group->settings}};
  for (const auto& [name, values] : group->each) {
    std::vector<std::pair<std::vector<std::string>, Settings>> crossed;
    for (const auto& [labels, settings] : combinations) {
      for (const auto& [label, value] : values) {
        auto& [more_labels, more_settings] = crossed.emplace_back(labels, settings);
        more_labels.push_back(fmt::format("{}={}", name, label));
        more_settings.insert_or_assign(name, value);
      }
    }
    combinations = std::move(crossed);
  }
  const auto add = [&](std::vector<std::string> labels, const Settings& settings, std::optional<std::size_t> length) {
    if (length) labels.push_back(fmt::format("length={}", *length));
    CaseSpec spec;
    spec.name = fmt::format("{}/{}", formula.id(), group->id);
    if (!labels.empty()) spec.name += fmt::format("[{}]", fmt::join(labels, ","));
    spec.formula = &formula;
    spec.group = group;
    spec.settings = settings;
    spec.length = length;
    cases.push_back(std::move(spec));
  };
  for (const auto& [labels, settings] : combinations) {
    if (!group->lengths) add(labels, settings, std::nullopt);
    else
      for (std::size_t length = group->lengths->from; length <= group->lengths->to; ++length)
        add(labels, settings, length);
  }
}

/// A hex float must be a value of the type that its parameter turned out to have.
void check_exact_parameters(const Arguments& arguments, const Settings& settings) {
  for (const auto& [given, written] : settings) {
    const Parameter* parameter = arguments.signature->parameter(std::string_view(given));
    const std::optional<Tensor>& tensor = arguments[parameter->role].tensor;
    if (!tensor) continue;
    for (const std::string& text : written.elements) {
      const bool is_hex_float = text.starts_with("0x") || text.starts_with("-0x");
      if (is_hex_float && !is_value_of(text, tensor->type())) {
        throw RequestError(ErrorKind::bad_value,
                           fmt::format("{}: '{}' is no {} value; the nearest is {}", given, text, name(tensor->type()),
                                       number_text(tensor->type(), parse_number(text, tensor->type()))));
      }
    }
  }
}

/// Checks that the formula refuses, and with the right error.
void check_refusal(const CaseSpec& spec, const Inputs& inputs, ErrorKind expected) {
  try {
    (*spec.formula)(inputs, spec.settings);
  } catch (const RequestError& error) {
    if (error.kind() == expected) return;
    throw RequestError(ErrorKind::bad_file, fmt::format("expects the error {}, but the formula refuses with {}: {}",
                                                        name(expected), name(error.kind()), error.what()));
  }
  throw RequestError(ErrorKind::bad_file,
                     fmt::format("expects the error {}, but the formula accepts these parameters", name(expected)));
}

Case make_case(const CaseSpec& spec) {
  const CaseGroup& group = *spec.group;
  Case made;
  made.inputs = make_inputs(spec);
  if (group.error) {
    check_refusal(spec, made.inputs, *group.error);
    made.expectation.error = group.error;
    return made;
  }
  made.arguments = spec.formula->arguments(made.inputs, spec.settings);
  check_exact_parameters(*made.arguments, spec.settings);
  const Evaluation evaluation = spec.formula->evaluate(*made.arguments, made.inputs);
  for (const auto& [output, tensor] : evaluation.outputs) {
    const auto stated = group.outputs.find(output);
    const auto open = evaluation.unspecified.find(output);
    made.expectation.outputs.emplace(
        output, expected_output(stated == group.outputs.end() ? nullptr : &stated->second, tensor,
                                open == evaluation.unspecified.end() ? nullptr : &open->second, output));
  }
  allow_orders_of_addition(*made.arguments, made.expectation);
  return made;
}

}  // namespace

const CaseProgram* CaseSpec::program() const {
  return group ? group->program.get() : nullptr;
}

std::vector<std::string_view> CaseSpec::asked_formulas() const {
  if (program() == nullptr) return {formula->id()};
  std::vector<std::string_view> ids;
  for (const ProgramCall& call : program()->calls()) ids.push_back(call.callee.id());
  return ids;
}

std::string_view CaseSpec::group_id() const {
  return group->id;
}

std::string_view CaseSpec::why() const {
  return group->why;
}

const std::vector<std::string>& CaseSpec::traps() const {
  return group->traps;
}

std::string_view CaseSpec::policy() const {
  return group->policy;
}

std::string CaseSpec::generators() const {
  return group->generators;
}

Case CaseSpec::materialise() const {
  try {
    return make_case(*this);
  } catch (const RequestError& error) {
    throw RequestError(error.kind(), fmt::format("{}: {}: {}", group->place, name, error.what()));
  }
}

std::vector<CaseSpec> load_cases(const std::vector<fs::path>& files_and_folders) {
  std::vector<CaseSpec> cases;
  for (const fs::path& given : files_and_folders) {
    std::error_code error;
    if (!fs::exists(given, error)) {
      throw RequestError(ErrorKind::bad_file,
                         fmt::format("{}: is neither a case file nor a folder of case files", given.string()));
    }
    std::optional<std::set<std::string, std::less<>>> traps;
    std::vector<fs::path> files{given};
    if (fs::is_directory(given, error)) {
      files = case_files_below(given);
      if (fs::exists(given / "traps.json", error)) {
        traps.emplace();
        for (const auto& [name, trap] : load_traps(given / "traps.json")) traps->insert(name);
      }
    }
    for (const fs::path& file : files) {
      const CaseFile read = read_case_file(file, traps ? &*traps : nullptr);
      for (const auto& group : read.groups) add_cases(*read.formula, group, cases);
    }
  }
  std::map<std::string_view, const CaseSpec*> by_name;
  for (const CaseSpec& spec : cases) {
    if (const auto [first, is_new] = by_name.emplace(spec.name, &spec); !is_new) {
      throw RequestError(ErrorKind::bad_file,
                         fmt::format("{}: the case '{}' stands at {} already; names must be unique", spec.group->place,
                                     spec.name, first->second->group->place));
    }
  }
  return cases;
}

fs::path case_file_of(std::string_view formula_id) {
  const std::string_view op = op_of(formula_id);
  const auto is_upper = [&](std::size_t i) { return i < op.size() && std::isupper(static_cast<unsigned char>(op[i])); };
  const auto is_lower = [&](std::size_t i) { return i < op.size() && std::islower(static_cast<unsigned char>(op[i])); };
  std::string file;
  for (std::size_t i = 0; i < op.size(); ++i) {
    const bool starts_word = is_upper(i) && i > 0 && op[i - 1] != '_' && (!is_upper(i - 1) || is_lower(i + 1));
    if (starts_word) file += '_';
    file += static_cast<char>(std::tolower(static_cast<unsigned char>(op[i])));
  }
  if (const std::string_view version = version_of(formula_id); !version.empty()) file += fmt::format("@{}", version);
  return fs::path(dialect_of(formula_id)) / (file + ".json");
}

}  // namespace qassay
