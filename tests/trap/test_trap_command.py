"""`qassay trap` on real weights says what PyTorch's own modules did with them."""

import json

import numpy as np
import pytest
from test_bit_for_bit import RANGES


def trap(qassay, *arguments: object) -> dict:
    done = qassay("trap", *arguments, "--format", "json")
    assert done.returncode in (0, 1), done.stderr
    report = json.loads(done.stdout)
    assert (report["verdict"] in ("exact", "same_codes")) == (done.returncode == 0)
    return report


def assert_grids(channels: list[dict], folder) -> None:
    for side, name in (("training", "training"), ("deployed", "converted")):
        scales = np.array([channel[side]["scale"] for channel in channels], np.float32)
        assert scales.tobytes() == np.load(folder / f"{name}_scale.npy").tobytes()
        zero_points = [channel[side]["zero_point"] for channel in channels]
        assert zero_points == np.load(folder / f"{name}_zero_point.npy").reshape(-1).tolist()


@pytest.mark.parametrize("name", RANGES)
def test_scales_and_sqnr_of_a_module(qassay, files, summary, name):
    folder, figures = files / "modules" / name / "fused", summary["modules"]["per_channel_symmetric"][name]
    quant_min, quant_max = RANGES[name]
    (tensor,) = trap(qassay, folder / "weight.npy", "--quant-min", quant_min, "--quant-max", quant_max)["tensors"]
    assert_grids(tensor["channels"], folder)
    assert tensor["weights"]["sqnr"] == pytest.approx(figures["fused_weight_sqnr_db"], rel=1e-6)
    assert tensor["differ_with_plain_module"] == 0
    assert tensor["differ_with_training_grid"] == 0


@pytest.mark.parametrize("name", ["one_sided", "tiny"])
def test_odd_channels(qassay, files, name):
    folder = files / "modules" / name
    report = trap(qassay, folder / "weight.npy")
    assert_grids(report["tensors"][0]["channels"], folder)
    assert {"one_sided": "one_sided", "tiny": "floored"}[name] in report["tensors"][0]["causes"]


@pytest.mark.parametrize("ulps", [0, 1])
def test_per_tensor_affine(qassay, files, ulps):
    folder = files / "modules" / "per_tensor_affine" / f"{ulps}_ulp_apart"
    report = trap(qassay, folder / "x.npy", "--per-tensor", "--qscheme", "affine", "--quant-min", -128)
    assert_grids(report["tensors"][0]["channels"], folder)
    assert report["tensors"][0]["causes"] == {"one_ulp" if ulps else "equal": 1}
