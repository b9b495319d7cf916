"""pytorch.HistogramObserver against its definition in NumPy: whole histograms, so it stands outside formulas.py.

Thousands of bins and up to a hundred thousand steps of a search leave no room for exact rationals. Here binary32 is NumPy's float32, an
operation a rounding; binary64, in which PyTorch's Python computes, is Python's float. What is fused is rounded once by way of
a binary64 rounded to odd.
"""

from __future__ import annotations

import bisect
import math
import subprocess
from typing import NamedTuple

import numpy as np
import pytest
from test_against_interpreter import QASSAY

F = np.float32
INF = F(math.inf)
LARGEST = np.finfo(F).max
PARTS = 16  # of a bin, when it moves
STEP = 1e-5
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


class State(NamedTuple):
    histogram: np.ndarray
    low: np.float32
    high: np.float32

    @property
    def is_empty(self) -> bool:
        return self.low == INF and self.high == -INF


# ------------ torch's operators


def fused(product: np.ndarray, addend: np.float32) -> np.ndarray:
    """float32(product + addend), of an exact product in binary64."""
    addend = np.float64(addend)
    total = product + addend
    part = total - product
    error = (product - (total - part)) + (addend - part)
    bits = total.view(np.int64)
    to_odd = np.isfinite(error) & (error != 0) & (bits % 2 == 0)
    return np.where(to_odd, bits + np.where((error > 0) == (total > 0), 1, -1), bits).view(np.float64).astype(F)


