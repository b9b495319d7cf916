// A reduced case in the format of cases/, ready to be pasted.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/diagnosis/case_reduction.hpp"

namespace qassay {

/// The group of a case file that holds the reduced case. Why it matters is left for a person to say.
nlohmann::ordered_json reduced_group(const CaseSpec& spec, const Reduction& reduction, const std::string& backend);

/// A case file of this group alone.
std::string case_file_with(const Formula& formula, const nlohmann::ordered_json& group);

}  // namespace qassay
