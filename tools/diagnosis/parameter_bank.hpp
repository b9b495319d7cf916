// Sets of parameters to try one after another.
#pragma once

#include <string>
#include <vector>

#include "interpreter/arguments.hpp"

namespace qassay {

/// `fixed` crossed with "name=v1,v2" lists, the last list fastest. Throws RequestError.
std::vector<Settings> crossed(const Settings& fixed, const std::vector<std::string>& lists);

/// Awkward scales, zero points at both ends of the type and in between, both 8-bit types; what is fixed or listed
/// replaces the bank's own values. By role names.
std::vector<Settings> parameter_bank(const Settings& fixed, const std::vector<std::string>& lists);

}  // namespace qassay
