// The values in a case file: numbers, tensors, generators, expectations. All throw RequestError(bad_file) with the
// place.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "tools/case_group.hpp"
#include "tools/json_document.hpp"

namespace qassay {

/// "0x1p-1:float16" as its number and its type.
std::pair<std::string, std::optional<Type>> split_type(const JsonValue& json);
/// A number without a type. A string must be exact; a JSON number stands for the nearest value.
CaseNumber number_of(const JsonValue& json, const std::string& text);
StatedElement stated_element(const JsonValue& json);
StatedOutput stated_output(const JsonValue& json);
InputPlan input_plan(const JsonValue& json, const Input& input);
/// A parameter's value. Whether its words and numbers are right is checked against the signature where it has such a
/// parameter; a group that expects an error may name others.
Written written_of(const JsonValue& json, const Parameter* parameter);
/// How a crossed value stands in a case's name.
std::string label_of(const JsonValue& json);

}  // namespace qassay
