"""The report of two backends: its page, filled with made-up results and looked at in a headless Chromium, and its JSON."""

import json
import os
import pathlib
import subprocess

import jsonschema
import pytest
from test_report import CHROMIUM, DESKTOP, PHONE, TEMPLATE, case, difference, look, output, results

ROOT = TEMPLATE.parents[2]
PROGRAM = pathlib.Path(os.environ.get("QASSAY", ROOT / "build" / "qassay")).resolve()
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed (Debian package chromium)")

NAME = "onnx.QuantizeLinear/ties"


def side(backend, verdict="pass", fitting=("onnx.QuantizeLinear",), **keys):
    return {"backend": backend, "verdict": verdict, "fingerprint": {"tried": 26, "fitting": list(fitting)}, **keys}


def found(kind, count, about="the exact quotient lies halfway", **keys):
    example = {key: value for key, value in difference(3).items() if key != "explain"}
    return {
        "class": kind,
        "about": about,
        "count": count,
        "output": "y",
        "example": {**example, "explain": ["qassay explain a", "qassay explain b"], **keys},
    }


def pair():
    """A mismatch with two classes and a sweep, a known difference of the other side, one that crashes, one that agrees."""
    tolerance = {
        "name": "openvino",
        "passes": True,
        "threshold": 1,
        "largest_difference": 1,
        "mean_relative_difference": 0.25,
    }
    sweep = {
        "inputs": 4294967296,
        "tried": 4294967296,
        "differing": 813694977,
        "classes": [
            {
                "class": "opposite_ends",
                "about": "one gives the lowest value there is, the other the highest",
                "count": 813694977,
                "smallest": {
                    "input": {"value": "2147483600", "bits": "0x4f000000"},
                    "expected": {"value": "-128", "bits": "0x80"},
                    "got": {"value": "127", "bits": "0x7f"},
                    "lsb": 255,
                    "ulp": None,
                },
            }
        ],
    }
    known = {"cause": "openvino.QuantizeAfterZeroPoint", "why": "rounds after the zero point", "upstream": "onnx/onnx#1"}
    cases = [
        case(
            "mismatch",
            NAME,
            outputs=[output([(0, 60), (1, 4)], [difference(3)], tolerance=tolerance)],
            message="4 of 64 elements differ",
            pair={
                "sides": [
                    side("onnxruntime", "mismatch", (), known_difference=known),
                    side("openvino", fitting=[f"d{i}.QuantizeLinear" for i in range(9)]),
                ],
                "classes": [found("tie", 3), found("one_step", 1)],
                "sweep": sweep,
            },
        ),
        case(
            "known_difference",
            "onnx.QuantizeLinear/known",
            outputs=[output([(0, 60), (1, 4)])],
            known_difference=known,
            pair={
                "sides": [side("onnxruntime"), side("openvino", "known_difference", known_difference=known)],
                "classes": [found("tie", 4)],
            },
        ),
        case(
            "crash",
            "onnx.QuantizeLinear/crash",
            message="onnxruntime computes it; openvino crashes: SIGSEGV",
            pair={
                "sides": [
                    {"backend": "onnxruntime", "verdict": "pass"},
                    {"backend": "openvino", "verdict": "crash", "ending": "openvino crashes: SIGSEGV"},
                ],
                "classes": [],
            },
        ),
        case(name="onnx.QuantizeLinear/same", pair={"sides": [], "classes": []}),
    ]
    against = {"name": "openvino", "title": "OpenVINO, CPU", "version": "2026.2", "packages": {"numpy": "2.4.1"}}
    data = results(cases, schema="qassay-pair-1", against=against)
    data["summary"]["tolerance"] = {"name": "openvino", "about": "a", "cases": 1, "elements": 4, "whole_steps": 4}
    return data


