#pragma once

#include "interpreter/pytorch/observer_parts.hpp"

namespace qassay::pytorch {

/// torch.ao.quantization.PerChannelMinMaxObserver: the range of everything seen, for each channel.
struct PerChannelMinMaxObserver {
  inline static const Signature signature =
      observer_signature({.id = "pytorch.PerChannelMinMaxObserver", .is_per_channel = true, .is_averaging = false});

  static ProgramCalls program(const Arguments& arguments) {
    return observer_program<Spread::along_axis>(arguments, follow_call<RunningRange>("min_val", "max_val"));
  }
};

}  // namespace qassay::pytorch
