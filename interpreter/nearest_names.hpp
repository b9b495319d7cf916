// Offers the names that a misspelt one may have meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace qassay {

/// Up to `most` of `names`, nearest first, that are near enough to `given` to be what was meant.
std::vector<std::string> nearest_names(std::string_view given, const std::vector<std::string>& names,
                                       std::size_t most = 3);

/// " (did you mean 'x'?)", or nothing.
std::string did_you_mean(std::string_view given, const std::vector<std::string>& names);

}  // namespace qassay
