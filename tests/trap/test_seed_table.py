"""The table of the trap on real PyTorch modules, and what it does to a network."""

import json

import numpy as np
import pytest

SETTINGS = ["int8_fused", "int8_plain", "int4_fused", "int4_plain"]
# One rounding in each of two float32 scales.
ROUNDING = 2**-23


@pytest.mark.parametrize(
    ("name", "quant_min", "quant_max", "least", "greatest"),
    [
        ("int8", -127, 127, 0.9961, 1.0039),
        ("int4", -7, 7, 0.9375, 1.0714),
        ("int3", -3, 3, 0.8750, 1.1667),
        ("int2", -1, 1, 0.7500, 1.5000),
        ("int8_full", -128, 127, 0.9961, 1.0039),
        ("int4_full", -8, 7, 0.9375, 1.0714),
    ],
)
def test_per_channel_ratios_reach_both_ends(summary, name, quant_min, quant_max, least, greatest):
    figures = summary["modules"]["per_channel_symmetric"][name]
    assert (figures["quant_min"], figures["quant_max"]) == (quant_min, quant_max)
    assert figures["ratio_min"] == pytest.approx(least, abs=5e-5)
    assert figures["ratio_max"] == pytest.approx(greatest, abs=5e-5)
    assert figures["ratio_min"] == pytest.approx(figures["predicted_ratio_min"], rel=2 * ROUNDING)
    assert figures["ratio_max"] == pytest.approx(figures["predicted_ratio_max"], rel=2 * ROUNDING)
    assert figures["plain_scales_equal"]


def test_no_channel_lies_beyond_the_ends(files, summary):
    for name, figures in summary["modules"]["per_channel_symmetric"].items():
        folder = files / "modules" / name / "fused"
        ratio = np.load(folder / "training_scale.npy").astype(float) / np.load(folder / "converted_scale.npy")
        assert np.all(ratio >= figures["predicted_ratio_min"] * (1 - 2 * ROUNDING)), name
        assert np.all(ratio <= figures["predicted_ratio_max"] * (1 + 2 * ROUNDING)), name


def test_per_tensor_affine_is_at_most_one_ulp_off(summary):
    figures = summary["modules"]["per_tensor_affine"]
    assert figures["ratio_min"] == pytest.approx(1, abs=ROUNDING)
    assert figures["ratio_max"] == pytest.approx(1, abs=ROUNDING)
    assert figures["most_ulps_apart"] == 1
    assert 0 < figures["scales_one_ulp_apart"] < figures["tensors"] / 2
    assert figures["zero_points_that_differ"] == 0


def test_switching_the_observer_off_does_not_keep_the_scale(summary):
    assert summary["modules"]["observer_off"] == {"buffer_held_the_converted_scale": True, "scale_returned_after_one_forward": True}


def test_one_sided_channels_get_an_affine_grid_of_half_the_scale(summary):
    figures = summary["modules"]["one_sided"]
    assert figures["training_zero_points"] == [-127, 127, 0]
    assert figures["converted_zero_points"] == [0, 0, 0]
    assert figures["ratios"][:2] == pytest.approx([0.5, 0.5], rel=2 * ROUNDING)


def test_tiny_channels_stand_on_different_floors(summary):
    figures = summary["modules"]["tiny"]
    fused_floor, eps = float(np.float32(6.1e-5)), 2**-12
    assert figures["training_scales"][:2] == [fused_floor] * 2
    assert figures["converted_scales"][:3] == [eps] * 3
    assert fused_floor < figures["training_scales"][2] < eps
    assert figures["training_scales"][3] > eps


def test_outputs_of_the_networks(summary):
    networks = summary["networks"]
    int8, int4 = networks["int8_fused"]["sqnr_db"], networks["int4_fused"]["sqnr_db"]
    print(f"fused: int8 {int8:.1f} dB, int4 {int4:.1f} dB")
    assert 30 < int8 < 50
    assert 10 < int4 < int8 - 10
    for name in ("int8_plain", "int4_plain"):
        figures = networks[name]
        assert figures["sqnr_db"] == "inf" or figures["sqnr_db"] > 60, name
        assert figures["greatest_difference_in_lsb"] <= 1, name


@pytest.mark.parametrize("name", SETTINGS)
def test_weights_of_the_networks(summary, name):
    for layer in summary["networks"][name]["weights"]:
        assert (layer["quant_min"], layer["quant_max"]) == ((-127, 127) if "int8" in name else (-7, 7))
        if "plain" in name:
            assert layer["ratio_min"] == layer["ratio_max"] == 1
            assert layer["weight_sqnr_db"] == "inf"
        else:
            assert layer["ratio_max"] > 1 + 1e-3
            assert layer["weight_sqnr_db"] < (50 if "int8" in name else 25)


@pytest.mark.parametrize("name", SETTINGS)
def test_a_whole_network_ignores_scales_put_into_its_buffers(summary, name):
    assert summary["networks"][name]["unchanged_with_converted_scales_in_the_buffers"]


@pytest.mark.parametrize("name", SETTINGS)
def test_diff_measures_what_numpy_measured(qassay, files, summary, name):
    folder, figures = files / "networks" / name, summary["networks"][name]
    arguments = [folder / "training_output.npy", folder / "converted_output.npy", "--scale", f"@{folder / 'converted_scale.npy'}"]
    report = json.loads(qassay("diff", *arguments, "--policy", "within 1 lsb", "--format", "json").stdout)
    assert report["elements"] == figures["outputs"]
    assert report["mismatches"] == figures["outputs_that_differ"]
    if figures["sqnr_db"] == "inf":
        assert report["sqnr"] == "exact"
    else:
        assert report["sqnr"] == pytest.approx(figures["sqnr_db"], rel=1e-6)
    if "plain" in name:
        assert report["verdict"] == "pass"
    if name == "int4_fused":
        assert report["verdict"] == "mismatch"


@pytest.mark.parametrize("name", SETTINGS)
def test_codes_tell_the_fused_graphs_from_the_plain_ones(qassay, files, name):
    """In floating point a 1-ulp output scale differs everywhere, and at int8 the trap is but one LSB: the codes decide."""
    folder = files / "networks" / name
    run = qassay("diff", folder / "training_codes.npy", folder / "converted_codes.npy", "--policy", "at most 5% off by one lsb")
    assert run.returncode == (1 if "fused" in name else 0), run.stdout
