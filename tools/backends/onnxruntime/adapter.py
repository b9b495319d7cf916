"""ONNX Runtime's CPU execution provider as a qassay backend: one-operator models, graph optimisations off, one thread.

What a case expresses becomes the model (operator, opset, attributes, types); data, scales and zero points are its run-time inputs, so
sessions are kept and serve every case of the same model. Types that ONNX Runtime's Python interface cannot carry are carried in a wider
one, with a Cast on the way in or out; all of these casts are exact.
"""
import functools
import sys
from importlib import metadata
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
from qassay_adapter import Adapter, Unsupported, memory_dtype  # noqa: E402

adapter = Adapter("onnxruntime", version=metadata.version("onnxruntime"),
                  packages={name: metadata.version(name) for name in ("onnx", "numpy", "ml_dtypes")})

import numpy as np  # noqa: E402
import onnxruntime as ort  # noqa: E402
from onnx import TensorProto, helper  # noqa: E402

# What stands in for a type at the model's boundary.
CARRIERS = {"int2": "int8", "uint2": "uint8", "int4": "int8", "uint4": "uint8", "bfloat16": "float32",
            "float8_e4m3fn": "float32", "float8_e4m3fnuz": "float32", "float8_e5m2": "float32", "float8_e5m2fnuz": "float32",
            "float8_e8m0fnu": "float32", "float4_e2m1fn": "float32"}
ONNX_TYPES = {
    "bool": TensorProto.BOOL, "int8": TensorProto.INT8, "uint8": TensorProto.UINT8, "int16": TensorProto.INT16,
    "uint16": TensorProto.UINT16, "int32": TensorProto.INT32, "int64": TensorProto.INT64, "float16": TensorProto.FLOAT16,
    "bfloat16": TensorProto.BFLOAT16, "float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE, "int4": TensorProto.INT4,
    "uint4": TensorProto.UINT4, "int2": TensorProto.INT2, "uint2": TensorProto.UINT2, "float8_e4m3fn": TensorProto.FLOAT8E4M3FN,
    "float8_e4m3fnuz": TensorProto.FLOAT8E4M3FNUZ, "float8_e5m2": TensorProto.FLOAT8E5M2,
    "float8_e5m2fnuz": TensorProto.FLOAT8E5M2FNUZ, "float8_e8m0fnu": TensorProto.FLOAT8E8M0, "float4_e2m1fn": TensorProto.FLOAT4E2M1}
IR_VERSIONS = ((18, 8), (20, 9), (22, 10), (23, 11), (24, 12), (99, 13))  # the first IR version that knows all types of these opsets


def onnx_type(name: str) -> int:
    """ONNX's number for a logical type. Raises Unsupported for a type that ONNX has not."""
    if name not in ONNX_TYPES:
        raise Unsupported(f"ONNX has no {name}")
    return ONNX_TYPES[name]


def carrier(name: str) -> str:
    return CARRIERS.get(name, name)


@functools.lru_cache(maxsize=512)
def session(op, opset, inputs, outputs, attributes):
    """A session for one node. `inputs`, `outputs`: (name, logical type) pairs; `attributes`: (name, value) pairs; all tuples.

    Raises Unsupported when the model is not a legal one (types, attributes) or has no kernel; what a kernel's constructor
    refuses is left as it comes.
    """
    before, after, names_in, names_out = [], [], [], []
    for name, kind in inputs:
        names_in.append(name if carrier(kind) == kind else name + "_as_" + kind)
        if names_in[-1] != name:
            before.append(helper.make_node("Cast", [name], [names_in[-1]], to=onnx_type(kind)))
    for name, kind in outputs:
        names_out.append(name if carrier(kind) == kind else name + "_as_" + kind)
        if names_out[-1] != name:
            after.append(helper.make_node("Cast", [names_out[-1]], [name], to=onnx_type(carrier(kind))))
    node = helper.make_node(op, names_in, names_out, **dict(attributes))
    # No shapes are declared: shapes are the kernel's to judge, at run time, like any other value.
    graph = helper.make_graph(
        [*before, node, *after], op,
        [helper.make_tensor_value_info(name, onnx_type(carrier(kind)), None) for name, kind in inputs],
        [helper.make_tensor_value_info(name, onnx_type(carrier(kind)), None) for name, kind in outputs])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)],
                              ir_version=next(ir for last, ir in IR_VERSIONS if opset <= last))
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    try:
        return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    except Exception as failure:
        text = str(failure)
        absent = type(failure).__name__ in ("NotImplemented", "InvalidGraph") or any(
            sign in text for sign in ("Type Error", "TypeInferenceError", "precision_ == "))
        if absent:
            raise Unsupported(text.partition(" : ")[2].partition(" : ")[2] or text) from failure
        raise


