"""onnx.reference.ReferenceEvaluator, ONNX's own NumPy implementation, as a qassay backend: one-node models."""

import functools
import sys
import warnings
from importlib import metadata
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
from qassay_adapter import Adapter, Unsupported, memory_dtype

adapter = Adapter(
    "onnx_reference",
    version=metadata.version("onnx"),
    packages={name: metadata.version(name) for name in ("numpy", "ml_dtypes")},
)

import numpy as np  # noqa: E402
import onnx_nodes  # noqa: E402
from onnx.helper import tensor_dtype_to_np_dtype  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402


@functools.lru_cache(maxsize=512)
def evaluator(node):
    """The evaluator for a node. Raises Unsupported when there is no implementation for its opset."""
    try:
        return ReferenceEvaluator(onnx_nodes.model(node, carriers={}))
    except RuntimeError as failure:
        if str(failure).startswith("No implementation"):
            raise Unsupported(str(failure)) from failure
        raise


def run(call):
    """Runs a node. Returns its outputs, by name."""
    feeds = {
        name: call.feeds[name].astype(tensor_dtype_to_np_dtype(onnx_nodes.onnx_type(kind)), copy=False) for name, kind in call.node.inputs
    }
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = evaluator(call.node).run([name for name, _ in call.node.outputs], feeds)
    except ValueError as failure:
        if str(failure).startswith("Unexpected type"):
            raise Unsupported(str(failure)) from failure
        raise
    return {
        name: np.asarray(result).astype(memory_dtype(kind), copy=False)
        for (name, kind), result in zip(call.node.outputs, results, strict=True)
    }


@adapter.formula("onnx.QuantizeLinear", "onnx_reference.QuantizeLinear")
def quantize_linear(case):
    return run(onnx_nodes.quantize_linear(case))


@adapter.formula("onnx.DequantizeLinear", "onnx_reference.DequantizeLinear")
def dequantize_linear(case):
    return run(onnx_nodes.dequantize_linear(case))


@adapter.formula("onnx.DynamicQuantizeLinear", "onnx_reference.DynamicQuantizeLinear")
def dynamic_quantize_linear(case):
    return run(onnx_nodes.dynamic_quantize_linear(case))


@adapter.formula("onnx.MatMulInteger")
def mat_mul_integer(case):
    return run(onnx_nodes.mat_mul_integer(case))


@adapter.formula("onnx_reference.requantize")
def requantize(case):
    node = {"conv": onnx_nodes.qlinear_conv, "matmul": qlinear_matmul}[case.op](case)
    return {"y": run(node)["y"].reshape(case.acc.shape)}


def qlinear_matmul(case):
    """QLinearMatMul whose int32 product is the accumulators: [[1]] times one int32 row.

    An int32 operand is outside the operator's types, but the evaluator does not look, and widens both operands to int32 anyway;
    within them an accumulator of full size needs some 66,000 products.
    """
    call = onnx_nodes.qlinear_conv(case)
    kinds, feeds = dict(call.node.inputs), call.feeds
    one, row = np.ones((1, 1), kinds["x"]), feeds["bias"].reshape(1, -1)
    inputs = {
        "a": (one, kinds["x"]),
        "a_scale": (feeds["x_scale"], kinds["x_scale"]),
        "a_zero_point": (feeds["x_zero_point"], kinds["x"]),
        "b": (row, "int32"),
        "b_scale": (feeds["w_scale"], kinds["w_scale"]),
        "b_zero_point": (feeds["w_zero_point"], "int8"),
        "y_scale": (feeds["y_scale"], kinds["y_scale"]),
        "y_zero_point": (feeds["y_zero_point"], kinds["y_zero_point"]),
    }
    return onnx_nodes.call("QLinearMatMul", 10, inputs, dict(call.node.outputs))


if __name__ == "__main__":
    adapter.run()
