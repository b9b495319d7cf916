#include <fmt/format.h>

#include "tools/trap/trap_report.hpp"

namespace qassay {

std::string_view name(GridCause cause) {
  switch (cause) {
    case GridCause::equal: return "equal";
    case GridCause::one_ulp: return "one_ulp";
    case GridCause::all_zero: return "all_zero";
    case GridCause::max_side: return "max_side";
    case GridCause::min_side: return "min_side";
    case GridCause::both_sides: return "both_sides";
    case GridCause::one_sided: return "one_sided";
    case GridCause::floored: return "floored";
    case GridCause::zero_point: return "zero_point";
    case GridCause::other: return "other";
  }
  return {};
}

std::string_view name(GridVerdict verdict) {
  switch (verdict) {
    case GridVerdict::exact: return "exact";
    case GridVerdict::same_codes: return "same_codes";
    case GridVerdict::within_one_lsb: return "within_one_lsb";
    case GridVerdict::differs: return "differs";
  }
  return {};
}

std::string explained(GridCause cause, const GridRequest& request) {
  const RatioEnds ends = ratio_ends(request);
  switch (cause) {
    case GridCause::equal: return "scale and zero point have the same bits";
    case GridCause::one_ulp: return "the scales are 1 ulp apart: one side divides in binary64, the other in binary32";
    case GridCause::all_zero: return "all weights are 0, and so are they on both grids";
    case GridCause::max_side: return fmt::format("max decides both scales: (2n + 1) / 2n = {:.6f}", ends.max_side);
    case GridCause::min_side:
      return fmt::format("min decides both scales: (2n + 1) / (2(n + 1)) = {:.6f}", ends.min_side);
    case GridCause::both_sides:
      return fmt::format("max decides training's scale, min the deployed one: between {:.6f} and {:.6f}", ends.min_side,
                         ends.max_side);
    case GridCause::one_sided:
      return "0 is not inside the range: training has an affine grid of half the scale, its zero point at an end";
    case GridCause::floored:
      return fmt::format("a tiny range: training's scale stops at 6.1e-5, the deployed one at eps = {:g}", request.eps);
    case GridCause::zero_point: return "the scales agree to 1 ulp, the zero points do not";
    case GridCause::other: return "the scales are more than 1 ulp apart";
  }
  return {};
}

std::string explained(GridVerdict verdict) {
  switch (verdict) {
    case GridVerdict::exact: return "both graphs have the same scales, zero points and weights, bit for bit";
    case GridVerdict::same_codes:
      return "every weight has the same code in both graphs; a scale 1 ulp off, or of zeros alone, is all there is";
    case GridVerdict::within_one_lsb:
      return "the graphs differ. Every weight is within one LSB, which is no all-clear: few can be farther off, and a "
             "ratio of scales is a bias of whole channels that adds up from layer to layer";
    case GridVerdict::differs:
      return "the graphs differ. Weights are more than one LSB apart: the network that was trained is not the one "
             "deployed";
  }
  return {};
}

std::string training_rule(const GridRequest& request) {
  if (!request.is_symmetric) return "s_train = (max - min) / (quant_max - quant_min) in binary64, at least 6.1e-5";
  return fmt::format(
      "s_train = max(|min| / (n + 1), max / n) * (2n + 1) / (quant_max - quant_min), n = {}, at least 6.1e-5; affine "
      "where 0 is not inside the range",
      request.half());
}

std::string deployed_rule(const GridRequest& request) {
  return fmt::format("s_convert = {}, at least eps", request.is_symmetric
                                                         ? "max(|min|, max) / ((quant_max - quant_min) / 2)"
                                                         : "(max - min) / (quant_max - quant_min) in binary32");
}

std::vector<std::string> remedies(const TrapResults& results) {
  std::size_t elements = 0;
  std::size_t with_plain_module = 0;
  std::size_t with_training_grid = 0;
  for (const TensorGrids& tensor : results.tensors) {
    elements += tensor.weights.elements;
    with_plain_module += tensor.differ_with_plain_module;
    with_training_grid += tensor.differ_with_training_grid;
  }
  const bool is_per_channel = results.request.ch_axis.has_value();
  return {
      fmt::format("Train with the plain module: FakeQuantize with {} in place of FusedMovingAvgObsFakeQuantize. "
                  "Here {} of {} weights would differ.",
                  is_per_channel ? "MovingAveragePerChannelMinMaxObserver" : "MovingAverageMinMaxObserver",
                  with_plain_module, elements),
      fmt::format("Or take over training's scales and zero points when converting. Here {} of {} weights would differ.",
                  with_training_grid, elements),
      "Disabling the observer does not help: with fake quantization on, the fused operator computes its scale anew at "
      "every forward pass.",
  };
}

}  // namespace qassay
