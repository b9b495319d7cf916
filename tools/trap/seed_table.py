"""One fake quantizer at a time: the scale that training uses against the scale that conversion uses."""

from pathlib import Path

import torch
from arrays import ratios, save, sqnr_db, ulps_apart
from fake_quantizers import activation_fake_quantizer, state, weight_fake_quantizer
from torchao.quantization.pt2e import FakeQuantize, FusedMovingAvgObsFakeQuantize, disable_observer

RANGES = {"int8": (-127, 127), "int4": (-7, 7), "int3": (-3, 3), "int2": (-1, 1), "int8_full": (-128, 127), "int4_full": (-8, 7)}


def predicted_ratios(quant_min: int, quant_max: int) -> tuple[float, float]:
    """The ends: where |min| decides both scales, and where max does."""
    n = (quant_max - quant_min) // 2
    return (2 * n + 1) / (2 * (n + 1)), (2 * n + 1) / (2 * n)


def per_channel(folder: Path, weight: torch.Tensor, quant_min: int, quant_max: int) -> dict:
    fused = weight_fake_quantizer(FusedMovingAvgObsFakeQuantize, quant_min, quant_max)
    plain = weight_fake_quantizer(FakeQuantize, quant_min, quant_max)
    fused_output, plain_output = fused(weight), plain(weight)
    fused_state, plain_state = state(fused), state(plain)
    save(folder / "fused", weight=weight, training_output=fused_output, **fused_state)
    save(folder / "plain", weight=weight, training_output=plain_output, **plain_state)
    ratio = ratios(fused_state["training_scale"], fused_state["converted_scale"])
    least, greatest = predicted_ratios(quant_min, quant_max)
    return {
        "quant_min": quant_min,
        "quant_max": quant_max,
        "ratio_min": ratio.min().item(),
        "ratio_max": ratio.max().item(),
        "predicted_ratio_min": least,
        "predicted_ratio_max": greatest,
        # The plain module took the observer's scale, so its output is what the converted weight will be.
        "fused_weight_sqnr_db": sqnr_db(fused_output, plain_output),
        "plain_scales_equal": torch.equal(plain_state["training_scale"], plain_state["converted_scale"]),
    }


def per_tensor_affine(folder: Path, tensors: int = 2000) -> dict:
    """Both divide by the same range; the fused kernel does it in double precision, the observer in single."""
    generator = torch.Generator().manual_seed(1)
    all_ratios, all_ulps, zero_points_that_differ = [], [], 0
    for _ in range(tensors):
        # At least some tenths wide: both floors are far below.
        x = torch.randn(16, generator=generator) * 10 ** (torch.rand(1, generator=generator) * 3 - 1)
        module = activation_fake_quantizer()
        output = module(x)
        s = state(module)
        ulps = int(ulps_apart(s["training_scale"], s["converted_scale"]))
        if ulps not in all_ulps:
            save(folder / f"{ulps}_ulp_apart", x=x, training_output=output, **s)
        all_ulps.append(ulps)
        all_ratios.append(ratios(s["training_scale"], s["converted_scale"]).item())
        zero_points_that_differ += int(s["training_zero_point"] != s["converted_zero_point"])
    return {
        "quant_min": -128,
        "quant_max": 127,
        "ratio_min": min(all_ratios),
        "ratio_max": max(all_ratios),
        "tensors": tensors,
        "scales_one_ulp_apart": all_ulps.count(1),
        "most_ulps_apart": max(all_ulps),
        "zero_points_that_differ": zero_points_that_differ,
    }


def observer_off(folder: Path, weight: torch.Tensor) -> dict:
    """The remedy that does not work: conversion's scale put into the buffer, the observer switched off."""
    module = weight_fake_quantizer(FusedMovingAvgObsFakeQuantize, -127, 127)
    module(weight)
    training = module.scale.clone()
    converted, _ = module.calculate_qparams()
    module.apply(disable_observer)
    module.scale.copy_(converted)
    was_put_in = torch.equal(module.scale, converted)
    output = module(weight)
    save(folder, weight=weight, training_output=output, **state(module))
    return {
        "buffer_held_the_converted_scale": was_put_in,
        "scale_returned_after_one_forward": torch.equal(module.scale, training),
    }


def moving_average(folder: Path, weight: torch.Tensor, steps: int = 4) -> None:
    """A few steps of training, each with its own weights: the state carries the history."""
    module = weight_fake_quantizer(FusedMovingAvgObsFakeQuantize, -127, 127)
    for step in range(steps):
        now = weight * (1 + 0.3 * step)
        output = module(now)
        save(folder / f"step_{step}", weight=now, training_output=output, **state(module))


def one_sided(folder: Path) -> dict:
    """A channel without both signs: the fused kernel moves the zero point to an end and halves the scale."""
    generator = torch.Generator().manual_seed(2)
    positive, negative = torch.rand(8, generator=generator) + 0.1, -torch.rand(8, generator=generator) - 0.1
    weight = torch.stack([positive, negative, torch.randn(8, generator=generator)])
    module = weight_fake_quantizer(FusedMovingAvgObsFakeQuantize, -127, 127)
    output = module(weight)
    s = state(module)
    save(folder, weight=weight, training_output=output, **s)
    return {
        "channels": ["all positive", "all negative", "both signs"],
        "training_zero_points": s["training_zero_point"].tolist(),
        "converted_zero_points": s["converted_zero_point"].tolist(),
        "ratios": ratios(s["training_scale"], s["converted_scale"]).tolist(),
    }


def tiny(folder: Path) -> dict:
    """Two floors: below 127 * 6.1e-5 both scales stand on their floor, up to 127 * 2^-12 only conversion's does."""
    generator = torch.Generator().manual_seed(3)
    largest = torch.tensor([1e-4, 5e-3, 2e-2, 1.0])
    noise = torch.rand(4, 16, generator=generator) * 2 - 1
    noise[:, 0], noise[:, 1] = 1, -1
    weight = noise * largest[:, None]
    module = weight_fake_quantizer(FusedMovingAvgObsFakeQuantize, -127, 127)
    output = module(weight)
    s = state(module)
    save(folder, weight=weight, training_output=output, **s)
    return {
        "largest_weights": largest.tolist(),
        "training_scales": s["training_scale"].tolist(),
        "converted_scales": s["converted_scale"].tolist(),
        "ratios": ratios(s["training_scale"], s["converted_scale"]).tolist(),
    }


@torch.no_grad()
def seed_table(folder: Path) -> dict:
    weight = torch.randn(16, 3, 3, 3, generator=torch.Generator().manual_seed(0))
    # One channel where |min| decides in every range, even [-1, 1], and one where max does: both ends of the ratio.
    weight[0, 0, 0, 0], weight[1, 0, 0, 0] = -10, 10
    moving_average(folder / "moving_average", weight)
    return {
        "per_channel_symmetric": {name: per_channel(folder / name, weight, *ends) for name, ends in RANGES.items()},
        "per_tensor_affine": per_tensor_affine(folder / "per_tensor_affine"),
        "observer_off": observer_off(folder / "observer_off", weight),
        "one_sided": one_sided(folder / "one_sided"),
        "tiny": tiny(folder / "tiny"),
    }
