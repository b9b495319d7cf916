"""What the parameter sets are made of: named, lazily built cases, and inputs dealt out to channels."""

from __future__ import annotations

import dataclasses
import itertools
import math
import random
import zlib
from collections.abc import Callable
from typing import NamedTuple

import inputs
import numpy as np
from evaluate import Case, Tensor, from_bits, group_numbers, scalar, tensor, vector
from exact import FORMATS, INTEGER_RANGES, Value
from formulas import FORMULAS

INF, NAN = float("inf"), float("nan")
SCALES = [0.1, 0.0078431, 1 / 3, 1e-3, 0.7, 2.0**-15, 1.0, 0.5, 1e37, 1e-40, 2.0**-149]
HALF_SCALES = [0.1, 1 / 3, 0.7, 2.0**-15, 1e-3, 1.0, 300.0]
ODD_SCALES = [-0.1, 0.0, -0.0, INF, NAN]  # legal for an implementation, open in a specification


class ParameterSet(NamedTuple):
    name: str
    build: Callable[[], Case]


def zero_points(lowest: int, highest: int) -> list[int]:
    """The ends, zero, the middle, an odd and an even one."""
    wanted = [lowest, highest, 0, (lowest + highest + 1) // 2, 3, -1, 2, highest - 1]
    return [number for number in dict.fromkeys(wanted) if lowest <= number <= highest]


def seed_of(name: str) -> int:
    return zlib.crc32(name.encode())


def quantizer_case(
    formula: str,
    name: str,
    x_type: str,
    scale_name: str,
    scale: Tensor,
    zero_point: int,
    limits: tuple[int, int],
    settings: dict,
) -> Case:
    """One scale for the whole tensor; the inputs are chosen for it."""
    bits = inputs.quantizer_inputs(FORMATS[x_type], scale.elements()[0], zero_point, *limits, seed_of(name))
    return Case(formula, {"x": from_bits(bits, x_type)}, {scale_name: scale} | settings)


def dealt(x_type: str, shape: tuple[int, ...], slices: list[list[int]], which: Callable[[tuple[int, ...]], int]) -> Tensor:
    """A tensor whose element at a position is the next one of the list that `which` chooses for that position."""
    iterators = [iter(bits) for bits in slices]
    bits = [next(iterators[which(position)]) for position in np.ndindex(shape)]
    return from_bits(bits, x_type, shape) if x_type in FORMATS else tensor(bits, x_type, shape)


def channel_case(
    formula: str,
    name: str,
    x_type: str,
    parameters: dict[str, Tensor],
    limits: tuple[int, int],
    settings: dict,
    rows: int,
    axis: int,
) -> Case:
    """A tensor of rank 3; channel c holds inputs chosen for scale c and zero point c."""
    scale, zero_point = parameters.values()
    slices = []
    for channel, (one_scale, shift) in enumerate(zip(scale.elements(), zero_point.elements(), strict=True)):
        shift = shift.rational if isinstance(shift, Value) else shift
        slices.append(inputs.quantizer_inputs(FORMATS[x_type], one_scale, shift, *limits, seed_of(name) + channel, rows))
    count = min(len(bits) for bits in slices)
    count -= count % 24
    shape = [6, count // 6]
    shape.insert(axis % 3, len(slices))
    x = dealt(x_type, tuple(shape), slices, lambda position: position[axis])
    return Case(formula, {"x": x}, parameters | settings | {"axis": axis})


def dequantize_per_axis(
    formula: str, input_name: str, scale_name: str, shift_name: str, q_type: str, axis: int, settings: dict
) -> ParameterSet:
    name = f"{formula}-{q_type}-axis={axis}"
    lowest, highest = INTEGER_RANGES[q_type]
    scale_type, shift_type = ("float32", q_type) if shift_name == "x_zero_point" else ("float64", "int32")

    def build() -> Case:
        scales = vector([0.1, 1 / 3, 0.7, 2.0**-15], scale_type)
        shifts = tensor([lowest, highest, lowest + 3, lowest + 2], shift_type, (4,))
        slices = [inputs.codes(lowest, highest, shift, seed_of(name), 240) for shift in shifts.elements()]
        count = min(len(numbers) for numbers in slices) // 6 * 6
        shape = [6, count // 6]
        shape.insert(axis % 3, 4)
        q = dealt(q_type, tuple(shape), slices, lambda position: position[axis])
        return Case(formula, {input_name: q}, {scale_name: scales, shift_name: shifts, "axis": axis} | settings)

    return ParameterSet(name, build)


def grouped_case(
    formula: str,
    name: str,
    types: tuple[str, str, str],
    shape: tuple[int, ...],
    box: tuple[int, ...],
    values: tuple[str, list[float], str, list[float]],
    limits: tuple[int, int],
    settings: dict,
) -> Case:
    """Groups of the shape `box`, each with inputs chosen for its scale and zero point.

    `types` are those of the input, the scales and the zero points; `values` are name and values of scale and zero point,
    which the groups take in turn. The input is x of a float type, or the codes q of an integer type.
    """
    x_type, scale_type, shift_type = types
    scale_name, scales, shift_name, shifts = values
    grid = tuple(-(-length // side) for length, side in zip(shape, box, strict=True))
    count = math.prod(grid)
    scale_values = [scales[index % len(scales)] for index in range(count)]
    shift_values = [shifts[index % len(shifts)] for index in range(count)]
    slices = []
    for index, (scale, shift) in enumerate(zip(scale_values, shift_values, strict=True)):
        seed, share = seed_of(name) + index, math.prod(box)
        whole_shift = int(shift) if abs(shift) < float("inf") else 0
        if x_type in FORMATS:
            typed = scalar(scale, scale_type).elements()[0]
            pool = inputs.quantizer_inputs(FORMATS[x_type], typed, whole_shift, *limits, seed, share)
        else:
            pool = inputs.codes(*INTEGER_RANGES[x_type], whole_shift, seed, share)
            random.Random(seed).shuffle(pool)
        slices.append(itertools.cycle(pool))
    numbers = group_numbers(shape, box).tolist()
    elements = [next(slices[number]) for number in numbers]
    x = from_bits(elements, x_type, shape) if x_type in FORMATS else tensor(elements, x_type, shape)
    parameter_shape = () if count == 1 and FORMULAS[formula].groups == "blocks" else grid
    parameters = {scale_name: vector(scale_values, scale_type)}
    if shift_name:
        parameters[shift_name] = vector(shift_values, shift_type)
    parameters = {key: Tensor(one.array.reshape(parameter_shape), one.type) for key, one in parameters.items()}
    return Case(formula, {"x" if x_type in FORMATS else "q": x}, parameters | settings)


def without_nan(case: Case) -> Case:
    """The same with 1.0 for every NaN of x, a float32 tensor."""
    x = case.inputs["x"].array.copy()
    x[np.isnan(x)] = 1.0
    return dataclasses.replace(case, inputs={"x": Tensor(x, "float32")})
