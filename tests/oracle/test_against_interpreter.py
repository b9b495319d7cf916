"""The interpreter against the oracle, bit by bit, through the command line.

The binary is taken from the environment variable QASSAY, else build/qassay in the repository.
"""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from pathlib import Path

import exact
import numpy as np
import pytest
from evaluate import BIT_STORAGE, STORAGE, Case, Tensor, evaluate
from formulas import FORMULAS
from parameter_sets import ParameterSet, all_sets

QASSAY = Path(os.environ.get("QASSAY", Path(__file__).parents[2] / "build" / "qassay"))
TYPES_NPY_CANNOT_SAY = {"bfloat16", "int2", "uint2", "int4", "uint4"}
SETS = all_sets()
Setting = Tensor | int | str | list[int]


def in_file(folder: Path, name: str, value: Tensor) -> str:
    np.save(folder / f"{name}.npy", value.array)
    return str(folder / f"{name}.npy") + (f":{value.type}" if value.type in TYPES_NPY_CANNOT_SAY else "")


def as_text(value: Tensor) -> str:
    number = float(value.array)
    return number.hex() if np.isfinite(number) else str(number)


def literal_type(case: Case, value: Tensor) -> str:
    """The type to which the command line rounds a real parameter that is given as text."""
    if not case.formula.startswith("onnx"):
        return value.type  # there every real parameter has a type of its own
    if case.formula.endswith(".DequantizeLinear"):
        return case.settings["output_dtype"]
    (x,) = case.inputs.values()
    return x.type if x.type in BIT_STORAGE else "float32"


def setting_text(case: Case, folder: Path, name: str, value: Setting) -> str:
    """A scalar as text where its type is the one that text stands for, everything else from a file."""
    if isinstance(value, bool):
        return f"{name}={str(value).lower()}"
    if isinstance(value, list):
        return f"{name}=[{','.join(str(number) for number in value)}]"
    if not isinstance(value, Tensor):
        return f"{name}={value}"
    if value.array.ndim == 0 and value.type == literal_type(case, value) and value.type in ("float32", "float64"):
        return f"{name}={as_text(value)}"
    return f"{name}=@{in_file(folder, name, value)}"


def run_interpreter(case: Case, folder: Path) -> dict[str, np.ndarray]:
    if not QASSAY.exists():
        pytest.fail(f"{QASSAY} does not exist: build the project, or set QASSAY", pytrace=False)
    command = [str(QASSAY), "eval", case.formula]
    for name, value in case.inputs.items():
        command += ["--in", f"{name}={in_file(folder, name, value)}"]
    for name, value in case.settings.items():
        command += ["--set", setting_text(case, folder, name, value)]
    outputs = folder / "out"
    done = subprocess.run([*command, "--out", str(outputs)], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, f"exit {done.returncode}\n{' '.join(command)}\n{done.stderr}"
    return {file.stem: np.load(file) for file in outputs.glob("*.npy")}


def is_nan(bits: np.ndarray, type_name: str) -> np.ndarray:
    if type_name not in BIT_STORAGE:
        return np.zeros(bits.shape, bool)
    infinity = exact.encode(exact.FORMATS[type_name], exact.INFINITY)
    without_sign = bits.dtype.type((1 << (8 * bits.dtype.itemsize - 1)) - 1)
    return (bits & without_sign) > infinity


def setting_name(value: Setting) -> str:
    if not isinstance(value, Tensor):
        return str(value)
    if value.array.ndim:
        return f"{value.type}{list(value.array.shape)}"
    return f"{hex(int(value.bits))}:{value.type}" if value.type in BIT_STORAGE else str(value.array)


def describe(case: Case, name: str, wrong: np.ndarray, actual: np.ndarray, expected: np.ndarray) -> str:
    where = np.flatnonzero(wrong)
    lines = [f"{case.formula}, output {name}: {len(where)} of {wrong.size} elements differ"]
    lines.append("  with " + ", ".join(f"{key}={setting_name(value)}" for key, value in case.settings.items()))
    inputs = {key: value for key, value in case.inputs.items() if value.array.size == wrong.size}
    result = hex if actual.dtype.kind == "u" and actual.dtype.itemsize > 1 else str
    for index in where[:8]:
        elements = ", ".join(f"{key}={element_name(value, index)}" for key, value in inputs.items())
        a, e = (result(int(bits.ravel()[index])) for bits in (actual, expected))
        lines.append(f"  [{index}] {elements or '(of a group)'}: interpreter {a}, oracle {e}")
    return "\n".join(lines)


def element_name(value: Tensor, index: int) -> str:
    bits = int(value.bits.ravel()[index])
    return hex(bits) if value.type in BIT_STORAGE else str(bits)


@pytest.mark.parametrize("parameter_set", SETS, ids=[one.name for one in SETS])
def test_bits(parameter_set: ParameterSet, tmp_path: Path):
    case = parameter_set.build()
    expected = evaluate(case)
    actual = run_interpreter(case, tmp_path)
    assert set(actual) == set(expected)
    for name, output in expected.items():
        array = actual[name]
        assert array.dtype == np.dtype(STORAGE[output.tensor.type]), name
        assert array.shape == output.tensor.array.shape, name
        bits = Tensor(array, output.tensor.type).bits
        wrong = bits != output.tensor.bits
        wrong &= ~(is_nan(bits, output.tensor.type) & is_nan(output.tensor.bits, output.tensor.type))
        wrong &= output.specified
        if output.specified.size == 0:
            continue
        if not case.formula.startswith("onnx."):
            assert output.specified.all()
        elif case.formula != "onnx.DynamicQuantizeLinear":
            assert output.specified.mean() > 0.9
        if wrong.any():
            pytest.fail(describe(case, name, wrong, bits, output.tensor.bits), pytrace=False)


def test_every_formula_is_compared_on_many_elements():
    elements: Counter[str] = Counter()
    sets: Counter[str] = Counter()
    for parameter_set in SETS:
        formula = next(key for key in sorted(FORMULAS, key=len, reverse=True) if parameter_set.name.startswith(key + "-"))
        sets[formula] += 1
        elements[formula] += parameter_set.build().size
    assert set(sets) == set(FORMULAS)
    assert all(count >= 5 for count in sets.values()), sets
    assert all(count >= 5_000 for count in elements.values()), elements
