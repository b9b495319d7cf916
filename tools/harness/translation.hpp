// One formula's arguments said in another formula's words, by role.
#pragma once

#include "interpreter/formula.hpp"

namespace qassay {

/// Settings of one formula for another: parameters of the same name or role; those that the other lacks, and words it
/// does not know, are dropped. A formula that wants a range of codes where there was a type is given the type's.
Settings translate(const Settings& settings, const Signature& from, const Signature& to);

/// Inputs by their place. Throws RequestError(missing_parameter) if their numbers differ.
Inputs translate(const Inputs& inputs, const Signature& from, const Signature& to);

/// Whether one set of arguments may drive both: inputs of one number, and scales and zero points of the same roles.
bool are_alike(const Signature& a, const Signature& b);

}  // namespace qassay
