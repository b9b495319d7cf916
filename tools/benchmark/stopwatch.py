"""What the peers measure on and how: the same tensor as benchmark.cpp, the best of many calls."""

import time
from collections.abc import Callable

import numpy as np

ELEMENTS = 1 << 18


def ramp() -> np.ndarray:
    """The float32 tensor that benchmark.cpp quantizes, rank 1."""
    return (30 * np.sin(np.arange(ELEMENTS, dtype=np.float64))).astype(np.float32)


def elements_per_second(call: Callable[[], object], seconds: float = 1.0) -> float:
    """The throughput of the fastest of the calls that fit into `seconds`."""
    call()
    best = float("inf")
    end = time.perf_counter() + seconds
    while (start := time.perf_counter()) < end:
        call()
        best = min(best, time.perf_counter() - start)
    return ELEMENTS / best
