"""ONNX Runtime's CPU execution provider as a qassay backend: one-node models, graph optimisations off, one thread."""

import functools
import sys
from importlib import metadata
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
from qassay_adapter import Adapter, Unsupported, memory_dtype

adapter = Adapter(
    "onnxruntime",
    version=metadata.version("onnxruntime"),
    packages={name: metadata.version(name) for name in ("onnx", "numpy", "ml_dtypes")},
)

import onnx_nodes  # noqa: E402
import onnxruntime  # noqa: E402

# What ONNX Runtime's Python interface cannot carry, and the type that stands in for it at the model's boundary.
CARRIERS = {
    "int2": "int8",
    "uint2": "uint8",
    "int4": "int8",
    "uint4": "uint8",
    "bfloat16": "float32",
    "float8_e4m3fn": "float32",
    "float8_e4m3fnuz": "float32",
    "float8_e5m2": "float32",
    "float8_e5m2fnuz": "float32",
    "float8_e8m0fnu": "float32",
    "float4_e2m1fn": "float32",
}


@functools.lru_cache(maxsize=512)
def session(node):
    """The session for a node.

    Raises Unsupported when the model is not a legal one (types, attributes) or has no kernel; what a kernel's constructor
    refuses is left as it comes.
    """
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    content = onnx_nodes.model(node, CARRIERS).SerializeToString()
    try:
        return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except Exception as failure:
        text = str(failure)
        absent = type(failure).__name__ in ("NotImplemented", "InvalidGraph") or any(
            sign in text for sign in ("Type Error", "TypeInferenceError", "precision_ == ")
        )
        if absent:
            raise Unsupported(text) from failure
        raise


def run(call):
    """Runs a node. Returns its outputs, by name."""
    feeds = {name: call.feeds[name].astype(CARRIERS.get(kind, kind), copy=False) for name, kind in call.node.inputs}
    results = session(call.node).run([name for name, _ in call.node.outputs], feeds)
    return {name: result.astype(memory_dtype(kind), copy=False) for (name, kind), result in zip(call.node.outputs, results, strict=True)}


@adapter.formula("onnx.QuantizeLinear", "onnxruntime.QuantizeLinear")
def quantize_linear(case):
    return run(onnx_nodes.quantize_linear(case))


@adapter.formula("onnx.DequantizeLinear", "onnxruntime.DequantizeLinear")
def dequantize_linear(case):
    return run(onnx_nodes.dequantize_linear(case))


@adapter.formula("onnx.DynamicQuantizeLinear", "onnxruntime.DynamicQuantizeLinear")
def dynamic_quantize_linear(case):
    return run(onnx_nodes.dynamic_quantize_linear(case))


@adapter.formula("onnx.MatMulInteger")
def mat_mul_integer(case):
    return run(onnx_nodes.mat_mul_integer(case))


@adapter.formula("onnxruntime.requantize")
def requantize(case):
    return {"y": run(onnx_nodes.qlinear_conv(case))["y"].reshape(case.acc.shape)}


if __name__ == "__main__":
    adapter.run()
