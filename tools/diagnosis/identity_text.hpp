// What there is to say about an identity, for people and for programs.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/diagnosis/backend_identity.hpp"

namespace qassay {

/// The ids of fake_quantize, quantize and dequantize, as they were asked for.
using IdentityIds = std::array<std::string, 3>;

std::string identity_text(const IdentityIds& ids, const IdentityFinding& finding);
std::string identity_text(const IdentityIds& ids, const std::string& backend, const BackendIdentityFinding& finding);

/// The format that README.md beside this file states.
nlohmann::ordered_json identity_json(const IdentityIds& ids, const IdentityFinding& finding);
nlohmann::ordered_json identity_json(const IdentityIds& ids, const std::string& backend,
                                     const BackendIdentityFinding& finding);

}  // namespace qassay
