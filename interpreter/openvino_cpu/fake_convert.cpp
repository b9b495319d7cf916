#include "interpreter/openvino_cpu/fake_convert.hpp"

namespace qassay::openvino_cpu {

FakeConvert::Plan FakeConvert::whole(const Arguments& arguments) {
  const Tensor& scales = *arguments[Role::factor].tensor;
  const Tensor& shifts = *arguments[Role::shift].tensor;
  Plan plan{.scales = false, .shifts = false, .is_vector = scales.size() > 1};
  for (std::size_t i = 0; i < scales.size(); ++i) {
    const auto scale = static_cast<float>(scales.real(i));
    plan.scales = plan.scales || scale != 1;
    if (plan.is_vector && openvino::is_subnormal(scale)) plan.flushes_scale = Subnormals::flushed;
    if (plan.is_vector && openvino::is_subnormal(1.0F / scale)) plan.flushes_inverse = Subnormals::flushed;
  }
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    const auto shift = static_cast<float>(shifts.real(i));
    plan.shifts = plan.shifts || shift != 0;
    if (shifts.size() > 1 && openvino::is_subnormal(shift)) plan.flushes_shift = Subnormals::flushed;
  }
  return plan;
}

}  // namespace qassay::openvino_cpu
