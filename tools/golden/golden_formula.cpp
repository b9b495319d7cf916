#include "tools/golden/golden_formula.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/golden/digest.hpp"
#include "tools/harness/request.hpp"
#include "tools/harness/translation.hpp"
#include "tools/npy.hpp"

namespace qassay {
namespace {

using Json = nlohmann::ordered_json;

/// One file: the elements of one tensor of a formula, case after case. Cases with the same elements share them.
class TensorFile {
 public:
  explicit TensorFile(Type type) : type_(type) {}

  /// Where the elements stand.
  std::size_t add(const Tensor& tensor, const std::string& digest) {
    const auto [found, is_new] = first_by_digest_.emplace(digest, count_);
    if (is_new) {
      bytes_.insert(bytes_.end(), tensor.bytes().begin(), tensor.bytes().end());
      count_ += tensor.size();
    }
    return found->second;
  }
  Type type() const { return type_; }
  std::size_t count() const { return count_; }
  std::string content() const {
    Tensor all(type_, {static_cast<std::int64_t>(count_)});
    std::ranges::copy(bytes_, all.bytes().begin());
    return npy_content(all);
  }

 private:
  Type type_;
  std::vector<std::byte> bytes_;
  std::size_t count_ = 0;
  std::map<std::string, std::size_t> first_by_digest_;
};

/// Runs of elements that are not judged: [first, count].
Json runs_of(const std::vector<std::uint8_t>& unspecified) {
  Json runs = Json::array();
  for (std::size_t i = 0; i < unspecified.size(); ++i) {
    if (unspecified[i] == 0) continue;
    const std::size_t first = i;
    while (i < unspecified.size() && unspecified[i] != 0) ++i;
    runs.push_back({first, i - first});
  }
  return runs;
}

Json value_as_json(Type type, std::uint64_t bits) {
  Tensor holder(type, {1});
  holder.set_bits(0, bits);
  return Json(tensor_as_json(holder)["values"][0]);
}

Json freedoms_as_json(const ExpectedOutput& expected) {
  Json list = Json::array();
  for (const auto& [element, freedom] : expected.freedoms) {
    const Type type = expected.values.type();
    Json entry{{"element", element}};
    if (freedom.between) {
      entry["between"] = {value_as_json(type, freedom.between->first), value_as_json(type, freedom.between->second)};
    } else {
      for (const std::uint64_t bits : freedom.either) entry["either"].push_back(value_as_json(type, bits));
    }
    list.push_back(std::move(entry));
  }
  return list;
}

Json tensor_in_order(const Tensor& tensor) {
  const nlohmann::json json = tensor_as_json(tensor);
  return {{"type", Json(json["type"])}, {"shape", Json(json["shape"])}, {"values", Json(json["values"])}};
}

/// Every parameter with its default, in the order of the signature; tensors as in the adapter protocol.
Json parameters_of(const Arguments& arguments) {
  const Settings settings = settings_of(arguments);
  Json parameters = Json::object();
  for (const Parameter& parameter : arguments.signature->parameters) {
    const auto given = settings.find(parameter.name);
    if (given == settings.end()) continue;
    Json& json = parameters[std::string(parameter.name)];
    if (given->second.tensor) json = tensor_in_order(*given->second.tensor);
    else json = Json(plain_as_json(parameter, given->second));
  }
  return parameters;
}

/// As they were written: they are to be refused.
Json parameters_of(const Settings& settings) {
  Json parameters = Json::object();
  for (const auto& [parameter, text] : settings_as_text(settings)) parameters[parameter] = text;
  return parameters;
}

class Maker {
 public:
  explicit Maker(const Witnesses& witnesses) : witnesses_(witnesses) {}

