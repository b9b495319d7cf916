"""JSON files keep to their schemas; generated tables are what the program prints today."""

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from conftest import ROOT, Run

SCHEMAS = ROOT / "cases" / "schema"
CASE_FILES = sorted(path for folder in ("cases", "sweeps") for path in (ROOT / folder).glob("*/*.json") if path.parent.name != "schema")


def validator(name: str) -> jsonschema.Draft202012Validator:
    schema = json.loads((SCHEMAS / name).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("path", CASE_FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_case_file_keeps_to_its_schema(path: Path):
    validator("cases.schema.json").validate(json.loads(path.read_text()))


def test_traps_keep_to_their_schema_and_are_used():
    traps = json.loads((ROOT / "cases" / "traps.json").read_text())
    validator("traps.schema.json").validate(traps)
    text = "".join(path.read_text() for path in CASE_FILES)
    unused = [trap["name"] for trap in traps["traps"] if f'"{trap["name"]}"' not in text]
    assert not unused


def test_schema_refuses_an_unknown_key():
    document = {"schema": "qassay-cases-1", "formula": "onnx.QuantizeLinear", "groups": [], "extra": 1}
    assert not validator("cases.schema.json").is_valid(document)


@pytest.mark.parametrize("script", ["tools/docs/write_index.py", "tools/docs/write_distances.py", "tests/mutants/write_matrix.py"])
def test_generated_table_is_up_to_date(script: str):
    done = subprocess.run([sys.executable, ROOT / script, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"run {script}\n{done.stderr}"


def test_golden_folder_is_small():
    size = sum(path.stat().st_size for path in (ROOT / "golden").rglob("*") if path.is_file())
    assert 0 < size < 20_000_000


def test_json_listing_matches_the_pages(run: Run):
    formulas = json.loads(run("list", "--format", "json").stdout)
    assert len(formulas) >= 19
    for one in formulas:
        assert json.loads(run("show", one["id"], "--format", "json").stdout) == one
