"""onnx.MatMulInteger against Python's integers. It is no function of one element, so it stands outside formulas.py."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest
from test_against_interpreter import QASSAY

ENDS = {"uint8": (0, 255), "int8": (-128, 127)}
SHAPES = [(1, 1, 1), (3, 2, 4), (1, 67, 2), (5, 1, 3), (2, 0, 2), (4, 300, 3)]


def product(a: np.ndarray, b: np.ndarray, a_zero_point: int, b_zero_point: int) -> list[list[int]]:
    """By definition, modulo 2^32 as int32."""
    rows = [[int(code) - a_zero_point for code in row] for row in a]
    columns = [[int(code) - b_zero_point for code in column] for column in b.T]
    sums = [[sum(x * y for x, y in zip(row, column, strict=True)) for column in columns] for row in rows]
    return [[(total + 2**31) % 2**32 - 2**31 for total in row] for row in sums]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("a_type", ENDS)
@pytest.mark.parametrize("b_type", ENDS)
def test_product(tmp_path, shape, a_type, b_type):
    rows, inner, columns = shape
    random = np.random.default_rng([*shape, ENDS[a_type][1], ENDS[b_type][1]])
    a = random.integers(*ENDS[a_type], (rows, inner), dtype=a_type, endpoint=True)
    b = random.integers(*ENDS[b_type], (inner, columns), dtype=b_type, endpoint=True)
    np.save(tmp_path / "a.npy", a)
    np.save(tmp_path / "b.npy", b)
    for a_zero_point, b_zero_point in zip(ENDS[a_type], ENDS[b_type], strict=True):
        zero_points = ["--set", f"a_zero_point={a_zero_point}", "--set", f"b_zero_point={b_zero_point}"]
        inputs = ["--in", f"A={tmp_path / 'a.npy'}", "--in", f"B={tmp_path / 'b.npy'}"]
        subprocess.run([QASSAY, "eval", "onnx.MatMulInteger", *inputs, *zero_points, "--out", tmp_path / "out"], check=True, timeout=60)
        y = np.load(tmp_path / "out" / "Y.npy")
        assert y.dtype == np.int32
        assert y.tolist() == product(a, b, a_zero_point, b_zero_point)
