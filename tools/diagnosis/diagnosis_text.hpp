// A diagnosis, for people and for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tools/diagnosis/diagnosis.hpp"

namespace qassay {

/// `subject` is whose outputs were looked at: "onnxruntime 1.32.0", "y.npy".
std::string diagnosis_text(const Diagnosis& diagnosis, const std::string& subject);
nlohmann::ordered_json diagnosis_json(const Diagnosis& diagnosis, const std::string& subject);

}  // namespace qassay
