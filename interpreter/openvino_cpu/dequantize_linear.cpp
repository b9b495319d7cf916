#include "interpreter/openvino_cpu/dequantize_linear.hpp"

namespace qassay::openvino_cpu {

DequantizeLinear::Plan DequantizeLinear::whole(const Arguments& arguments) {
  const Tensor& scales = *arguments[Role::scale].tensor;
  const Tensor& zero_points = *arguments[Role::zero_point].tensor;
  const bool is_vector = scales.size() > 1 || zero_points.size() > 1;
  const bool is_fused = arguments.choice<DequantizeNode>(Role::node) == DequantizeNode::snippets;
  const ParameterLayout layout = parameter_layout(arguments);
  bool has_shift = false;
  bool has_subnormal_scale = false;
  bool has_subnormal_shift = false;
  for (std::size_t slice = 0; slice < (layout.is_per_tensor ? 1 : layout.slice_count()); ++slice) {
    const auto scale = static_cast<float>(arguments.real(Role::scale, {slice}));
    const auto zero_point = static_cast<float>(arguments.integer(Role::zero_point, {slice}));
    const float shift = -zero_point * scale;
    has_shift = has_shift || (zero_point != 0 && (is_vector || shift != 0));
    has_subnormal_scale = has_subnormal_scale || openvino::is_subnormal(scale);
    has_subnormal_shift = has_subnormal_shift || openvino::is_subnormal(shift);
  }
  Plan plan;
  if (has_shift) plan.shift = is_fused || (is_vector && layout.axis > 0) ? Shift::fused : Shift::added;
  plan.has_positive_zero = !is_fused && !is_vector;
  if (is_vector && has_subnormal_scale) plan.flushes_scale = Subnormals::flushed;
  if (is_vector && has_subnormal_shift) plan.flushes_shift = Subnormals::flushed;
  return plan;
}

}  // namespace qassay::openvino_cpu
