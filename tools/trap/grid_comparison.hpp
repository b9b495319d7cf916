// The grid that a fused fake quantizer trains weights on, beside the one that conversion gives them. Both are what the
// registry's formulas compute; here they are compared, and why they part is named.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/numeric/type.hpp"
#include "interpreter/tensor.hpp"
#include "tools/harness/compare.hpp"

namespace qassay {

/// What both graphs are told about the weights' codes.
struct GridRequest {
  Type dtype = Type::int8;
  CodeRange codes{-127, 127};
  std::optional<std::int64_t> ch_axis = 0;  ///< nothing: one grid for the tensor
  bool is_symmetric = true;
  float eps = 0x1p-12F;  ///< the observer's; the fused operator has none

  /// n of the fused operator's rule.
  std::int64_t half() const { return (codes.highest - codes.lowest) / 2; }
};

/// The formulas of a request.
struct GridFormulas {
  std::string_view fused;
  std::string_view observer;
  std::string_view quantize;
  std::string_view dequantize;
  std::string_view plain;  ///< the fake quantization of a module with an observer of its own
};
GridFormulas formulas_of(const GridRequest& request);

/// Why a channel's two grids are not one.
enum class GridCause : std::uint8_t {
  equal,
  one_ulp,     ///< the scales, by rounding alone
  all_zero,    ///< nothing to scale
  max_side,    ///< both scales come from max
  min_side,    ///< both scales come from min
  both_sides,  ///< the fused operator's from max, the observer's from min
  one_sided,   ///< a symmetric grid is affine in training
  floored,     ///< a scale stands on its floor
  zero_point,  ///< the scales are at most 1 ulp apart
  other,
};
inline constexpr std::size_t kGridCauseCount = static_cast<std::size_t>(GridCause::other) + 1;

enum class GridVerdict : std::uint8_t {
  exact,
  same_codes,  ///< scales 1 ulp apart, or channels of zeros, and every code the same
  within_one_lsb,
  differs,
};

struct ScaleAndZeroPoint {
  float scale = 1;
  std::int64_t zero_point = 0;

  friend bool operator==(const ScaleAndZeroPoint&, const ScaleAndZeroPoint&) = default;
};

struct ChannelGrids {
  float min = 0;
  float max = 0;
  ScaleAndZeroPoint training;
  ScaleAndZeroPoint deployed;
  GridCause cause = GridCause::equal;
  std::size_t codes_that_differ = 0;  ///< counted from their zero points
  OutputComparison weights;  ///< dequantized: training's expected, deployed got; in steps of the deployed scale

  double ratio() const { return static_cast<double>(training.scale) / static_cast<double>(deployed.scale); }
};

struct TensorGrids {
  std::string name;
  Type type = Type::float32;
  Shape shape;
  std::vector<ChannelGrids> channels;  ///< one if per tensor
  OutputComparison weights;
  std::size_t codes_that_differ = 0;
  /// Weights that would differ still: from a plain fake quantizer in training, with training's grid at conversion.
  std::size_t differ_with_plain_module = 0;
  std::size_t differ_with_training_grid = 0;
  GridVerdict verdict = GridVerdict::exact;

  std::array<std::size_t, kGridCauseCount> causes() const;
};

/// The weights are finite binary32. Throws RequestError that names the tensor.
TensorGrids compare_grids(std::string_view name, const Tensor& weights, const GridRequest& request);

/// What the ratio of the scales is where both come from min, and where both come from max, but for rounding.
struct RatioEnds {
  double min_side;
  double max_side;
};
RatioEnds ratio_ends(const GridRequest& request);

/// The channels from the noisiest on, as (tensor, channel).
struct ChannelPlace {
  std::size_t tensor;
  std::size_t channel;
};
std::vector<ChannelPlace> noisiest_channels(const std::vector<TensorGrids>& tensors);

GridVerdict worst_verdict(const std::vector<TensorGrids>& tensors);
/// Whether the graphs are one: the verdict is exact or same_codes.
bool is_one_graph(GridVerdict verdict);

}  // namespace qassay
