"""ONNX's quantization operators as one-node models, made from qassay cases: what the adapters of ONNX backends share.

A node's inputs are data, scales and zero points alike, of undeclared shape: one model serves every case of the same operator, opset,
types and attributes, and shapes and values are the backend's to judge when it runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from onnx import ModelProto, TensorProto, helper
from qassay_adapter import Case, Unsupported, memory_dtype

ONNX_TYPES = {
    "bool": TensorProto.BOOL,
    "int8": TensorProto.INT8,
    "uint8": TensorProto.UINT8,
    "int16": TensorProto.INT16,
    "uint16": TensorProto.UINT16,
    "int32": TensorProto.INT32,
    "int64": TensorProto.INT64,
    "float16": TensorProto.FLOAT16,
    "bfloat16": TensorProto.BFLOAT16,
    "float32": TensorProto.FLOAT,
    "float64": TensorProto.DOUBLE,
    "int4": TensorProto.INT4,
    "uint4": TensorProto.UINT4,
    "int2": TensorProto.INT2,
    "uint2": TensorProto.UINT2,
    "float8_e4m3fn": TensorProto.FLOAT8E4M3FN,
    "float8_e4m3fnuz": TensorProto.FLOAT8E4M3FNUZ,
    "float8_e5m2": TensorProto.FLOAT8E5M2,
    "float8_e5m2fnuz": TensorProto.FLOAT8E5M2FNUZ,
    "float8_e8m0fnu": TensorProto.FLOAT8E8M0,
    "float6_e2m3fn": TensorProto.FLOAT6E2M3,
    "float6_e3m2fn": TensorProto.FLOAT6E3M2,
    "float4_e2m1fn": TensorProto.FLOAT4E2M1,
}
IR_VERSIONS = ((18, 8), (20, 9), (22, 10), (23, 11), (24, 12), (99, 13))  # last opset, the IR version that came with it


class Node(NamedTuple):
    """One node, hashable: what a model is made of, and nothing of what runs through it."""

    op: str
    opset: int
    inputs: tuple[tuple[str, str], ...]  # name, logical type
    outputs: tuple[tuple[str, str], ...]  # name, logical type
    attributes: tuple[tuple[str, int], ...] = ()


class Call(NamedTuple):
    """A node and the arrays for its inputs, by name."""

    node: Node
    feeds: dict[str, np.ndarray]


def onnx_type(name: str) -> int:
    """ONNX's number for a logical type. Raises Unsupported for a type that ONNX has not."""
    if name not in ONNX_TYPES:
        raise Unsupported(f"ONNX has no {name}")
    return ONNX_TYPES[name]


def model(node: Node, carriers: Mapping[str, str]) -> ModelProto:
    """A model of this node alone. A type in `carriers` is carried in another one at the model's boundary, with a Cast inside."""

    def inner(name, kind):
        return f"{name}_as_{kind}" if kind in carriers else name

    def boundary(pairs):
        return [helper.make_tensor_value_info(name, onnx_type(carriers.get(kind, kind)), None) for name, kind in pairs]

    nodes = [helper.make_node("Cast", [name], [inner(name, kind)], to=onnx_type(kind)) for name, kind in node.inputs if kind in carriers]
    nodes.append(
        helper.make_node(
            node.op,
            [inner(*pair) for pair in node.inputs],
            [inner(*pair) for pair in node.outputs],
            **dict(node.attributes),
        )
    )
    nodes += [
        helper.make_node("Cast", [inner(name, kind)], [name], to=onnx_type(carriers[kind]))
        for name, kind in node.outputs
        if kind in carriers
    ]
    graph = helper.make_graph(nodes, node.op, boundary(node.inputs), boundary(node.outputs))
    return helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", node.opset)],
        ir_version=next(ir for last, ir in IR_VERSIONS if node.opset <= last),
    )


def call(op, opset, inputs, outputs, attributes=()) -> Call:
    """`inputs`: name to (array, logical type); `outputs`: name to logical type."""
    return Call(
        Node(
            op,
            opset,
            tuple((name, kind) for name, (_, kind) in inputs.items()),
            tuple(outputs.items()),
            tuple(attributes),
        ),
        {name: np.asarray(array) for name, (array, _) in inputs.items()},
    )


def zero_point(case: Case, name: str, kind: str) -> np.ndarray:
    """The case's zero point as a tensor of the logical type `kind`. Raises ValueError when it is not a value of that type."""
    given = np.asarray(case.get(name))
    converted = given.astype(memory_dtype(kind))
    if not np.array_equal(converted.astype(np.float64), given.astype(np.float64)):
        raise ValueError(f"{name} is no {kind}")
    return converted


