// The input tensors of a case.
#pragma once

#include "tools/cases.hpp"

namespace qassay {

/// Literal tensors as they stand; generated lists dealt into the shape, slice by slice where parameters differ.
Inputs make_inputs(const CaseSpec& spec);

}  // namespace qassay
