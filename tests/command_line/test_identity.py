"""`qassay identity` over formulas and over a backend's own operators."""

import json

import pytest
from conftest import Run

FAKE = "pytorch.fake_quantize_per_tensor_affine"
PER_TENSOR = [FAKE, "pytorch.quantize_per_tensor@2.13", "pytorch.dequantize_per_tensor"]
PER_CHANNEL = ["pytorch.fake_quantize_per_channel_affine", "pytorch.quantize_per_channel@2.13", "pytorch.dequantize_per_channel"]
SETTINGS = ["--set", "scale=0.1", "--set", "zero_point=3", "--set", "dtype=quint8"]


def found(run: Run, *arguments: str) -> dict:
    done = run("identity", *arguments, "--format", "json")
    assert done.returncode in (0, 1), done.stderr
    result = json.loads(done.stdout)
    assert result["holds"] == (done.returncode == 0)
    return result


def test_exit_0_where_it_holds(run: Run):
    # 1 / 0.125 is exact, and both take NaN for the lowest code.
    parameters = ["--set", "scale=0.125", "--set", "zero_point=0:int8"]
    result = found(run, FAKE, "onnxruntime.QuantizeLinear", "onnxruntime.DequantizeLinear", *parameters)
    assert result["set"]["fake_quantize"]["quant_min"] == "-128"
    assert result["differing"] == 0
    assert "why" not in result


@pytest.mark.parametrize("formulas", [PER_TENSOR, PER_CHANNEL])
def test_a_backend_differs_as_its_formulas_do(run: Run, formulas: list[str]):
    exactly = found(run, *formulas, *SETTINGS)
    asked = found(run, *formulas, *SETTINGS, "--backend", "dialect:pytorch")
    assert asked["asked"] == formulas
    assert asked["unpredicted"] == 0
    assert asked["smallest"] == exactly["smallest"]
    assert asked["parts_at"] == exactly["parts_at"]
    assert asked["why"] == exactly["why"]
    assert "the zero point is added before rounding" in asked["why"]
    assert 0 < asked["differing"] < asked["inputs"] < exactly["inputs"]
    # All that differ but huge numbers and NaN stand in short intervals, of which every end is asked for.
    by_lsb = {steps: count for steps, count in exactly["by_lsb"] if isinstance(steps, int)}
    assert {steps for steps, _ in asked["by_lsb"]} == set(by_lsb)


def test_a_backend_that_lacks_a_formula(run: Run):
    done = run("identity", *PER_TENSOR, *SETTINGS, "--backend", "dialect:onnx")
    assert done.returncode == 3
    assert f"does not claim {FAKE}" in done.stderr
    done = run("identity", FAKE, "onnx.QuantizeLinear", "onnx.DequantizeLinear", *SETTINGS, "--backend", "dialect:pytorch")
    assert done.returncode == 3
    assert "does not claim onnx.QuantizeLinear" in done.stderr
