// Inputs and parameters as the command line writes them.
#pragma once

#include <string>
#include <vector>

#include "interpreter/arguments.hpp"

namespace qassay {

/// "name=0.1", "name=[1,2,3]:float16", "name=@file.npy:int8" to settings. Throws RequestError naming the option.
Settings parse_settings(const std::vector<std::string>& assignments);

/// "x=file.npy" or "x=file.npy:int4" to tensors.
Inputs read_inputs(const std::vector<std::string>& assignments);

}  // namespace qassay
