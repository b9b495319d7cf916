#pragma once

#include "interpreter/pytorch/observer_parts.hpp"

namespace qassay::pytorch {

/// torch.ao.quantization.MovingAveragePerChannelMinMaxObserver: a range that moves with every batch, for each
/// channel. Once there is a state it never begins anew.
struct MovingAveragePerChannelMinMaxObserver {
  inline static const Signature signature = observer_signature(
      {.id = "pytorch.MovingAveragePerChannelMinMaxObserver", .is_per_channel = true, .is_averaging = true});

  static ProgramCalls program(const Arguments& arguments) {
    return observer_program<Spread::along_axis>(arguments,
                                                moving_average_call<StartOfAverage::never>("min_val", "max_val"));
  }
};

}  // namespace qassay::pytorch
