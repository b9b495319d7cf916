#include "interpreter/openvino_cpu/low_precision_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace qassay::openvino_cpu {
namespace {

/// Bounds below this are taken for 0.
constexpr float kZero = 1e-6F;
/// How far the ratio of the bounds may be from that of the codes.
constexpr float kAsymmetry = 0.002F;

/// The codes a number of levels stands for, where outputs need no zero point.
struct CodesOfLevels {
  std::int64_t levels;
  int lowest_signed;
  int highest_signed;
  int highest_unsigned;
  bool is_chosen;  ///< by the signs of the bounds; else the unsigned ones with a shift are taken
};
constexpr std::array kCodes{CodesOfLevels{256, -128, 127, 255, true}, CodesOfLevels{255, -127, 127, 255, true},
                            CodesOfLevels{16, -8, 7, 15, true}, CodesOfLevels{15, -7, 7, 255, false}};

bool rewrites(std::int64_t levels) {
  return std::ranges::find(kCodes, levels, &CodesOfLevels::levels) != kCodes.end();
}

enum class Sign : std::uint8_t { positive_only, both, mixed };

/// What the bounds of all channels say about the codes.
struct Outputs {
  Sign sign = Sign::mixed;
  bool has_zero_point = false;
};

/// Whether low and high are about as far apart as the signed codes are.
bool has_ratio_of_codes(float low, float high, std::int64_t levels) {
  const auto count = static_cast<float>(levels);
  const float expected = levels == 16 || levels == 256 ? -count / (count - 2.0F) : -1.0F;
  const float ratio = low / high;
  return !(std::fabs((ratio - expected) / std::min(ratio, expected)) > kAsymmetry);
}

Outputs outputs_of(std::span<const Bounds<float>> channels, std::int64_t levels) {
  bool may_be_signed = true;
  bool may_be_unsigned = true;
  bool is_all_zero = true;
  bool has_negative = false;
  Outputs outputs;
  for (const Bounds<float>& channel : channels) {
    const float low = channel.output_low;
    const float high = channel.output_high;
    has_negative = has_negative || low < 0;
    if (std::fabs(low) < kZero && std::fabs(high) < kZero) continue;
    is_all_zero = false;
    const bool begins_off_zero = std::fabs(low) >= kZero;
    if (std::signbit(low) != std::signbit(high) && begins_off_zero) {
      may_be_unsigned = false;
      if (high == 0 || !has_ratio_of_codes(low, high, levels)) outputs.has_zero_point = true;
    } else {
      may_be_signed = false;
      if (begins_off_zero) outputs.has_zero_point = true;
    }
  }
  if (is_all_zero) {
    may_be_signed = has_negative;
    may_be_unsigned = !has_negative;
  }
  if (may_be_signed != may_be_unsigned) outputs.sign = may_be_signed ? Sign::both : Sign::positive_only;
  return outputs;
}

bool are_equal(const Bounds<float>& channel) {
  return channel.output_low == channel.output_high;
}

}  // namespace

Rewriting rewriting_of(std::span<const Bounds<float>> channels, std::int64_t levels, bool is_apart) {
  const auto codes = std::ranges::find(kCodes, levels, &CodesOfLevels::levels);
  if (codes == kCodes.end()) return {};
  if (std::ranges::all_of(channels, are_equal)) return {.kind = Rewriting::Kind::one_code};

  Outputs outputs = outputs_of(channels, levels);
  if (outputs.has_zero_point || outputs.sign == Sign::mixed || !codes->is_chosen)
    outputs = {.sign = Sign::positive_only, .has_zero_point = true};
  Rewriting rewriting{.kind = Rewriting::Kind::bounds};
  rewriting.lowest = outputs.sign == Sign::both ? codes->lowest_signed : 0;
  rewriting.highest = outputs.sign == Sign::both ? codes->highest_signed : codes->highest_unsigned;
  const auto has_shift = [&](const Bounds<float>& channel) {
    if (are_equal(channel)) return false;
    const auto lowest = static_cast<float>(rewriting.lowest);
    const auto highest = static_cast<float>(rewriting.highest);
    const float weighted = lowest * channel.output_high - highest * channel.output_low;
    return !(std::fabs(weighted / (channel.output_high - channel.output_low)) <= kSmallestScale);
  };
  rewriting.is_shifted = outputs.has_zero_point && std::ranges::any_of(channels, has_shift);
  if (std::ranges::all_of(channels, [&](const auto& channel) { return are_equal(rewritten(channel, rewriting)); }))
    rewriting.kind = Rewriting::Kind::one_value;
  else if (is_apart) rewriting.kind = Rewriting::Kind::apart;
  return rewriting;
}

void check_fake_quantize(const Arguments& arguments) {
  const std::string_view id = arguments.signature->id;
  if (!asks_for_rewriting(arguments) || !rewrites(arguments.whole(Role::levels))) return;
  const Shape& low = arguments[Role::output_low].tensor->shape();
  const Shape& high = arguments[Role::output_high].tensor->shape();
  if (low == high) return;
  throw RequestError(
      ErrorKind::wrong_shape,
      fmt::format("{}: output_low has the shape {}, output_high {}; with lp_transforms_mode=yes expected one shape", id,
                  to_text(low), to_text(high)));
}

}  // namespace qassay::openvino_cpu
