"""Four learnable fake quantizes that cross from PyTorch to OpenVINO: real PyTorch beside OpenVINO's reference kernels and CPU plugin.

Each side must be reproduced by a formula, every element; what separates them is counted by class.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = Path(os.environ.get("QASSAY", ROOT / "build" / "qassay")).resolve()
CASES = "cases/pytorch/fake_quantize_learnable_per_channel_affine.json"
FORMULA = "fake_quantize_learnable_per_channel_affine"
SEEDS = ["baseline", "rounding", "clamping", "signed"]
# The formula behind each side of OpenVINO, with the node that runs for channels along axis 1 and along axis 0.
BEHIND = {
    "openvino_reference": ["openvino.FORMULA"] * 2,
    "openvino": ["openvino_cpu.FORMULA with lp_transforms_mode=yes node=snippets"] * 2,
    "openvino_lpt_off": ["openvino_cpu.FORMULA with lp_transforms_mode=no node=snippets"] * 2,
    "openvino_jit": [
        "openvino_cpu.FORMULA with lp_transforms_mode=no node=jit",
        "openvino_cpu.FORMULA with lp_transforms_mode=no node=reference",
    ],
}


@pytest.fixture(scope="module", params=BEHIND)
def pair(request, tmp_path_factory):
    """The report on PyTorch against one configuration of OpenVINO: its name, and the case of every seed."""
    for backend in ("pytorch", "openvino"):
        if not (ROOT / ".backends" / backend).exists():
            pytest.skip(f"the {backend} backend's environment is not installed: qassay backends --install {backend}")
    file = tmp_path_factory.mktemp("pair") / "pair.json"
    command = [PROGRAM, "check", "--no-diagnose", "--backend", "pytorch", "--against", request.param, CASES]
    run = subprocess.run(
        [*command, "--filter", "crossing-", "--tolerance", "openvino", "--json", file], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout + run.stderr
    report = json.loads(file.read_text())
    return request.param, {case["group"].removeprefix("crossing-"): case for case in report["cases"]}


def classes(case):
    return {row["class"]: row["count"] for row in case["pair"]["classes"]}


def test_every_seed_is_there(pair):
    assert list(pair[1]) == SEEDS


@pytest.mark.parametrize("seed", SEEDS)
def test_both_sides_are_reproduced_bit_for_bit(pair, seed):
    backend, cases = pair
    case = cases[seed]
    assert case["verdict"] == "known_difference"
    ours, theirs = case["pair"]["sides"]
    assert ours["fingerprint"]["fitting"][0] == f"pytorch.{FORMULA}"
    along_first_axis = seed == "signed"
    assert BEHIND[backend][along_first_axis].replace("FORMULA", FORMULA) in theirs["fingerprint"]["fitting"]
    assert BEHIND[backend][along_first_axis].replace("FORMULA", FORMULA) == case["known_difference"]["cause"]


@pytest.mark.parametrize("seed", SEEDS)
def test_an_overflow_of_int64_gives_pytorch_the_lowest_value(pair, seed):
    assert classes(pair[1][seed])["opposite_ends"] >= 100
    assert classes(pair[1][seed])["infinite_input"] >= 2


def test_ties_go_the_other_way_where_the_offset_is_odd(pair):
    _, cases = pair
    assert classes(cases["rounding"])["tie"] >= 300
    assert classes(cases["signed"])["tie"] >= 300
    assert classes(cases["baseline"]).get("tie", 0) <= 2  # both offsets are even


def test_nan_stays_or_goes_to_an_end(pair):
    backend, cases = pair
    # Only the snippets node sends NaN to the lowest value, as PyTorch does.
    has_nan_rule_of_its_own = backend in ("openvino_reference", "openvino_jit")
    assert ("nan_input" in classes(cases["rounding"])) == has_nan_rule_of_its_own


def test_negative_scales_put_the_lowest_code_at_the_high_end(pair):
    assert classes(pair[1]["signed"])["nan_input"] >= 20
    assert classes(pair[1]["signed"])["one_step"] >= 800


def test_openvinos_tolerance_lets_whole_steps_through(pair):
    backend, cases = pair
    passing = {seed for seed, case in cases.items() if case["outputs"][0]["tolerance"]["passes"]}
    # NaN must meet NaN, and it does not where PyTorch makes a number of it and the reference kernels do not.
    assert passing == (set() if backend == "openvino_reference" else {"baseline", "rounding", "clamping"})
    for seed in passing:
        assert cases[seed]["outputs"][0]["mismatches"] >= 150
