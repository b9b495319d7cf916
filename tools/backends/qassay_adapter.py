"""Write a qassay backend adapter in Python: one short function for each formula.

    from qassay_adapter import Adapter
    adapter = Adapter("mine", version="1.0")

    @adapter.formula("onnx.QuantizeLinear")
    def quantize_linear(case):
        return {"y": my_quantize(case.x, case.y_scale, case.y_zero_point)}

    adapter.run()

The protocol is stated in README.md beside this file. Needs NumPy; ml_dtypes only when a case carries a bfloat16, float8, float6 or
float4 tensor.

How a logical type stands in memory (what a function is given, and what it must return):

    bool, int8 .. int64, uint8 .. uint64, float16, float32, float64   the NumPy type of that name
    int2, int4 / uint2, uint4                                         int8 / uint8, one value an element
    bfloat16, float8_*, float6_*, float4_*                            the ml_dtypes type of that name

`Case.type_of` and `Case.output_type` tell an int4 from an int8.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

__all__ = ["PROTOCOL", "Adapter", "Case", "Unsupported", "decode_tensor", "load_tensor", "save_tensors"]

PROTOCOL = 1

_NUMPY_TYPES = frozenset(
    ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"]
)
_NARROW_INTEGERS = {"int2": (-2, 1), "uint2": (0, 3), "int4": (-8, 7), "uint4": (0, 15)}
_ML_DTYPES = frozenset(
    [
        "bfloat16",
        "float8_e4m3fn",
        "float8_e5m2",
        "float8_e4m3fnuz",
        "float8_e5m2fnuz",
        "float8_e8m0fnu",
        "float6_e2m3fn",
        "float6_e3m2fn",
        "float4_e2m1fn",
    ]
)
_LONGEST_WHY = 1000


class Unsupported(Exception):
    """Raised by a formula's function: the backend has no way to express this case. Its text becomes the answer's `why`."""


def memory_dtype(type_name: str) -> np.dtype:
    """The dtype of an array of the logical type `type_name` in memory. Raises ValueError for a name that is not a type."""
    if type_name in _NUMPY_TYPES:
        return np.dtype(type_name)
    if type_name in _NARROW_INTEGERS:
        return np.dtype(np.uint8 if type_name.startswith("u") else np.int8)
    if type_name in _ML_DTYPES:
        import ml_dtypes

        return np.dtype(getattr(ml_dtypes, type_name))
    raise ValueError(f"unknown type {type_name!r}")


def storage_dtype(type_name: str) -> np.dtype:
    """The dtype of a .npy file that holds the logical type `type_name`. Raises ValueError for a name that is not a type."""
    if type_name in _ML_DTYPES:
        return np.dtype("<u2" if type_name == "bfloat16" else "u1")
    return memory_dtype(type_name).newbyteorder("<")


def decode_tensor(description: Mapping[str, Any]) -> np.ndarray:
    """The array that a request's `{"type", "shape", "values"}` describes.

    Integers come as numbers, floating-point values as hexadecimal strings of their bits; every bit is kept, NaN payloads too.
    Returns an array of that shape (rank 0 for `[]`). Raises ValueError for a wrong number of values or an unknown type,
    OverflowError for an integer or for bits that the type cannot hold.
    """
    type_name, shape, values = description["type"], tuple(description["shape"]), description["values"]
    dtype = memory_dtype(type_name)
    if len(values) != int(np.prod(shape, dtype=np.int64)):
        raise ValueError(f"{len(values)} values for the shape {list(shape)}")
    if dtype.kind in "iub":
        lowest, highest = _NARROW_INTEGERS.get(type_name) or (
            (0, 1) if dtype.kind == "b" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
        )
        for value in values:
            if not lowest <= value <= highest:
                raise OverflowError(f"{value} is outside {type_name} [{lowest}, {highest}]")
        return np.array([int(value) for value in values], dtype=dtype).reshape(shape)
    bits = np.array([int(value, 16) for value in values], dtype=np.uint64)
    if bits.size and int(bits.max()) >= 1 << (8 * dtype.itemsize):
        raise OverflowError(f"more bits than a {type_name} has")
    return bits.astype(f"u{dtype.itemsize}").view(dtype).reshape(shape)


def load_tensor(path: str, type_name: str) -> np.ndarray:
    """The array of logical type `type_name` in the .npy file at `path`.

    Raises ValueError when the file's dtype is not how that type is stored, OSError when it cannot be read.
    """
    stored = np.load(path, allow_pickle=False)
    if stored.dtype != storage_dtype(type_name):
        raise ValueError(f"{os.path.basename(path)}: {stored.dtype} cannot hold {type_name}")
    return np.array(stored, order="C").view(memory_dtype(type_name))


def _storable(name: str, array: Any, type_name: str, shape: tuple[int, ...]) -> np.ndarray:
    """`array` in its storage dtype. Raises TypeError or ValueError when it is not a `type_name` tensor of that shape."""
    if not isinstance(array, (np.ndarray, np.generic)):
        raise TypeError(f"output {name}: a NumPy array was expected, not {type(array).__name__}")
    array = np.asarray(array)
    if array.dtype != memory_dtype(type_name):
        raise TypeError(f"output {name}: {type_name} was asked for, {array.dtype} was returned")
    if array.shape != shape:
        raise ValueError(f"output {name}: shape {list(shape)} was asked for, {list(array.shape)} was returned")
    if type_name in _NARROW_INTEGERS and array.size:
        lowest, highest = _NARROW_INTEGERS[type_name]
        if array.min() < lowest or array.max() > highest:
            raise ValueError(f"output {name}: values outside {type_name} [{lowest}, {highest}]")
    return np.array(array, order="C").view(storage_dtype(type_name))


def save_tensors(outputs: Mapping[str, Mapping[str, Any]], results: Mapping[str, Any]) -> None:
    """Writes `results`, name to array, where the request's `outputs` (`{name: {"type", "shape", "path"}}`) want them.

    Nothing is renamed into place before every tensor has been checked and written in full. Raises TypeError or ValueError when
    the results are not exactly the outputs asked for, OSError when a file cannot be written.
    """
    if not isinstance(results, Mapping):
        raise TypeError(f"a formula returns its outputs by name, not {type(results).__name__}")
    if set(results) != set(outputs):
        raise ValueError(f"outputs {sorted(outputs)} were asked for, {sorted(results)} were returned")
    tensors = {name: _storable(name, results[name], wanted["type"], tuple(wanted["shape"])) for name, wanted in outputs.items()}
    written: list[tuple[str, str]] = []
    try:
        for name, tensor in tensors.items():
            path = outputs[name]["path"]
            unfinished = f"{path}.{os.getpid()}.part"
            written.append((unfinished, path))
            with open(unfinished, "wb") as file:
                np.lib.format.write_array(file, tensor, allow_pickle=False)
        for unfinished, path in written:
            os.replace(unfinished, path)
    finally:
        for unfinished, _ in written:
            if os.path.exists(unfinished):
                os.unlink(unfinished)


class Case:
    """One request. Inputs and parameters are attributes: `case.x`, `case.y_scale`, `case.axis`.

    Inputs, and parameters that may be tensors, are NumPy arrays of the exact type, shape and bits; the other parameters are
    plain numbers, booleans and strings. An unknown name raises AttributeError.

    id          the case's name
    formula     the formula's full id, for functions that serve several
    inputs      name to array
    parameters  name to array or plain value
    outputs     name to {"type", "shape", "path"}
    """

    def __init__(self, request: Mapping[str, Any]) -> None:
        self.id: str = request["case"]
        self.formula: str = request["formula"]
        self.outputs: dict[str, Any] = dict(request["outputs"])
        self._types: dict[str, str] = {}
        self.inputs: dict[str, np.ndarray] = {}
        self.parameters: dict[str, Any] = {}
        for name, given in request.get("inputs", {}).items():
            self._types[name] = given["type"]
            array = load_tensor(given["path"], given["type"])
            if list(array.shape) != list(given["shape"]):
                raise ValueError(f"input {name}: the file has shape {list(array.shape)}, the request says {given['shape']}")
            self.inputs[name] = array
        for name, given in request.get("parameters", {}).items():
            if isinstance(given, Mapping):
                self._types[name] = given["type"]
                given = decode_tensor(given)
            self.parameters[name] = given

    def __getattr__(self, name: str) -> Any:
        for values in ("inputs", "parameters"):
            found = self.__dict__.get(values, {})
            if name in found:
                return found[name]
        raise AttributeError(f"{self.__dict__.get('formula')} has no input or parameter {name!r}")

    def get(self, name: str, default: Any = None) -> Any:
        """The input or parameter `name`, or `default` where the formula has none of that name."""
        return self.inputs.get(name, self.parameters.get(name, default))

    def type_of(self, name: str) -> str:
        """The logical type of the input or tensor parameter `name`. Raises KeyError when there is none."""
        return self._types[name]

    def output_type(self, name: str | None = None) -> str:
        """The logical type asked for in the output `name` (which may be left out when there is only one)."""
        return self._output(name)["type"]

    def output_shape(self, name: str | None = None) -> tuple[int, ...]:
        """The shape asked for in the output `name` (which may be left out when there is only one)."""
        return tuple(self._output(name)["shape"])

    def _output(self, name: str | None) -> Mapping[str, Any]:
        if name is None:
            (name,) = self.outputs
        return self.outputs[name]


class Adapter:
    """A backend adapter.

    name      the backend's name, as its folder is called
    version   the version of the backend that will do the work
    packages  versions of what else decides the outcome, by package name

    From its construction on, file descriptor 1 is the protocol's alone: what Python code or a native library prints to standard output goes
    to standard error. Construct it before importing a library that may print.
    """

    def __init__(self, name: str, version: str, packages: Mapping[str, str] | None = None) -> None:
        self.name = name
        self.version = version
        self.packages = dict(packages or {})
        self._functions: dict[str, Callable[[Case], Mapping[str, np.ndarray]]] = {}
        sys.stdout.flush()
        self._answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
        os.dup2(2, 1)

    def formula(self, *ids: str) -> Callable[[Callable], Callable]:
        """Decorator: the function answers for these formula ids.

        It is called with a `Case` and returns a mapping from every output's name to its array. It raises `Unsupported` for what the
        backend cannot express; any other exception is reported as an error. Raises ValueError for an id claimed twice.
        """

        def claim(function: Callable) -> Callable:
            for formula_id in ids:
                if formula_id in self._functions:
                    raise ValueError(f"{formula_id} is claimed twice")
                self._functions[formula_id] = function
            return function

        return claim

    def run(self) -> None:
        """Says hello, then answers requests until standard input ends. Does not return: the process exits with 0."""
        self._say(
            {
                "protocol": PROTOCOL,
                "backend": self.name,
                "version": self.version,
                "packages": self.packages,
                "formulas": sorted(self._functions),
            }
        )
        for line in sys.stdin.buffer:
            if line.strip():
                self._say(self._answer(line))
        sys.exit(0)

    def _say(self, message: Mapping[str, Any]) -> None:
        self._answers.write(json.dumps(message, ensure_ascii=False) + "\n")
        self._answers.flush()

    def _answer(self, line: bytes) -> dict[str, Any]:
        name = None
        try:
            request = json.loads(line)
            name = request["case"]
            function = self._functions.get(request["formula"])
            if function is None:
                raise Unsupported(f"{self.name} does not claim {request['formula']}")
            case = Case(request)
            save_tensors(case.outputs, function(case))
        except Unsupported as reason:
            return {"case": name, "status": "unsupported", "why": _first_line(str(reason))}
        except Exception as failure:  # whatever it is, it is the verdict of this case and not of the run
            return {"case": name, "status": "error", "why": f"{type(failure).__name__}: {_first_line(str(failure))}"}
        return {"case": name, "status": "done"}


def _first_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[0][:_LONGEST_WHY] if lines else "no message"