def _grid(case, scale_name, zero_point_name, kind):
    """Scale and zero point in one shape (a scalar is spread to the other's), and the attributes that place them."""
    scale, offset = case.get(scale_name), zero_point(case, zero_point_name, kind)
    if scale.ndim == 0 or offset.ndim == 0:
        scale, offset = np.broadcast_arrays(scale, offset)
    attributes = []
    if case.opset >= 13:
        attributes.append(("axis", int(case.axis)))
    elif scale.ndim:
        raise Unsupported(f"opset {case.opset} has one scale only")
    if case.block_size:
        if case.opset < 21:
            raise Unsupported(f"opset {case.opset} has no blocks")
        attributes.append(("block_size", int(case.block_size)))
    return scale, offset, attributes


def quantize_linear(case: Case) -> Call:
    """onnx.QuantizeLinear. Raises Unsupported for what the case's opset has no attribute for."""
    kind = case.output_dtype
    scale, offset, attributes = _grid(case, "y_scale", "y_zero_point", kind)
    if not case.saturate and case.opset >= 19:  # before 19 all outputs are integers, which saturate in any case
        attributes.append(("saturate", 0))
    if case.precision != "none":
        if case.opset < 23:
            raise Unsupported(f"opset {case.opset} has no precision")
        attributes.append(("precision", onnx_type(case.precision)))
    return call(
        "QuantizeLinear",
        case.opset,
        {"x": (case.x, case.type_of("x")), "y_scale": (scale, case.type_of("y_scale")), "y_zero_point": (offset, kind)},
        {"y": kind},
        attributes,
    )


def dequantize_linear(case: Case) -> Call:
    """onnx.DequantizeLinear. Raises Unsupported for what the case's opset has no attribute for."""
    kind = case.type_of("x")
    scale, offset, attributes = _grid(case, "x_scale", "x_zero_point", kind)
    if case.output_dtype != case.type_of("x_scale"):
        if case.opset < 23:
            raise Unsupported(f"opset {case.opset}: the output has the scale's type")
        attributes.append(("output_dtype", onnx_type(case.output_dtype)))
    return call(
        "DequantizeLinear",
        case.opset,
        {"x": (case.x, kind), "x_scale": (scale, case.type_of("x_scale")), "x_zero_point": (offset, kind)},
        {"y": case.output_dtype},
        attributes,
    )


def mat_mul_integer(case: Case) -> Call:
    """onnx.MatMulInteger."""
    kinds = {name: case.type_of(name) for name in ("A", "B")}
    inputs = {
        "A": (case.A, kinds["A"]),
        "B": (case.B, kinds["B"]),
        "a_zero_point": (zero_point(case, "a_zero_point", kinds["A"]), kinds["A"]),
        "b_zero_point": (zero_point(case, "b_zero_point", kinds["B"]), kinds["B"]),
    }
    return call("MatMulInteger", 10, inputs, {"Y": "int32"})


def dynamic_quantize_linear(case: Case) -> Call:
    """onnx.DynamicQuantizeLinear, which has no parameters."""
    return call(
        "DynamicQuantizeLinear",
        case.get("opset", 21),
        {"x": (case.x, case.type_of("x"))},
        {"y": "uint8", "y_scale": "float32", "y_zero_point": "uint8"},
    )


def w_scale_each(case: Case) -> np.ndarray:
    """requantize's `w_scale`: the scalar, or one value for each element of `acc`, rank 1."""
    if case.w_scale.ndim == 0:
        return case.w_scale
    along = [1] * case.acc.ndim
    along[case.axis] = -1
    return np.broadcast_to(case.w_scale.reshape(along), case.acc.shape).reshape(-1)


def requantize_kind(case: Case, op: str) -> str:
    """requantize's output type. Raises Unsupported for a type that `op` cannot give."""
    if case.output_dtype not in ("int8", "uint8"):
        raise Unsupported(f"{op} gives int8 or uint8, not {case.output_dtype}")
    return case.output_dtype


def qlinear_conv(case: Case) -> Call:
    """QLinearConv of zeros: one 1x1 output channel for each accumulator, which is that channel's bias.

    The output has shape [1, channels, 1, 1]. Raises Unsupported for an output type that the operator has not.
    """
    kind = requantize_kind(case, "QLinearConv")
    return call(
        "QLinearConv",
        10,
        {
            "x": (np.zeros((1, 1, 1, 1), kind), kind),
            "x_scale": (case.x_scale, case.type_of("x_scale")),
            "x_zero_point": (np.zeros((), kind), kind),
            "w": (np.zeros((case.acc.size, 1, 1, 1), np.int8), "int8"),
            "w_scale": (w_scale_each(case), case.type_of("w_scale")),
            "w_zero_point": (np.zeros((), np.int8), "int8"),
            "y_scale": (case.y_scale, case.type_of("y_scale")),
            "y_zero_point": (zero_point(case, "y_zero_point", kind), kind),
            "bias": (case.acc.reshape(-1), "int32"),
        },
        {"y": kind},
    )
