"""From tensors to elements and back: what a formula of `formulas.py` gives for a whole case.

A `Tensor` is the array as it stands in an .npy file and the logical type of its elements. The elements of an input fall
into groups of one scale and zero point: boxes of equal shape, numbered in C order. A parameter that is not a scalar has
one element a group; so have the outputs that are not like the input.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from types import SimpleNamespace

import exact
import numpy as np
from formulas import FORMULAS

STORAGE = {
    "float16": np.float16,
    "bfloat16": np.uint16,
    "float32": np.float32,
    "float64": np.float64,
    "int2": np.int8,
    "uint2": np.uint8,
    "int4": np.int8,
    "uint4": np.uint8,
    "int8": np.int8,
    "uint8": np.uint8,
    "int16": np.int16,
    "uint16": np.uint16,
    "int32": np.int32,
    "int64": np.int64,
    "quint8": np.uint8,
    "qint8": np.int8,
    "qint32": np.int32,
    "bool": np.bool_,
}
BIT_STORAGE = {"float16": np.uint16, "bfloat16": np.uint16, "float32": np.uint32, "float64": np.uint64}


@dataclass(frozen=True)
class Tensor:
    array: np.ndarray
    type: str

    @property
    def bits(self) -> np.ndarray:
        """What is compared: the bits of a float, the number itself otherwise."""
        return self.array.view(BIT_STORAGE[self.type]) if self.type in BIT_STORAGE else self.array

    def elements(self) -> list:
        if self.type not in BIT_STORAGE:
            return [int(number) for number in self.array.ravel()]
        form = exact.FORMATS[self.type]
        return [exact.decode(form, int(bits)) for bits in self.bits.ravel()]


def tensor(numbers: list, type_name: str, shape: tuple[int, ...]) -> Tensor:
    """Values that the type holds exactly (or ints, or bools) as an array."""
    if type_name in BIT_STORAGE:
        form = exact.FORMATS[type_name]
        bits = np.array([exact.encode(form, value) for value in numbers], BIT_STORAGE[type_name])
        return Tensor(bits.reshape(shape).view(STORAGE[type_name]), type_name)
    return Tensor(np.array(numbers, STORAGE[type_name]).reshape(shape), type_name)


def from_bits(bits: list[int], type_name: str, shape: tuple[int, ...] | None = None) -> Tensor:
    array = np.array(bits, BIT_STORAGE[type_name]).view(STORAGE[type_name])
    return Tensor(array.reshape(shape or (len(bits),)), type_name)


def scalar(number: float, type_name: str) -> Tensor:
    """A double or an int as the nearest value of the type, once."""
    if type_name in BIT_STORAGE:
        return tensor([exact.round_to(exact.FORMATS[type_name], exact.from_float(number))], type_name, ())
    return tensor([number], type_name, ())


def vector(numbers: list[float], type_name: str) -> Tensor:
    array = np.array([scalar(number, type_name).array for number in numbers], STORAGE[type_name])
    return Tensor(array, type_name)


@dataclass(frozen=True)
class Case:
    """A formula, its inputs (none, or several of one shape), and its parameters: Tensors, ints, lists of ints and words."""

    formula: str
    inputs: dict[str, Tensor]
    settings: dict = field(default_factory=dict)

    @property
    def shape(self) -> tuple[int, ...]:
        """That of the inputs; without an input that of the parameters."""
        tensors = self.inputs or {name: one for name, one in self.settings.items() if isinstance(one, Tensor)}
        return next(iter(tensors.values())).array.shape

    @property
    def size(self) -> int:
        return math.prod(self.shape)


@dataclass(frozen=True)
class Output:
    """What the oracle says; where `specified` is false it says nothing."""

    tensor: Tensor
    specified: np.ndarray


def group_box(case: Case, settings: dict) -> tuple[int, ...] | None:
    """The shape of a group. None is the whole tensor, whose parameters are scalars."""
    shape = case.shape
    groups = FORMULAS[case.formula].groups
    if not case.inputs:
        return (1,) * len(shape)
    if groups == "tensor" or (groups == "rows" and not settings["per_row_fake_quant"]):
        return None
    if groups == "blocks":
        box = settings["block_size"]
        return None if box == "none" or tuple(box) == shape else tuple(box)
    if groups == "tokens":
        return (*(1 for _ in shape[:-1]), shape[-1])
    if groups == "group_size":
        return (1, min(settings["group_size"], shape[1]))
    axis = settings.get("ch_axis", settings.get("axis")) % len(shape)
    if settings.get("block_size"):
        return tuple(settings["block_size"] if d == axis else 1 for d in range(len(shape)))
    return tuple(1 if d == axis else length for d, length in enumerate(shape))


def group_shape(case: Case, box: tuple[int, ...] | None, settings: dict) -> tuple[int, ...]:
    """That of the parameters and of the outputs that are one a group: a vector where a group is an index of an axis."""
    if box is None:
        return ()
    grid = tuple(-(-length // side) for length, side in zip(case.shape, box, strict=True))
    along_axis = FORMULAS[case.formula].groups in ("axis", "rows") and not settings.get("block_size")
    return (math.prod(grid),) if along_axis and case.shape else grid


def group_numbers(shape: tuple[int, ...], box: tuple[int, ...] | None) -> np.ndarray:
    """For every element, in C order, the number of its group."""
    if box is None:
        return np.zeros(math.prod(shape), int)
    grid = [-(-length // side) for length, side in zip(shape, box, strict=True)]
    numbers = np.arange(math.prod(grid)).reshape(grid)
    for dimension, side in enumerate(box):
        numbers = np.take(numbers, np.arange(shape[dimension]) // side, axis=dimension)
    return numbers.ravel()


def output_type(case: Case, settings: dict, wanted) -> str:
    if callable(wanted):
        return wanted(settings)
    return case.inputs[wanted].type if wanted in case.inputs else settings.get(wanted, wanted)


def evaluate(case: Case) -> dict[str, Output]:
    formula = FORMULAS[case.formula]
    settings = formula.defaults | case.settings
    if formula.whole_case:
        answer = formula.function(SimpleNamespace(**case.inputs, **settings))
        tensors = {name: tensor(*parts) for name, parts in answer.items()}
        return {name: Output(one, np.ones(one.array.shape, bool)) for name, one in tensors.items()}
    box = group_box(case, settings)
    numbers = group_numbers(case.shape, box)
    run = run_by_group if formula.whole_groups else run_by_element
    columns, per_group = run(case, settings, numbers.tolist())
    outputs = {}
    for name, wanted in formula.outputs.items():
        type_name = output_type(case, settings, wanted)
        shape = group_shape(case, box, settings) if name in per_group else case.shape
        nothing = exact.ZERO if type_name in BIT_STORAGE else 0
        results = [nothing if result is None else result for result in columns[name]]
        specified = np.array([result is not None for result in columns[name]]).reshape(shape)
        outputs[name] = Output(tensor(results, type_name, shape), specified)
    return outputs


def namespace(case: Case, settings: dict) -> tuple[SimpleNamespace, dict[str, list]]:
    """What is the same for all elements, and the elements of each parameter that is not."""
    p = SimpleNamespace(**settings)
    varying = {}
    for name, value in (case.inputs | settings).items():
        if isinstance(value, Tensor):
            setattr(p, f"{name}_type", value.type)
            if name in settings:
                elements = value.elements()
                if len(elements) == 1:
                    setattr(p, name, elements[0])
                else:
                    varying[name] = elements
    return p, varying


def run_by_element(case: Case, settings: dict, numbers: list[int]) -> tuple[dict[str, list], set[str]]:
    formula = FORMULAS[case.formula]
    p, varying = namespace(case, settings)
    inputs = {name: value.elements() for name, value in case.inputs.items()}
    columns = {name: [] for name in formula.outputs}
    for position, number in enumerate(numbers):
        for name, elements in inputs.items():
            setattr(p, name, elements[position])
        for name, elements in varying.items():
            setattr(p, name, elements[number])
        for name, result in formula.function(p).items():
            columns[name].append(result)
    return columns, set()


def run_by_group(case: Case, settings: dict, numbers: list[int]) -> tuple[dict[str, list], set[str]]:
    """A list from the function belongs to the group's elements, anything else to the group."""
    formula = FORMULAS[case.formula]
    p, varying = namespace(case, settings)
    members: dict[int, list[int]] = {} if numbers else {0: []}
    for position, number in enumerate(numbers):
        members.setdefault(number, []).append(position)
    inputs = {name: value.elements() for name, value in case.inputs.items()}
    columns = {name: [None] * len(numbers) for name in formula.outputs}
    per_group: dict[str, list] = {}
    for number, positions in sorted(members.items()):
        for name, elements in inputs.items():
            setattr(p, name, [elements[position] for position in positions])
        for name, elements in varying.items():
            setattr(p, name, elements[number])
        for name, result in formula.function(p).items():
            if isinstance(result, list):
                for position, one in zip(positions, result, strict=True):
                    columns[name][position] = one
            else:
                per_group.setdefault(name, []).append(result)
    return columns | per_group, set(per_group)
