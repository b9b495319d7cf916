// A case as a request of the adapter protocol, with its tensors as files.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tools/cases.hpp"

namespace qassay {

/// Writes the inputs into the folder and says where the outputs shall stand. A case that must be refused is sent with
/// its settings as they were written.
nlohmann::json make_request(const CaseSpec& spec, const Case& made, const std::filesystem::path& folder);

/// The outputs a request asked for, in the order of the signature. Throws RequestError naming the one that is missing,
/// malformed, or of another type or shape.
std::vector<Tensor> read_outputs(const Signature& signature, const nlohmann::json& request);

/// A tensor as the protocol writes it: {"type", "shape", "values"}.
nlohmann::json tensor_as_json(const Tensor& tensor);

/// A parameter that is no tensor as the protocol writes it: a number, a truth value, a word, or a list of extents.
nlohmann::json plain_as_json(const Parameter& parameter, const Written& written);

/// Parameters as they are written after --set.
std::vector<std::pair<std::string, std::string>> settings_as_text(const Settings& settings);

}  // namespace qassay
