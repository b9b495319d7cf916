#include "tools/harness/known_differences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "interpreter/registry.hpp"
#include "tools/harness/compare.hpp"
#include "tools/harness/translation.hpp"
#include "tools/npy.hpp"

namespace qassay {
namespace {

using nlohmann::json;

KnownDifference read_entry(const json& entry) {
  KnownDifference difference;
  Settings set;
  for (const auto& [key, value] : entry.items()) {
    if (key == "set") {
      for (const auto& [name, word] : value.items()) set.emplace(name, Written::scalar(word.get<std::string>()));
      continue;
    }
    const auto text = value.get<std::string>();
    if (key == "cases") difference.cases = text;
    else if (key == "cause") difference.cause = formula(text);
    else if (key == "crash") difference.crash = text;
    else if (key == "accepts") difference.accepts = text;
    else if (key == "why") difference.why = text;
    else if (key == "upstream") difference.upstream = text;
    else if (key == "processor") difference.processor = text;
    else throw RequestError(ErrorKind::bad_file, fmt::format("unknown key '{}'", key));
  }
  const int proofs =
      (difference.cause ? 1 : 0) + (difference.crash.empty() ? 0 : 1) + (difference.accepts.empty() ? 0 : 1);
  if (difference.cases.empty() || proofs != 1 || difference.why.empty())
    throw RequestError(ErrorKind::bad_file, "needs cases, why, and one of cause, crash and accepts");
  for (const auto& [name, word] : set) {
    if (!difference.cause || difference.cause->formula->signature->parameter(name) == nullptr)
      throw RequestError(ErrorKind::bad_file, fmt::format("set: the cause has no parameter '{}'", name));
  }
  if (difference.cause) difference.cause->set = std::move(set);
  return difference;
}

}  // namespace

bool KnownDifference::covers(std::string_view case_name) const {
  return matches_glob(cases, case_name);
}

std::string KnownDifference::cause_text() const {
  return cause              ? cause->text()
         : !accepts.empty() ? fmt::format("it computes what must be refused ({})", accepts)
                            : fmt::format("the process dies by {}", crash);
}

bool matches_glob(std::string_view glob, std::string_view text) {
  std::size_t g = 0;
  std::size_t t = 0;
  std::size_t after_star = std::string_view::npos;
  std::size_t resume_at = 0;
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      after_star = ++g;
      resume_at = t;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t])) {
      ++g;
      ++t;
    } else if (after_star != std::string_view::npos) {  // let the last star take one more
      g = after_star;
      t = ++resume_at;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', g) == std::string_view::npos;
}

std::vector<KnownDifference> load_known_differences(const std::filesystem::path& file, const Processor& processor) {
  std::vector<KnownDifference> differences;
  if (!std::filesystem::exists(file)) return differences;
  const json entries = json::parse(read_file(file), nullptr, false);
  if (!entries.is_array()) {
    throw RequestError(ErrorKind::bad_file, fmt::format("{}: expected a JSON list of entries", file.string()));
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    try {
      KnownDifference difference = read_entry(entries[i]);
      if (difference.processor.empty() || processor.has(difference.processor)) {
        differences.push_back(std::move(difference));
      }
    } catch (const std::exception& error) {
      throw RequestError(
          ErrorKind::bad_file,
          fmt::format("{}: /{}: {}; an entry is {{\"cases\": glob, \"cause\": formula, \"set\": "
                      "{{parameter: word}} or \"crash\": signal or \"accepts\": kind of error, \"why\": …, "
                      "\"upstream\": …, \"processor\": feature}}",
                      file.string(), i, error.what()));
    }
  }
  return differences;
}

Settings settings_for(const Variant& variant, const Signature& formula, const Settings& settings) {
  Settings translated = translate(settings, formula, *variant.formula->signature);
  for (const auto& [name, word] : variant.set) translated.insert_or_assign(name, word);
  return translated;
}

std::optional<std::vector<Tensor>> outputs_by(const Variant& other, const Signature& formula, const Settings& settings,
                                              const Inputs& inputs) {
  const Signature& own = *other.formula->signature;
  try {
    Evaluation evaluation = (*other.formula)(translate(inputs, formula, own), settings_for(other, formula, settings));
    std::vector<Tensor> outputs;
    for (const Output& output : own.outputs) outputs.push_back(std::move(evaluation.outputs.find(output.name)->second));
    return outputs;
  } catch (const RequestError&) {
    return std::nullopt;
  }
}

bool are_same(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::ranges::equal(a, b, is_same);
}

bool reproduces(const Variant& cause, const Signature& formula, const Settings& settings, const Inputs& inputs,
                const std::vector<Tensor>& outputs) {
  const auto given = outputs_by(cause, formula, settings, inputs);
  // A case that must be refused has no shape of its own, so the backend was asked for the first input's.
  return given && std::ranges::equal(*given, outputs, [](const Tensor& a, const Tensor& b) {
           return a.size() == b.size() && is_same(a, b.reshaped(a.shape()));
         });
}

bool refuses(const Variant& cause, const Signature& formula, const Settings& settings, const Inputs& inputs) {
  try {
    // Evaluated, because a program refuses some data only when it comes to them.
    (*cause.formula)(translate(inputs, formula, *cause.formula->signature), settings_for(cause, formula, settings));
    return false;
  } catch (const RequestError& error) {
    // A parameter lost in translation proves nothing.
    return error.kind() != ErrorKind::missing_parameter && error.kind() != ErrorKind::unknown_parameter;
  }
}

}  // namespace qassay