def run(op, opset, inputs, outputs, attributes=()):
    """Runs one node. `inputs`: name to (array, logical type); `outputs`: name to logical type. Returns the outputs, by name."""
    found = session(op, opset, tuple((name, kind) for name, (_, kind) in inputs.items()), tuple(outputs.items()), tuple(attributes))
    feeds = {name: np.asarray(array).astype(carrier(kind), copy=False) for name, (array, kind) in inputs.items()}
    results = found.run(list(outputs), feeds)
    return {name: np.asarray(result).astype(memory_dtype(kind), copy=False)
            for (name, kind), result in zip(outputs.items(), results)}


def zero_point(case, name, kind, scale):
    """The zero point as a `kind` tensor of the scale's shape. Raises ValueError when it is not a value of that type."""
    given = np.asarray(case.get(name))
    carried = given.astype(memory_dtype(kind))
    if not np.array_equal(carried.astype(np.float64), given.astype(np.float64)):
        raise ValueError(f"{name} is not {kind}")
    return np.broadcast_to(carried, scale.shape) if carried.ndim == 0 else carried


def slices(case, scale, since):
    """The attributes that place a scale tensor: axis and block_size, as far as the opset has them (`since`: axis, block_size)."""
    attributes = []
    if case.opset >= since["axis"]:
        attributes.append(("axis", int(case.axis)))
    elif scale.ndim:
        raise Unsupported(f"opset {case.opset} has one scale only")
    if case.block_size:
        if case.opset < since["block_size"]:
            raise Unsupported(f"opset {case.opset} has no blocks")
        attributes.append(("block_size", int(case.block_size)))
    return attributes


@adapter.formula("onnx.QuantizeLinear", "onnxruntime.QuantizeLinear")
def quantize_linear(case):
    scale, kind = case.y_scale, case.output_dtype
    offset = zero_point(case, "y_zero_point", kind, scale)
    if scale.ndim == 0 and offset.ndim:
        scale = np.broadcast_to(scale, offset.shape)
    attributes = slices(case, scale, {"axis": 13, "block_size": 21})
    if not case.saturate:
        if case.opset >= 19:
            attributes.append(("saturate", 0))
        elif kind.startswith("float"):
            raise Unsupported(f"opset {case.opset} has no {kind}")
    if case.precision != "none":
        if case.opset < 23:
            raise Unsupported(f"opset {case.opset} has no precision")
        attributes.append(("precision", onnx_type(case.precision)))
    return run("QuantizeLinear", case.opset,
               {"x": (case.x, case.type_of("x")), "y_scale": (scale, case.type_of("y_scale")), "y_zero_point": (offset, kind)},
               {"y": kind}, attributes)


@adapter.formula("onnx.DequantizeLinear", "onnxruntime.DequantizeLinear")
def dequantize_linear(case):
    scale, kind = case.x_scale, case.type_of("x")
    offset = zero_point(case, "x_zero_point", kind, scale)
    if scale.ndim == 0 and offset.ndim:
        scale = np.broadcast_to(scale, offset.shape)
    attributes = slices(case, scale, {"axis": 13, "block_size": 21})
    if case.output_dtype != case.type_of("x_scale"):
        if case.opset < 23:
            raise Unsupported(f"opset {case.opset}: the output has the scale's type")
        attributes.append(("output_dtype", onnx_type(case.output_dtype)))
    return run("DequantizeLinear", case.opset,
               {"x": (case.x, kind), "x_scale": (scale, case.type_of("x_scale")), "x_zero_point": (offset, kind)},
               {"y": case.output_dtype}, attributes)


@adapter.formula("onnx.DynamicQuantizeLinear", "onnxruntime.DynamicQuantizeLinear")
def dynamic_quantize_linear(case):
    return run("DynamicQuantizeLinear", case.get("opset", 21), {"x": (case.x, case.type_of("x"))},
               {"y": "uint8", "y_scale": "float32", "y_zero_point": "uint8"})


@adapter.formula("onnxruntime.requantize")
def requantize(case):
    """QLinearConv of zeros: one 1x1 output channel for each accumulator, which is that channel's bias."""
    acc, kind, w_scale = case.acc, case.output_dtype, case.w_scale
    if kind not in ("int8", "uint8"):
        raise Unsupported(f"QLinearConv gives int8 or uint8, not {kind}")
    if w_scale.ndim:
        along = [1] * acc.ndim
        along[case.axis] = -1
        w_scale = np.broadcast_to(w_scale.reshape(along), acc.shape).reshape(-1)
    channels = acc.size
    y = run("QLinearConv", 10, {
        "x": (np.zeros((1, 1, 1, 1), kind), kind), "x_scale": (case.x_scale, case.type_of("x_scale")), "x_zero_point": (np.zeros((), kind), kind),
        "w": (np.zeros((channels, 1, 1, 1), np.int8), "int8"), "w_scale": (w_scale, case.type_of("w_scale")),
        "w_zero_point": (np.zeros((), np.int8), "int8"),
        "y_scale": (case.y_scale, case.type_of("y_scale")), "y_zero_point": (zero_point(case, "y_zero_point", kind, case.y_scale), kind),
        "bias": (acc.reshape(-1), "int32")}, {"y": kind})["y"]
    return {"y": y.reshape(acc.shape)}


if __name__ == "__main__":
    adapter.run()
