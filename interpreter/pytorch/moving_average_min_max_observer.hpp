#pragma once

#include "interpreter/pytorch/observer_parts.hpp"

namespace qassay::pytorch {

/// torch.ao.quantization.MovingAverageMinMaxObserver: a range that moves with every batch, per tensor.
struct MovingAverageMinMaxObserver {
  inline static const Signature signature =
      observer_signature({.id = "pytorch.MovingAverageMinMaxObserver", .is_per_channel = false, .is_averaging = true});

  static ProgramCalls program(const Arguments& arguments) {
    return observer_program<Spread::alone>(
        arguments, moving_average_call<StartOfAverage::at_both_infinities>("min_val", "max_val"));
  }
};

}  // namespace qassay::pytorch
