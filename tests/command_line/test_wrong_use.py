"""A mistake in every argument: one clear message on standard error, exit code 2, nothing on standard output, nothing half-written."""

import json

import numpy as np
import pytest
from conftest import ROOT, Run

QUANTIZE = ["eval", "onnx.QuantizeLinear", "--in", "x=x.npy", "--set", "y_scale=0.1"]
COMPARE = ["compare", "onnx.QuantizeLinear", "pytorch.quantize_per_tensor", "--set", "zero_point=3", "--set", "dtype=uint8"]
IDENTITY = ["identity", "pytorch.fake_quantize_per_tensor_affine", "pytorch.quantize_per_tensor", "pytorch.dequantize_per_tensor"]
IDENTITY_SETTINGS = ["--set", "scale=0.1", "--set", "zero_point=3", "--set", "dtype=uint8"]

# The arguments, and what the message must say: what is wrong, and the next step or what was expected.
MISTAKES = {
    "no command": ([], "subcommand"),
    "unknown command": (["evla"], "evla"),
    "unknown option": ([*QUANTIZE, "--ouput", "x"], "--ouput"),
    "unknown formula": (["show", "onnx.QuantiseLinear"], "did you mean 'onnx.QuantizeLinear'"),
    "unknown formula in eval": (["eval", "onnxruntime.Quantize", "--in", "x=x.npy"], "qassay list"),
    "missing parameter": (["eval", "onnx.QuantizeLinear", "--in", "x=x.npy"], "--set y_scale="),
    "missing input": (["eval", "onnx.QuantizeLinear", "--set", "y_scale=1"], "--in x="),
    "surplus parameter": ([*QUANTIZE, "--set", "y_zeropoint=1"], "did you mean 'y_zero_point'"),
    "surplus input": ([*QUANTIZE, "--in", "w=x.npy"], "no input 'w'"),
    "parameter twice": ([*QUANTIZE, "--set", "y_scale=0.2"], "twice"),
    "no equals sign": ([*QUANTIZE, "--set", "axis"], "NAME=VALUE"),
    "not a number": (["eval", "onnx.QuantizeLinear", "--in", "x=x.npy", "--set", "y_scale=0,1"], "'0,1'"),
    "too many bits": (["eval", "onnx.QuantizeLinear", "--in", "x=x.npy", "--set", "y_scale=bits:0x123456789"], "32 bits"),
    "scale of the wrong length": (["eval", "onnx.QuantizeLinear", "--in", "x=x.npy", "--set", "y_scale=[1,2,3,4]"], "axis 1"),
    "axis out of range": (["eval", "onnx.QuantizeLinear", "--in", "x=x.npy", "--set", "y_scale=[1,2]", "--set", "axis=2"], "axis"),
    "zero point outside the type": ([*QUANTIZE, "--set", "y_zero_point=256"], "[0, 255]"),
    "wrong dtype": ([*QUANTIZE, "--set", "output_dtype=int32"], "int32"),
    "no dtype": ([*QUANTIZE, "--set", "output_dtype=byte"], "'byte'"),
    "wrong input type": (["eval", "onnx.QuantizeLinear", "--in", "x=codes.npy", "--set", "y_scale=1"], "int8"),
    "logical type that does not fit": (["eval", "onnx.DequantizeLinear", "--in", "x=x.npy:int4", "--set", "x_scale=1"], "int4"),
    "value outside the logical type": (["eval", "onnx.DequantizeLinear", "--in", "x=codes.npy:int2", "--set", "x_scale=1"], "int2"),
    "no file": (["eval", "onnx.QuantizeLinear", "--in", "x=nothing.npy", "--set", "y_scale=1"], "nothing.npy"),
    "not an npy file": (["eval", "onnx.QuantizeLinear", "--in", f"x={ROOT / 'README.md'}", "--set", "y_scale=1"], "README.md"),
    "bad filter": (["list", "--filter", "("], "--filter"),
    "filter without match": (["list", "--filter", "nothing"], "nothing"),
    "unknown format": (["list", "--format", "xml"], "--format"),
    "unknown backend": (["check", "--backend", "onnxrutime"], "onnxruntime"),
    "unknown dialect": (["check", "--backend", "dialect:onxx"], "onnx"),
    "no backend": (["check"], "--backend"),
    "no case file": (["check", "--backend", "dialect:onnx", "nothing.json"], "nothing.json"),
    "filter without case": (["check", "--backend", "dialect:onnx", "--filter", "no-such-case"], "no-such-case"),
    "vacuous policy": (["check", "--backend", "dialect:onnx", "--policy", "at most 100% off by one lsb"], "100"),
    "no policy": (["check", "--backend", "dialect:onnx", "--policy", "close enough"], "close enough"),
    "bad shard": (["check", "--backend", "dialect:onnx", "--shard", "3/2"], "3/2"),
    "report folder that is none": (["check", "--backend", "dialect:onnx", "--html", "x.npy/report.html"], "report.html"),
    "against itself": (["check", "--backend", "dialect:onnx", "--against", "dialect:onnx"], "compared with itself"),
    "against nobody": (["check", "--backend", "dialect:onnx", "--against", ""], "qassay backends"),
    "against an unknown backend": (["check", "--backend", "dialect:onnx", "--against", "onnxrutime"], "onnxruntime"),
    "against alone": (["check", "--against", "dialect:onnx"], "--backend"),
    "two backends and witnesses": (["check", "--backend", "dialect:onnx", "--against", "mutant:fma", "--record-witnesses"], "--against"),
    "sweep of one backend": (["check", "--backend", "dialect:onnx", "--sweep"], "--against"),
    "unknown tolerance": (["check", "--backend", "dialect:onnx", "--tolerance", "openvine"], "did you mean 'openvino'"),
    "pair page in no folder": (["check", "--backend", "dialect:onnx", "--against", "mutant:fma", "--html", "no/p.html"], "no/p.html"),
    "diff without files": (["diff", "x.npy"], "required"),
    "diff of other shapes": (["diff", "x.npy", "scales.npy"], "[2]"),
    "compare: nobody's parameter": ([*COMPARE, "--set", "skale=1"], "did you mean 'scale'"),
    "compare: no scale": (COMPARE, "scale"),
    "compare: codes and reals": (["compare", "onnx.QuantizeLinear", "onnx.DequantizeLinear", "--set", "scale=1"], "onnx."),
    "compare: empty list": ([*COMPARE, "--each", "scale="], "--each"),
    "identity: two formulas": ([*IDENTITY[:3], *IDENTITY_SETTINGS], "DEQUANTIZE"),
    "identity: no such formula": (["identity", "pytorch.fake_quantise", *IDENTITY[2:], *IDENTITY_SETTINGS], "qassay list"),
    "identity: the wrong way round": ([*IDENTITY[:2], IDENTITY[3], IDENTITY[2], *IDENTITY_SETTINGS], "does not quantize"),
    "identity: no fake quantization": (["identity", IDENTITY[2], *IDENTITY[2:], *IDENTITY_SETTINGS], "nothing to compare"),
    "identity: composite": ([*IDENTITY[:2], "onnx.DynamicQuantizeLinear", IDENTITY[3], *IDENTITY_SETTINGS], "elementwise"),
    "identity: no scale": ([*IDENTITY, *IDENTITY_SETTINGS[2:]], "scale"),
    "identity: no range": ([*IDENTITY, *IDENTITY_SETTINGS[:4]], "quant_min"),
    "identity: nobody's parameter": ([*IDENTITY, *IDENTITY_SETTINGS, "--set", "skale=1"], "did you mean 'scale'"),
    "identity: two channels": ([*IDENTITY, "--set", "scale=[0.1,0.2]", *IDENTITY_SETTINGS[2:]], "scale"),
    "identity: no such type": ([*IDENTITY, *IDENTITY_SETTINGS, "--input-type", "float33"], "float33"),
    "identity: a type that one does not take": ([*IDENTITY, *IDENTITY_SETTINGS, "--input-type", "float16"], "expected one of float32"),
    "identity: backend and sweep": ([*IDENTITY, *IDENTITY_SETTINGS, "--backend", "dialect:pytorch", "--sweep"], "--sweep"),
    "probes: composite": (["probes", "onnx.DynamicQuantizeLinear"], "elementwise"),
    "explain without x": (["explain", "onnx.QuantizeLinear", "--set", "y_scale=1"], "x"),
    "trap: no file": (["trap", "nothing.npy"], "nothing.npy"),
    "trap: codes for weights": (["trap", "codes.npy"], "holds int8"),
    "trap: no channels": (["trap", "scales.npy"], "--per-tensor"),
    "trap: axis and per tensor": (["trap", "x.npy", "--ch-axis", "1", "--per-tensor"], "--per-tensor"),
    "trap: axis out of range": (["trap", "x.npy", "--ch-axis", "2"], "--ch-axis 2"),
    "trap: codes outside the type": (["trap", "x.npy", "--quant-max", "128"], "-128 to 127"),
    "trap: two codes": (["trap", "x.npy", "--quant-min", "0", "--quant-max", "1"], "at least 3"),
    "trap: no eps": (["trap", "x.npy", "--eps", "0"], "positive"),
    "trap: unknown scheme": (["trap", "x.npy", "--qscheme", "per_channel"], "--qscheme"),
    "trap: tensor of an npy file": (["trap", "x.npy", "--tensor", "w"], ".safetensors"),
    "trap: not a safetensors file": (["trap", "scales.safetensors"], "scales.safetensors"),
    "trap: page in no folder": (["trap", "x.npy", "--html", "nowhere/trap.html"], "nowhere/trap.html"),
    "golden: no such case": (["golden", "--check", "nothing.json"], "nothing.json"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistake(run: Run, mistake: str):
    arguments, hint = MISTAKES[mistake]
    before = sorted(path.name for path in run.folder.iterdir())
    done = run(*arguments)
    assert done.returncode == 2, f"stdout: {done.stdout}\nstderr: {done.stderr}"
    assert hint in done.stderr + (done.stdout if not arguments else "")
    assert len(done.stderr.strip().splitlines()) <= 4, done.stderr
    assert sorted(path.name for path in run.folder.iterdir()) == before


def test_outputs_appear_whole_or_not_at_all(run: Run):
    done = run(*QUANTIZE, "--out", "x.npy/below_a_file")
    assert done.returncode == 2
    assert "x.npy/below_a_file" in done.stderr
    assert run(*QUANTIZE, "--set", "axis=7", "--out", "results").returncode == 0  # one scale: the axis is not used
    assert np.load(run.folder / "results" / "y.npy").tolist() == [[15, 2, 0], [30, 0, 255]]


def test_truncated_file_names_the_place(run: Run):
    whole = (run.folder / "x.npy").read_bytes()
    (run.folder / "cut.npy").write_bytes(whole[:-5])
    done = run("eval", "onnx.QuantizeLinear", "--in", "x=cut.npy", "--set", "y_scale=1")
    assert done.returncode == 2
    assert "cut.npy" in done.stderr


def test_fortran_order_gives_the_same_values(run: Run):
    x = np.load(run.folder / "x.npy")
    np.save(run.folder / "fortran.npy", np.asfortranarray(x))
    for source in ("x", "fortran"):
        assert run("eval", "onnx.QuantizeLinear", "--in", f"x={source}.npy", "--set", "y_scale=0.1", "--out", source).returncode == 0
    assert (run.folder / "x" / "y.npy").read_bytes() == (run.folder / "fortran" / "y.npy").read_bytes()


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"grups": []}, "grups"),
        ({"groups": [{"id": "a", "why": "b", "tests": [{"x": "0.1", "y": 1}], "set": {"y_scale": "0x1p0"}}]}, "/groups/0"),
        ({"groups": [{"id": "a", "why": "b", "tests": [{"x": "0x1p0", "z": 1}], "set": {"y_scale": "0x1p0"}}]}, "z"),
    ],
)
def test_bad_case_file_names_the_place(run: Run, change: dict, place: str):
    cases = {"schema": "qassay-cases-1", "formula": "onnx.QuantizeLinear", "groups": []} | change
    (run.folder / "cases.json").write_text(json.dumps(cases))
    done = run("check", "--backend", "dialect:onnx", "cases.json")
    assert done.returncode == 2, done.stdout
    assert "cases.json" in done.stderr
    assert place in done.stderr


