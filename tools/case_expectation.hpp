// What a case expects of one output.
#pragma once

#include <string_view>

#include "tools/case_group.hpp"
#include "tools/cases.hpp"

namespace qassay {

/// What the formula computes, narrowed or freed by what the case states. `stated` and `unspecified` may be nullptr.
/// Throws RequestError(bad_file) where the two disagree, naming both: stated values guard the interpreter.
ExpectedOutput expected_output(const StatedOutput* stated, const Tensor& computed,
                               const std::vector<std::uint8_t>* unspecified, std::string_view output);

}  // namespace qassay
