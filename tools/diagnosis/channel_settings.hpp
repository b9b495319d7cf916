// The parameters of one channel, for a formula of one element.
#pragma once

#include "interpreter/formula.hpp"

namespace qassay {

/// The number of channels that parameters are given for. Throws RequestError where two differ.
std::size_t channels_of(const Settings& settings, const Signature& signature);

/// The settings of one channel for a tensor of one element. An axis that has to be there is the only one.
Settings of_channel(const Settings& settings, const Signature& signature, std::size_t channel);

}  // namespace qassay
