"""The interpreter computes what PyTorch computed, bit for bit: both scales, the state and the tensors."""

from pathlib import Path

import numpy as np
import pytest

RANGES = {"int8": (-127, 127), "int4": (-7, 7), "int3": (-3, 3), "int2": (-1, 1), "int8_full": (-128, 127), "int4_full": (-8, 7)}
LAYERS = ["conv_1", "conv_2", "linear"]
EPS = "0x1p-12"


def assert_same_bits(got: np.ndarray, file: Path) -> None:
    expected = np.load(file)
    assert got.dtype == expected.dtype, file
    assert got.shape == expected.shape, file
    differ = np.flatnonzero(got.reshape(-1).view(np.uint8) != expected.reshape(-1).view(np.uint8))
    assert got.tobytes() == expected.tobytes(), f"{file}: bytes {differ[:8]} differ: {got.reshape(-1)[:8]}, {expected.reshape(-1)[:8]}"


def fused_weight(quant_min: int, quant_max: int) -> dict:
    return {"quant_min": quant_min, "quant_max": quant_max, "ch_axis": 0, "per_row_fake_quant": True, "symmetric_quant": True}


def weight_observer(quant_min: int, quant_max: int) -> dict:
    # An observer that sees weights again would move its state; with a constant of 0 it stays, and what is compared is the scale.
    still = {"averaging_const": 0, "qscheme": "per_channel_symmetric", "ch_axis": 0}
    return {"dtype": "int8", "quant_min": quant_min, "quant_max": quant_max, "eps": EPS} | still


def network_range(setting: str) -> tuple[int, int]:
    return (-127, 127) if "int8" in setting else (-7, 7)


def assert_training_side(outputs: dict[str, np.ndarray], folder: Path) -> None:
    assert_same_bits(outputs["running_min"], folder / "running_min.npy")
    assert_same_bits(outputs["running_max"], folder / "running_max.npy")
    assert_same_bits(outputs["scale"], folder / "training_scale.npy")
    assert_same_bits(outputs["zero_point"], folder / "training_zero_point.npy")
    assert_same_bits(outputs["y"], folder / "training_output.npy")


def assert_converted_side(outputs: dict[str, np.ndarray], folder: Path) -> None:
    assert_same_bits(outputs["min_val"], folder / "running_min.npy")
    assert_same_bits(outputs["max_val"], folder / "running_max.npy")
    assert_same_bits(outputs["scale"], folder / "converted_scale.npy")
    assert np.array_equal(outputs["zero_point"], np.load(folder / "converted_zero_point.npy"))


@pytest.mark.parametrize("name", RANGES)
def test_a_fresh_fused_module(files, evaluate, name):
    folder = files / "modules" / name / "fused"
    outputs = evaluate("pytorch.fused_moving_avg_obs_fake_quant", folder / "weight.npy", **fused_weight(*RANGES[name]))
    assert_training_side(outputs, folder)


@pytest.mark.parametrize("name", RANGES)
def test_a_fresh_observer(files, evaluate, name):
    folder = files / "modules" / name / "fused"
    settings = weight_observer(*RANGES[name]) | {"averaging_const": 0.01}
    assert_converted_side(evaluate("pytorch.MovingAveragePerChannelMinMaxObserver", folder / "weight.npy", **settings), folder)


@pytest.mark.parametrize("name", RANGES)
def test_the_plain_module(files, evaluate, name):
    folder, (quant_min, quant_max) = files / "modules" / name / "plain", RANGES[name]
    outputs = evaluate(
        "pytorch.fake_quantize_per_channel_affine",
        folder / "weight.npy",
        scale=folder / "converted_scale.npy",
        zero_point=folder / "converted_zero_point.npy",
        axis=0,
        quant_min=quant_min,
        quant_max=quant_max,
    )
    assert_same_bits(outputs["y"], folder / "training_output.npy")


@pytest.mark.parametrize("step", range(4))
def test_a_moving_average_step_by_step(files, evaluate, step):
    folder = files / "modules" / "moving_average" / f"step_{step}"
    before = folder.parent / f"step_{step - 1}"
    fused, observed = {}, {}
    if step > 0:
        fused = {"running_min": before / "running_min.npy", "running_max": before / "running_max.npy"}
        observed = {"min_val": before / "running_min.npy", "max_val": before / "running_max.npy"}
    outputs = evaluate("pytorch.fused_moving_avg_obs_fake_quant", folder / "weight.npy", **fused_weight(-127, 127), **fused)
    assert_training_side(outputs, folder)
    settings = weight_observer(-127, 127) | {"averaging_const": 0.01}
    outputs = evaluate("pytorch.MovingAveragePerChannelMinMaxObserver", folder / "weight.npy", **settings, **observed)
    assert_converted_side(outputs, folder)