  void add(const CaseSpec& spec) {
    const Case made = spec.materialise();
    const Signature& signature = *spec.formula->signature;
    Json json{{"case", spec.name}};
    json["parameters"] = made.arguments ? parameters_of(*made.arguments) : parameters_of(spec.settings);
    json["inputs"] = Json::object();
    for (const Input& input : signature.inputs) {
      if (const auto found = made.inputs.find(input.name); found != made.inputs.end())
        json["inputs"][found->first] = add(found->first, found->second);
    }
    if (made.expectation.error) json["error"] = name(*made.expectation.error);
    else json["outputs"] = Json::object();
    for (const Output& output : signature.outputs) {
      const auto found = made.expectation.outputs.find(output.name);
      if (found == made.expectation.outputs.end()) continue;
      Json& entry = json["outputs"][found->first];
      entry = add(found->first, found->second.values);
      if (Json runs = runs_of(found->second.unspecified); !runs.empty()) entry["unspecified"] = std::move(runs);
      if (!found->second.freedoms.empty()) entry["allowed"] = freedoms_as_json(found->second);
    }
    if (const auto found = witnesses_.find(spec.name); found != witnesses_.end()) json["witnesses"] = found->second;
    if (spec.group != group_) begin_group(spec);
    groups_.back()["cases"].push_back(std::move(json));
  }

  GoldenFormula take(const Formula& formula) {
    GoldenFormula made;
    made.folder = golden_folder(formula);
    Json files = Json::array();
    for (const auto& [name, file] : files_) {
      std::string content = file.content();
      files.push_back({{"name", name},
                       {"type", qassay::name(file.type())},
                       {"elements", file.count()},
                       {"sha256", sha256(content)}});
      made.files.emplace(name, std::move(content));
    }
    const Json json{{"formula", formula.id()},
                    {"revision", formula.signature->revision},
                    {"folder", made.folder},
                    {"files", std::move(files)},
                    {"groups", std::move(groups_)}};
    made.json = parse_json(json.dump(), made.folder);
    // As it was written, digit by digit.
    std::vector<JsonValue>& groups = made.json.items.back().items;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (!generators_[i].empty()) groups[i].items[1] = parse_json(generators_[i], made.folder);
    }
    return made;
  }

 private:
  void begin_group(const CaseSpec& spec) {
    group_ = spec.group;
    groups_.push_back({{"group", spec.group_id()}, {"inputs_from", "zero"}, {"cases", Json::array()}});
    generators_.push_back(spec.generators());
  }
  Json add(const std::string& name, const Tensor& tensor) {
    const std::string digest = sha256(tensor.bytes());
    Json json;
    if (tensor.bytes().size() > kGoldenBlockBytes) {
      json = {{"type", qassay::name(tensor.type())}, {"shape", tensor.shape()}, {"sha256", digest}};
      for (std::size_t at = 0; at < tensor.bytes().size(); at += kGoldenBlockBytes) {
        json["blocks"].push_back(
            sha256(tensor.bytes().subspan(at, std::min(kGoldenBlockBytes, tensor.bytes().size() - at))));
      }
      return json;
    }
    const std::string file = fmt::format("{}.{}.npy", name, qassay::name(tensor.type()));
    const std::size_t first = files_.try_emplace(file, tensor.type()).first->second.add(tensor, digest);
    return {{"file", file}, {"first", first}, {"shape", tensor.shape()}, {"sha256", digest}};
  }

  const Witnesses& witnesses_;
  std::map<std::string, TensorFile> files_;
  std::shared_ptr<const CaseGroup> group_;
  Json groups_ = Json::array();
  std::vector<std::string> generators_;  ///< of each group, as JSON
};

}  // namespace

std::string golden_folder(const Formula& formula) {
  std::filesystem::path folder = case_file_of(formula.id());
  return folder.replace_extension().generic_string();
}

GoldenFormula make_golden_formula(std::span<const CaseSpec> cases, const Witnesses& witnesses) {
  Maker maker(witnesses);
  for (const CaseSpec& spec : cases) maker.add(spec);
  return maker.take(*cases.front().formula);
}

}  // namespace qassay
