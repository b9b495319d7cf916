#include "interpreter/pytorch/choose_quantization_params.hpp"
#include "interpreter/pytorch/choose_quantization_params_dynamic.hpp"
#include "interpreter/pytorch/dequantize_per_channel.hpp"
#include "interpreter/pytorch/dequantize_per_channel_float_qparams.hpp"
#include "interpreter/pytorch/dequantize_per_tensor.hpp"
#include "interpreter/pytorch/fake_quantize_learnable_per_channel_affine.hpp"
#include "interpreter/pytorch/fake_quantize_learnable_per_channel_affine_backward.hpp"
#include "interpreter/pytorch/fake_quantize_learnable_per_tensor_affine.hpp"
#include "interpreter/pytorch/fake_quantize_learnable_per_tensor_affine_backward.hpp"
#include "interpreter/pytorch/fake_quantize_per_channel_affine.hpp"
#include "interpreter/pytorch/fake_quantize_per_tensor_affine.hpp"
#include "interpreter/pytorch/fused_moving_avg_obs_fake_quant.hpp"
#include "interpreter/pytorch/histogram_observer.hpp"
#include "interpreter/pytorch/min_max_observer.hpp"
#include "interpreter/pytorch/moving_average_min_max_observer.hpp"
#include "interpreter/pytorch/moving_average_per_channel_min_max_observer.hpp"
#include "interpreter/pytorch/per_channel_min_max_observer.hpp"
#include "interpreter/pytorch/quantize_per_channel.hpp"
#include "interpreter/pytorch/quantize_per_channel_float_qparams.hpp"
#include "interpreter/pytorch/quantize_per_tensor.hpp"
#include "interpreter/registry.hpp"

namespace qassay::pytorch {

std::vector<Formula> formulas() {
  using PerTensorBackward = fake_quantize_learnable_per_tensor_affine_backward;
  using PerChannelBackward = fake_quantize_learnable_per_channel_affine_backward;
  using Fused = fused_moving_avg_obs_fake_quant;
  return {
      elementwise<quantize_per_tensor>(),
      elementwise<quantize_per_tensor_2_13>(),
      elementwise<quantize_per_channel>(),
      elementwise<quantize_per_channel_2_13>(),
      elementwise<quantize_per_channel_float_qparams>(),
      elementwise<dequantize_per_tensor>(),
      elementwise<dequantize_per_channel>(),
      elementwise<dequantize_per_channel_float_qparams>(),
      elementwise<fake_quantize_per_tensor_affine>(),
      elementwise<fake_quantize_per_channel_affine>(),
      elementwise<fake_quantize_learnable_per_tensor_affine>(),
      composite(PerTensorBackward::signature, PerTensorBackward::program, PerTensorBackward::check),
      elementwise<fake_quantize_learnable_per_channel_affine>(),
      composite(PerChannelBackward::signature, PerChannelBackward::program, PerChannelBackward::check),
      elementwise<ChooseQuantizationParams>(),
      elementwise<choose_quantization_params_dynamic>(),
      composite(Fused::signature, Fused::program, Fused::check),
      composite(MinMaxObserver::signature, MinMaxObserver::program, check_observer),
      composite(MovingAverageMinMaxObserver::signature, MovingAverageMinMaxObserver::program, check_observer),
      composite(PerChannelMinMaxObserver::signature, PerChannelMinMaxObserver::program, check_observer),
      composite(MovingAveragePerChannelMinMaxObserver::signature, MovingAveragePerChannelMinMaxObserver::program,
                check_observer),
      composite(HistogramObserver::signature, HistogramObserver::program, HistogramObserver::check),
  };
}

}  // namespace qassay::pytorch
