// A page with its data inside.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace qassay {

/// The page with the data in place of its marker /*RESULTS*/.
std::string filled_page(std::string page, const nlohmann::json& data);

}  // namespace qassay