@needs_chromium
def test_overview_names_both(tmp_path):
    seen = look(
        tmp_path,
        pair(),
        """return {kind: words("#kind")[0], banner: words("#banner")[0], facts: words(".facts")[0], page: document.title,
          causes: words(".cause"), signs: words("#signs")[0]};""",
    )
    assert seen["kind"] == "onnxruntime against openvino"
    assert "OpenVINO, CPU 2026.2" in seen["facts"] and "openvino 2026.2" in seen["page"]
    assert "lets 4 elements that differ in 1 case through, 4 of them off by a whole step" in seen["banner"]
    assert "distance from openvino" in seen["banner"]
    assert "onnxruntime as openvino.QuantizeAfterZeroPoint, openvino as d0.QuantizeLinear" in seen["causes"][0]
    assert seen["signs"] == "those of the backend minus those of openvino"


@needs_chromium
@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_detail_has_both_fingerprints(tmp_path, width):
    seen = look(
        tmp_path,
        pair(),
        """return {sides: words(".side"), classes: words(".class"), head: words(".shown th"), stats: words(".stats")[0],
          lefts: all(".side").map(node => node.getBoundingClientRect().left),
          tops: all(".side").map(node => node.getBoundingClientRect().top), wide: document.documentElement.scrollWidth};""",
        f"#case={NAME}",
        width,
    )
    assert "None of 26 formulas tried gives every element." in seen["sides"][0]
    assert "proved by openvino.QuantizeAfterZeroPoint: rounds after the zero point" in seen["sides"][0]
    assert "d4.QuantizeLinear and 4 more formulas" in seen["sides"][1]
    assert [entry.split()[:2] for entry in seen["classes"]] == [["3", "tie"], ["1", "one_step"], ["813,694,977", "opposite_ends"]]
    assert "onnxruntime 129 (0x81) openvino 128 (0x80)" in seen["classes"][0]
    assert "Copy explain of onnxruntime Copy explain of openvino" in seen["classes"][0]
    assert "smallest input 2147483600 (0x4f000000)" in seen["classes"][2]
    if width == DESKTOP:
        assert seen["head"][2:4] == ["openvino", "onnxruntime"]
    assert "tolerance openvino passes" in seen["stats"]
    assert seen["wide"] <= width
    # Side by side, or one below the other on a phone.
    assert (seen["tops"][0] == seen["tops"][1]) == (width == DESKTOP)
    assert (seen["lefts"][0] == seen["lefts"][1]) == (width == PHONE)


@needs_chromium
def test_detail_says_who_crashed(tmp_path):
    seen = look(tmp_path, pair(), "return words('.side');", "#case=onnx.QuantizeLinear/crash")
    assert "openvino crashes: SIGSEGV" in seen[1] and "as the case expects" in seen[0]


@needs_chromium
def test_absent_and_wrong_keys(tmp_path):
    data = pair()
    data["cases"][0]["pair"] = {"sides": [None, 3], "classes": [{}, None, {"example": []}], "sweep": {"classes": {}}}
    data["cases"][1]["pair"] = []
    data["against"] = 7
    seen = look(
        tmp_path,
        data,
        """for (const row of all(".row:not(.head)")) { row.click(); await wait(30); }
           return words("main")[0];""",
    )
    assert "undefined" not in seen and "NaN" not in seen and "[object" not in seen


def test_json_keeps_to_its_schema(tmp_path):
    schema = json.loads((ROOT / "tools" / "report" / "pair.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    file = tmp_path / "pair.json"
    done = subprocess.run(
        [PROGRAM, "check", "--backend", "mutant:ties_away", "--against", "dialect:onnx", "--tolerance", "openvino",
         "--json", file, "--sweep", "--no-diagnose", "--case", "onnx.QuantizeLinear/float16-own-quotient",
         "--case", "onnx.QuantizeLinear/axis-by-hand"],
        env=os.environ | {"QASSAY_ROOT": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    report = json.loads(file.read_text())
    jsonschema.validate(report, schema)
    pairs = [one["pair"] for one in report["cases"]]
    assert any(pair["classes"] for pair in pairs)
    assert any(pair["sweep"]["tried"] == 65536 for pair in pairs)
    assert all(name in schema["$defs"]["class"]["enum"] for pair in pairs for name in [entry["class"] for entry in pair["classes"]])
