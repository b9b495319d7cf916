#pragma once

#include "interpreter/pytorch/observer_parts.hpp"

namespace qassay::pytorch {

/// torch.ao.quantization.MinMaxObserver: the range of everything seen, per tensor.
struct MinMaxObserver {
  inline static const Signature signature =
      observer_signature({.id = "pytorch.MinMaxObserver", .is_per_channel = false, .is_averaging = false});

  static ProgramCalls program(const Arguments& arguments) {
    return observer_program<Spread::alone>(arguments, follow_call<RunningRange>("min_val", "max_val"));
  }
};

}  // namespace qassay::pytorch