def test_unknown_trap_names_the_case(run: Run):
    group = {"id": "a", "why": "b", "traps": ["no_such_trap"], "tests": [{"x": 1, "y": 1}], "set": {"y_scale": "0x1p0"}}
    (run.folder / "cases.json").write_text(json.dumps({"schema": "qassay-cases-1", "formula": "onnx.QuantizeLinear", "groups": [group]}))
    done = run("check", "--backend", "dialect:onnx", "cases.json")
    assert done.returncode == 2, done.stdout
    assert "onnx.QuantizeLinear/a" in done.stderr
    assert "no_such_trap" in done.stderr


def test_a_run_that_compares_nothing_fails(run: Run):
    done = run("check", "--backend", "dialect:pytorch", ROOT / "cases" / "onnx" / "dynamic_quantize_linear.json")
    assert done.returncode != 0
    assert "nothing" in (done.stdout + done.stderr).lower()


PAIR_CASES = ROOT / "cases" / "onnx" / "quantize_linear.json"


def test_pair_that_compares_nothing_fails(run: Run):
    done = run("check", "--backend", "dialect:pytorch", "--against", "dialect:onnx", PAIR_CASES, "--case", "onnx.QuantizeLinear/ties")
    assert done.returncode == 1
    assert "nothing was compared" in done.stdout


