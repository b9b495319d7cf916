"""From tensors to elements and back: what a formula of `formulas.py` gives for a whole case.

A `Tensor` is the array as it stands in an .npy file and the logical type of its elements. A scale or zero point that is
not a scalar applies along `axis`, one for each index, or with `block_size` one for each block of that many indices.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace

import exact
import formulas
import numpy as np

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
    "quint8": np.uint8,
    "qint8": np.int8,
    "qint32": np.int32,
    "bool": np.bool_,
}
BIT_STORAGE = {"float16": np.uint16, "bfloat16": np.uint16, "float32": np.uint32, "float64": np.uint64}
DEFAULTS = {
    "opset": 21,
    "precision": "none",
    "axis": 1,
    "block_size": 0,
    "y_zero_point": 0,
    "x_zero_point": 0,
    "contraction": "fma",
}


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
    """A formula, its input, and its parameters: Tensors, ints and words."""

    formula: str
    input_name: str
    x: Tensor
    settings: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Output:
    """What the oracle says; where `specified` is false it says nothing."""

    tensor: Tensor
    specified: np.ndarray


def parameter_index(parameter: np.ndarray, shape: tuple[int, ...], axis: int, block_size: int) -> np.ndarray:
    """For every element of x, which element of the parameter applies to it."""
    indices = np.arange(parameter.size).reshape(parameter.shape)
    if parameter.size == 1:
        return np.broadcast_to(indices.reshape(()), shape)
    axis %= len(shape)
    if block_size:
        along = np.arange(shape[axis]) // block_size
        return np.take(indices, along, axis=axis)
    if indices.shape != (shape[axis],):
        raise ValueError(f"parameter of shape {indices.shape} for axis {axis} of {shape}")
    return np.broadcast_to(indices.reshape([-1 if d == axis else 1 for d in range(len(shape))]), shape)


def output_types(case: Case) -> dict[str, str]:
    operator = case.formula.split(".")[1].split("@")[0]
    if operator == "DynamicQuantizeLinear":
        return {"y": "uint8", "y_scale": "float32", "y_zero_point": "uint8"}
    if operator.startswith("fake_quantize"):
        return {"y": case.x.type, "mask": "bool"}
    if operator.startswith("quantize_per"):
        return {"q": case.settings["dtype"]}
    if operator.startswith("dequantize_per"):
        return {"y": "float32"}
    if operator == "DequantizeLinear":
        return {"y": case.settings.get("output_dtype", case.settings["x_scale"].type)}
    return {"y": case.settings.get("output_dtype", "uint8")}


def evaluate(case: Case) -> dict[str, Output]:
    types = output_types(case)
    shape = case.x.array.shape
    if case.formula in formulas.WHOLE_TENSOR:
        results = formulas.WHOLE_TENSOR[case.formula](case.x.elements())
        columns = {name: result if isinstance(result, list) else [result] for name, result in results.items()}
        shapes = {name: shape if name == "y" else () for name in types}
    else:
        columns = evaluate_elements(case, types)
        shapes = dict.fromkeys(types, shape)
    outputs = {}
    for name, type_name in types.items():
        nothing = exact.ZERO if type_name in BIT_STORAGE else 0
        numbers = [nothing if result is None else result for result in columns[name]]
        specified = np.array([result is not None for result in columns[name]]).reshape(shapes[name])
        outputs[name] = Output(tensor(numbers, type_name, shapes[name]), specified)
    return outputs


def evaluate_elements(case: Case, types: dict[str, str]) -> dict[str, list]:
    function = formulas.ELEMENTWISE[case.formula]
    settings = DEFAULTS | {"output_dtype": types.get("y")} | case.settings
    p = SimpleNamespace(**settings, **{f"{case.input_name}_type": case.x.type})
    tensors = []
    for name, setting in settings.items():
        if isinstance(setting, Tensor):
            setattr(p, f"{name}_type", setting.type)
            which = parameter_index(setting.array, case.x.array.shape, settings["axis"], settings["block_size"])
            tensors.append((name, setting.elements(), which.ravel().tolist()))
    columns = {name: [] for name in types}
    for position, element in enumerate(case.x.elements()):
        setattr(p, case.input_name, element)
        for name, elements, which in tensors:
            setattr(p, name, elements[which[position]])
        for name, result in function(p).items():
            columns[name].append(result)
    return columns