def linspace(low: np.float32, high: np.float32, count: int, contraction: str) -> np.ndarray:
    step = F(high - low) / F(count - 1)
    index = np.arange(count)
    halves = [(low, step, index[: count // 2]), (high, -step, count - 1 - index[count // 2 :])]
    if contraction == "fma":
        return np.concatenate([fused(np.float64(by) * steps, start) for start, by, steps in halves])
    return np.concatenate([start + by * steps.astype(F) for start, by, steps in halves])


def tower(rows: np.ndarray) -> np.ndarray:
    """The sum over the first dimension, in four levels of partial sums."""
    height = max(4, (max(len(rows), 1) - 1).bit_length() // 4)
    levels = [np.zeros(rows.shape[1:], F) for _ in range(4)]
    for number, row in enumerate(rows, 1):
        levels[0] = levels[0] + row
        for level in range(1, 4):
            if number % (1 << level * height):
                break
            levels[level] = levels[level] + levels[level - 1]
            levels[level - 1] = np.zeros_like(levels[level - 1])
    return levels[0] + levels[1] + levels[2] + levels[3]


def by_fours(rows: np.ndarray) -> np.ndarray:
    whole = len(rows) // 4 * 4
    first, *others = tower(rows[:whole].reshape(-1, 4, *rows.shape[1:]))
    for row in [*rows[whole:], *others]:
        first = first + row
    return first


def torch_sum(terms: np.ndarray) -> float:
    """Eight lanes, four rows at once, then the rest and the lanes one by one."""
    if len(terms) < 8:
        return float(F(0) + by_fours(terms))
    whole = len(terms) // 8 * 8
    total = F(0)
    for term in [*terms[whole:], *by_fours(terms[:whole].reshape(-1, 8))]:
        total = total + term
    return float(total)


def histc(x: np.ndarray, bins: int, low: np.float32, high: np.float32) -> np.ndarray:
    if low == high:
        low, high = (
            F(min(float(np.nextafter(low, -LARGEST)), float(low) - 1)),
            F(max(float(np.nextafter(high, LARGEST)), float(high) + 1)),
        )
    histogram = np.zeros(bins, F)
    if np.isinf(high - low):
        return histogram
    position = (x - low) * F(bins) / (high - low)
    position[~np.isfinite(position)] = 0
    np.add.at(histogram, np.minimum(position.astype(int), bins - 1), F(1))
    return histogram


def floor_divide(a: np.ndarray, b: np.float32) -> np.ndarray:
    if b == 0:
        return a / b
    remainder = np.fmod(a, b)
    whole = np.where(np.isinf(a / b) & np.isfinite(a), a, a - remainder) / b
    whole = np.where(remainder < 0, whole - F(1), whole)
    floor = np.floor(whole)
    return np.where(whole - floor > F(0.5), floor + F(1), floor)


# ------------ the observer


def observe(state: State, x: np.ndarray, bins: int, contraction: str) -> State:
    x = x[np.isfinite(x)]
    if not len(x):
        return state
    if state.is_empty:
        return State(histc(x, bins, x.min(), x.max()), x.min(), x.max())
    low, high = min(state.low, x.min()), max(state.high, x.max())
    new = histc(x, bins, low, high)
    if (low, high) == (state.low, state.high):
        moved = state.histogram
    elif state.low == state.high:
        moved = F(torch_sum(state.histogram)) * histc(np.array([state.low]), bins, low, high)
    else:
        moved = rebinned(state, bins, low, high, contraction)
    return State(new + moved, low, high)


def rebinned(state: State, bins: int, low: np.float32, high: np.float32, contraction: str) -> np.ndarray:
    half = F(0.5) * (F(state.high - state.low) / F(PARTS * bins))
    middles = linspace(state.low, state.high, PARTS * bins + 1, contraction)[:-1] + half
    edges = linspace(low, high, bins + 1, contraction).tolist()
    # Edges need not be in order, and may all be NaN: bisect probes as torch.bucketize does.
    where = np.array([bisect.bisect_right(edges, middle) - 1 for middle in middles.tolist()]).clip(0, bins - 1)
    moved = np.zeros(bins, F)
    np.add.at(moved, where, np.repeat(state.histogram, PARTS) / F(PARTS))
    return moved


def squared(begin: np.ndarray, end: np.ndarray, density: np.ndarray) -> np.ndarray:
    return density * ((end * end * end - begin * begin * begin) / F(3))


def quantization_error(state: State, codes: int, first: int, last: int) -> float:
    count = len(state.histogram)
    width = (float(state.high) - float(state.low)) / count
    step = width * (last - first + 1) / codes
    if step == 0:
        return 0.0
    width, half, step = F(width), F(step / 2), F(step)
    begin = (np.arange(count) - first).astype(F) * width
    end = begin + width
    from_code, to_code = (np.clip(floor_divide(at, step), F(0), F(codes - 1)) for at in (begin, end))
    density = state.histogram / width
    norm = squared(begin - (from_code + F(0.5)) * step, half, density)
    norm = norm + (to_code - from_code - F(1)) * squared(-half, half, density)
    norm = norm + squared(-half, end - (to_code * step + half), density)
    return torch_sum(norm)


def search(state: State, codes: int) -> tuple[np.float32, np.float32]:
    total = torch_sum(state.histogram)
    sums = np.cumsum(state.histogram.astype(float)).astype(F).tolist()
    first, last, below, above, least = 0, len(sums) - 1, 0.0, 1.0, math.inf
    while below < above:
        least_sum, greatest_sum = (float(F(share * total)) for share in (below + STEP, above - STEP))
        left, right = first, last
        while left < last and sums[left] < least_sum:
            left += 1
        while right > first and sums[right] > greatest_sum:
            right -= 1
        if left - first > last - right:
            below, move = below + STEP, (left, last)
        else:
            above, move = above - STEP, (first, right)
        if move == (first, last):
            continue
        error = quantization_error(state, codes, *move)
        if error > least:
            break
        least, (first, last) = error, move
    width = F(state.high - state.low) / F(len(sums))
    return state.low + width * F(first), state.low + width * F(last + 1)


def parameters(state: State, bits: int, signed: bool, symmetric: bool) -> tuple[np.float32, int]:
    if state.is_empty:
        return F(1), 0
    lowest = -(1 << bits - 1) if signed else 0
    low, high = search(state, 1 << bits)
    low, high = np.minimum(low, F(0)), np.maximum(high, F(0))
    if symmetric:
        scale = np.maximum(np.maximum(-low, high) / F(((1 << bits) - 1) / 2), F(2.0**-23))
        return scale, 0 if signed else 1 << bits - 1
    scale = np.maximum((high - low) / F((1 << bits) - 1), F(2.0**-23))
    steps = np.rint(low / scale)
    steps = int(steps) if -(2.0**31) <= steps < 2.0**31 else -(2**31)
    zero_point = (lowest - steps + 2**31) % 2**32 - 2**31
    return scale, min(max(zero_point, lowest), lowest + (1 << bits) - 1)


# ------------ the batches


def batches(kind: str, random: np.random.Generator) -> list[np.ndarray]:
    lengths = random.integers(1, 71, 4)
    normal = [random.standard_normal(length) for length in lengths]
    made = {
        "normal": normal,
        "growing": [x * 3**k for k, x in enumerate(normal)],
        "above": [np.abs(x) + 0.5 for x in normal],
        "below": [-np.abs(x) * 2**k for k, x in enumerate(normal)],
        "outliers": [x * np.where(np.arange(len(x)) == 0, 100, 1) for x in normal],
        "one-value": [np.full(3, 5.25), np.full(2, 5.25), np.full(4, 5.25), np.full(1, -3)],
        "zeros": [np.zeros(3), np.zeros(1), np.ones(2), np.zeros(5)],
        "single": [x[:1] for x in normal],
        "large-offset": [1e6 + x for x in normal],
        "tiny": [x * 1e-38 for x in normal],
        "subnormal": [x * 1e-43 for x in normal],
        "huge": [x * 1e37 for x in normal],
        "overflowing": [np.array([3e38, 1.0]), np.array([0.0, -2e37]), np.array([-3e38, 5.0]), normal[0]],
        "infinities": [np.append(x, math.inf) for x in normal[:3]] + [np.array([math.inf, -math.inf])],
        "empty": [normal[0][:0], normal[1], normal[2][:0], normal[3]],
        "many": [random.standard_normal(3000) * (k + 1) for k in range(4)],
    }
    return [x.astype(F) for x in made[kind]]


TYPES = {"uint8": (8, False), "int8": (8, True), "int16": (16, True), "uint16": (16, False), "int32": (32, True)}
KINDS = [
    "normal", "growing", "above", "below", "outliers", "one-value", "zeros", "single",
    "large-offset", "tiny", "subnormal", "huge", "overflowing", "infinities", "empty", "many",
]  # fmt: skip


def run_interpreter(folder, state: State, x: np.ndarray, settings: dict) -> dict[str, np.ndarray]:
    np.save(folder / "x.npy", x)
    np.save(folder / "histogram.npy", state.histogram)
    np.save(folder / "min_val.npy", state.low)
    np.save(folder / "max_val.npy", state.high)
    command = [QASSAY, "eval", "pytorch.HistogramObserver", "--out", folder / "out"]
    for name in ("x", "histogram"):
        command += ["--in", f"{name}={folder / name}.npy"]
    for name in ("min_val", "max_val"):
        command += ["--set", f"{name}=@{folder / name}.npy"]
    for name, value in settings.items():
        command += ["--set", f"{name}={value}"]
    subprocess.run(command, check=True, timeout=60, capture_output=True)
    return {file.stem: np.load(file) for file in (folder / "out").glob("*.npy")}


def assert_same(name: str, actual: np.ndarray, expected: np.ndarray, dtype: type) -> None:
    assert actual.dtype == dtype, name
    assert actual.shape == expected.shape, name
    both_nan = np.isnan(actual) & np.isnan(expected)
    as_bits = (array.astype(dtype).view(np.uint32) for array in (actual, expected))
    different = np.not_equal(*as_bits) & ~both_nan
    assert not different.any(), (name, np.flatnonzero(different)[:8], actual[different][:8], expected[different][:8])


@pytest.mark.parametrize("bins", [2048, 64, 7, 1])
@pytest.mark.parametrize("kind", KINDS)
def test_batches(tmp_path, kind: str, bins: int):
    """Four batches, the state of each taken from the one before."""
    number = KINDS.index(kind) + bins
    dtype = list(TYPES)[number % len(TYPES)]
    contraction = ("fma", "none")[number % 2]
    qscheme = ("per_tensor_affine", "per_tensor_symmetric")[number // 2 % 2]
    settings = {"dtype": dtype, "qscheme": qscheme, "bins": bins, "contraction": contraction}
    state = State(np.zeros(bins, F), INF, -INF)
    for x in batches(kind, np.random.default_rng(number)):
        actual = run_interpreter(tmp_path, state, x, settings)
        state = observe(state, x, bins, contraction)
        scale, zero_point = parameters(state, *TYPES[dtype], qscheme.endswith("symmetric"))
        for name, value in (("histogram", state.histogram), ("min_val", state.low), ("max_val", state.high), ("scale", scale)):
            assert_same(name, actual[name], np.asarray(value), np.float32)
        assert_same("zero_point", actual["zero_point"], np.asarray(zero_point), np.int32)
