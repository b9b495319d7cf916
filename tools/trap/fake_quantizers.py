"""The fake quantizers that XNNPACK's quantization aware training puts on weights and activations, one at a time."""

import torch
from torchao.quantization.pt2e import (
    FakeQuantize,
    FusedMovingAvgObsFakeQuantize,
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
)

# XNNPACK's smallest scale. Only the observer obeys it: the fused kernel has a floor of its own.
EPS = 2.0**-12
FUSED_FLOOR = 6.1e-5


def weight_fake_quantizer(kind: type[FakeQuantize], quant_min: int, quant_max: int) -> FakeQuantize:
    """`kind` is FusedMovingAvgObsFakeQuantize, XNNPACK's default, or FakeQuantize, the plain one."""
    return kind(
        observer=MovingAveragePerChannelMinMaxObserver,
        ch_axis=0,
        dtype=torch.int8,
        qscheme=torch.per_channel_symmetric,
        quant_min=quant_min,
        quant_max=quant_max,
        eps=EPS,
    )


def activation_fake_quantizer() -> FusedMovingAvgObsFakeQuantize:
    return FusedMovingAvgObsFakeQuantize(
        observer=MovingAverageMinMaxObserver,
        dtype=torch.int8,
        qscheme=torch.per_tensor_affine,
        quant_min=-128,
        quant_max=127,
        eps=EPS,
    )


def state(fake_quantizer: FakeQuantize) -> dict[str, torch.Tensor]:
    """What training uses (its buffers) beside what conversion will use (computed by the observer)."""
    observer = fake_quantizer.activation_post_process
    converted_scale, converted_zero_point = fake_quantizer.calculate_qparams()
    tensors = {
        "running_min": observer.min_val,
        "running_max": observer.max_val,
        "training_scale": fake_quantizer.scale,
        "training_zero_point": fake_quantizer.zero_point,
        "converted_scale": converted_scale,
        "converted_zero_point": converted_zero_point.to(torch.int32),
    }
    # Per tensor the modules hold some of these as [1] and some as scalars.
    if not fake_quantizer.is_per_channel:
        tensors = {name: tensor.reshape(()) for name, tensor in tensors.items()}
    return {name: tensor.detach().clone() for name, tensor in tensors.items()}