@pytest.mark.parametrize("name", ["one_sided", "tiny"])
def test_one_sided_and_tiny_channels(files, evaluate, name):
    folder = files / "modules" / name
    outputs = evaluate("pytorch.fused_moving_avg_obs_fake_quant", folder / "weight.npy", **fused_weight(-127, 127))
    assert_training_side(outputs, folder)
    settings = weight_observer(-127, 127) | {"averaging_const": 0.01}
    assert_converted_side(evaluate("pytorch.MovingAveragePerChannelMinMaxObserver", folder / "weight.npy", **settings), folder)


@pytest.mark.parametrize("name", ["0_ulp_apart", "1_ulp_apart"])
def test_activations(files, evaluate, name):
    folder = files / "modules" / "per_tensor_affine" / name
    outputs = evaluate("pytorch.fused_moving_avg_obs_fake_quant", folder / "x.npy", quant_min=-128, quant_max=127)
    assert_training_side(outputs, folder)
    settings = {"dtype": "int8", "qscheme": "per_tensor_affine", "quant_min": -128, "quant_max": 127, "eps": EPS}
    assert_converted_side(evaluate("pytorch.MovingAverageMinMaxObserver", folder / "x.npy", **settings), folder)


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("setting", ["int8_fused", "int4_fused"])
def test_fused_weights_of_a_network(files, evaluate, setting, layer):
    folder = files / "networks" / setting / layer
    outputs = evaluate(
        "pytorch.fused_moving_avg_obs_fake_quant",
        folder / "weight.npy",
        **fused_weight(*network_range(setting)),
        observer_on=False,
        running_min=folder / "running_min.npy",
        running_max=folder / "running_max.npy",
        # Conversion's scale goes in; training's must come out.
        scale=folder / "converted_scale.npy",
        zero_point=folder / "training_zero_point.npy",
    )
    assert_training_side(outputs, folder)


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("setting", ["int8_plain", "int4_plain"])
def test_plain_weights_of_a_network(files, evaluate, setting, layer):
    folder, (quant_min, quant_max) = files / "networks" / setting / layer, network_range(setting)
    outputs = evaluate(
        "pytorch.fake_quantize_per_channel_affine",
        folder / "weight.npy",
        scale=folder / "converted_scale.npy",
        zero_point=folder / "training_zero_point.npy",
        axis=0,
        quant_min=quant_min,
        quant_max=quant_max,
    )
    assert_same_bits(outputs["y"], folder / "training_output.npy")


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("setting", ["int8_fused", "int8_plain", "int4_fused", "int4_plain"])
def test_converted_weights_of_a_network(files, evaluate, setting, layer):
    folder, (quant_min, quant_max) = files / "networks" / setting / layer, network_range(setting)
    observed = evaluate(
        "pytorch.MovingAveragePerChannelMinMaxObserver",
        folder / "weight.npy",
        **weight_observer(quant_min, quant_max),
        min_val=folder / "running_min.npy",
        max_val=folder / "running_max.npy",
    )
    assert_converted_side(observed, folder)
    quantized = evaluate(
        "quantized_decomposed.quantize_per_channel",
        folder / "weight.npy",
        scales=folder / "converted_scale.npy",
        zero_points=folder / "converted_zero_point.npy",
        axis=0,
        quant_min=quant_min,
        quant_max=quant_max,
        dtype="int8",
    )
    assert_same_bits(quantized["q"], folder / "converted_codes.npy")


@pytest.mark.parametrize("setting", ["int8_fused", "int8_plain", "int4_fused", "int4_plain"])
def test_outputs_of_a_network(files, evaluate, setting):
    folder = files / "networks" / setting
    outputs = evaluate(
        "pytorch.fused_moving_avg_obs_fake_quant",
        folder / "unquantized_output.npy",
        quant_min=-128,
        quant_max=127,
        observer_on=False,
        running_min=folder / "running_min.npy",
        running_max=folder / "running_max.npy",
        scale=folder / "converted_scale.npy",
        zero_point=folder / "converted_zero_point.npy",
    )
    assert_training_side(outputs, folder)