def test_pair_that_agrees(run: Run):
    done = run("check", "--backend", "dialect:onnxruntime", "--against", "dialect:onnx", PAIR_CASES, "--filter", "/ties")
    assert done.returncode == 0, done.stdout
    assert "against dialect:onnx" in done.stdout


def test_pair_of_which_the_other_cannot_start(run: Run):
    done = run("check", "--backend", "dialect:onnx", "--against", "./no-such-program --fast", PAIR_CASES)
    assert done.returncode == 3, done.stderr
    assert "no-such-program" in done.stdout + done.stderr


def test_tolerance_changes_no_exit_code(run: Run):
    pair = ["check", "--backend", "mutant:ties_away", "--against", "dialect:onnx", PAIR_CASES, "--filter", "/ties", "--no-diagnose"]
    for tolerance in ([], ["--tolerance", "openvino"], ["--tolerance", "openvino-by-element"]):
        assert run(*pair, *tolerance).returncode == 1


def test_backend_that_cannot_start(run: Run):
    done = run("check", "--backend", "./no-such-program --fast", ROOT / "cases" / "onnx" / "quantize_linear.json")
    assert done.returncode == 3, done.stderr
    assert "no-such-program" in done.stdout + done.stderr


def test_unknown_mutant_lists_the_mutants(run: Run):
    done = run("check", "--backend", "mutant:tiesaway", ROOT / "cases" / "onnx" / "quantize_linear.json")
    assert done.returncode == 3
    assert "ties_away" in done.stdout + done.stderr


def test_start_up_is_quick(run: Run):
    # Not a timing: an eval of a small tensor must not read cases, goldens or backends to answer.
    done = run(*QUANTIZE, QASSAY_ROOT="/")
    assert done.returncode == 0, done.stderr
