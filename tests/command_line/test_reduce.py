"""`qassay reduce` through a backend's adapter: what it writes fails in the same way."""

import json
from pathlib import Path

import jsonschema
import pytest
from conftest import ROOT, Run

CASES = ROOT / "cases" / "onnx" / "quantize_linear.json"
SCHEMA = ROOT / "cases" / "schema" / "cases.schema.json"


@pytest.mark.parametrize(
    ("mutant", "case"),
    [
        ("reciprocal", "onnx.QuantizeLinear/division"),
        ("floor", "onnx.QuantizeLinear/bfloat16-ties"),
        ("reversed_channels", "onnx.QuantizeLinear/axis-by-hand"),
        ("wrap", "onnx.QuantizeLinear/both-ends-int8"),
    ],
)
def test_reduced_case_fails_in_the_same_way(run: Run, tmp_path: Path, mutant: str, case: str):
    file = tmp_path / "reduced.json"
    done = run("reduce", "--backend", f"mutant:{mutant}", "--case", case, CASES, "--out", file, "--format", "json")
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)
    assert found["verdict"] == "mismatch"
    assert found["reproduce"] == f"qassay check --backend mutant:{mutant} {file}"
    written = json.loads(file.read_text())
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(written)
    assert written["groups"] == [found["group"]]

    again = run("check", "--backend", f"mutant:{mutant}", file, "--no-diagnose")
    assert again.returncode == 1
    assert "1 mismatch" in again.stdout
    assert run("check", "--backend", "dialect:onnx", file).returncode == 0


def test_a_case_that_does_not_fail(run: Run):
    done = run("reduce", "--backend", "dialect:onnx", "--case", "onnx.QuantizeLinear/division", CASES)
    assert done.returncode == 0
    assert "does not fail: pass" in done.stdout


def test_what_cannot_be_reduced(run: Run):
    unknown = run("reduce", "--backend", "dialect:onnx", "--case", "onnx.QuantizeLinear/divison", CASES)
    assert unknown.returncode == 2
    assert "onnx.QuantizeLinear/division" in unknown.stderr
    for backend in ("mutant:none", "./no-such-program --fast", "dialect:pytorch"):
        done = run("reduce", "--backend", backend, "--case", "onnx.QuantizeLinear/division", CASES)
        assert done.returncode == 3, (backend, done.stderr)
        assert done.stderr
