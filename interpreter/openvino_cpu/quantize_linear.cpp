#include "interpreter/openvino_cpu/quantize_linear.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace qassay::openvino_cpu {
namespace {

/// Bounds that differ by less are the same to the pass that takes a FakeQuantize out.
constexpr float kSameBound = 1e-6F;
/// The same for the one that drops a shift.
constexpr float kSameCode = 1e-4F;

bool is_near(float a, float b, float distance) {
  return std::fabs(a - b) < distance;
}

}  // namespace

bool QuantizeLinear::is_stripped(const Arguments& arguments) {
  if (levels(arguments) != openvino::kMostLevels) return false;
  return std::ranges::all_of(channel_bounds<QuantizeLinear>(arguments), [](const Bounds<float>& channel) {
    return is_near(channel.input_low, channel.output_low, kSameBound) &&
           is_near(channel.input_high, channel.output_high, kSameBound);
  });
}

bool QuantizeLinear::needs_scale_alone(const Arguments& arguments) {
  if (arguments.type(Role::dtype) != Type::int8 || !asks_for_rewriting(arguments) ||
      arguments.choice<Node>(Role::node) != Node::snippets)
    return false;
  return std::ranges::all_of(channel_bounds<QuantizeLinear>(arguments), [](const Bounds<float>& channel) {
    const float step = channel.intervals / (channel.input_high - channel.input_low);
    const float shift = -channel.input_low * step;
    return is_near(shift, 128, kSameCode) && !(std::fabs(channel.input_low * step + 128) > kSameCode) &&
           !(std::fabs(channel.input_high * step - 127) > kSameCode);
  });
}

void QuantizeLinear::check(const Arguments& arguments) {
  if (arguments.choice<Node>(Role::node) != Node::jit) return;
  for (const Bounds<float>& channel : channel_bounds<QuantizeLinear>(arguments)) {
    const GridConstants<float> grid = jit_constants(channel);
    if (std::isfinite(grid.step) && std::isfinite(grid.shift)) continue;
    throw RequestError(
        ErrorKind::out_of_domain,
        fmt::format(
            "openvino_cpu.QuantizeLinear: y_scale: its grid from {} to {} has no finite step, and what the "
            "plugin makes of NaN here depends on more than these parameters; use a larger scale, or node=snippets",
            channel.input_low, channel.input_high));
  }
}

}  // namespace qassay::openvino_cpu
