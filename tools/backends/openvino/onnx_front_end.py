"""ONNX's operators through OpenVINO's ONNX front end, each alone in a model: scales and zero points are initializers."""

import functools

import onnx
import onnx_nodes
from bridge import adapter
from engine import Program, core, last_line, layers, node_that_ran, only_the_cpu_plugin, only_this_mode, only_this_node
from onnx import helper, numpy_helper
from qassay_adapter import Unsupported

DEQUANTIZERS = {"Subgraph": "snippets", "Eltwise": "eltwise"}  # what computes a DequantizeLinear, by the layer's type


def model(call):
    """The model of a call, with x as its only input and everything else as initializers."""
    node = call.node
    kinds = dict(node.inputs)

    def declared(pairs, shape):
        return [helper.make_tensor_value_info(name, onnx_nodes.onnx_type(kind), shape) for name, kind in pairs]

    def initializer(name):
        dtype = helper.tensor_dtype_to_np_dtype(onnx_nodes.onnx_type(kinds[name]))
        return numpy_helper.from_array(call.feeds[name].astype(dtype), name)

    shape = call.feeds["x"].shape
    operator = helper.make_node(node.op, list(kinds), [name for name, _ in node.outputs], **dict(node.attributes))
    graph = helper.make_graph(
        [operator],
        node.op,
        declared([("x", kinds["x"])], shape),
        declared(node.outputs[:1], shape) + declared(node.outputs[1:], []),
        [initializer(name) for name in kinds if name != "x"],
    )
    version = next(ir for last, ir in onnx_nodes.IR_VERSIONS if node.opset <= last)
    return onnx.helper.make_model(graph, opset_imports=[helper.make_opsetid("", node.opset)], ir_version=version)


@functools.lru_cache(maxsize=256)
def program(content):
    """The program of a serialized model. Raises Unsupported when the front end or the plugin refuses it.

    Scales and zero points that do not fit x are left as the error that they are.
    """
    try:
        converted = core.read_model(content)
    except RuntimeError as failure:
        if "must match the number" in str(failure):
            raise ValueError(last_line(failure)) from failure
        raise Unsupported(f"the front end refuses it: {reason(failure)}") from failure
    return Program(converted)


def reason(failure):
    """The line of a conversion failure that says why."""
    lines = [line.strip() for line in str(failure).splitlines() if line.strip()]
    telling = [line for line in lines if not line.startswith(("Check", "Exception", "FrontEnd", "While", "Conversion is"))]
    return (telling or lines)[-1]


def run(call):
    """Runs a node. Returns its program and its outputs, by name."""
    runnable = program(model(call).SerializeToString())
    x = call.feeds["x"], dict(call.node.inputs)["x"]
    results = runnable.run([x], [kind for _, kind in call.node.outputs])
    return runnable, {name: result for (name, _), result in zip(call.node.outputs, results, strict=True)}


def dequantizer_that_ran(runnable):
    ran = {DEQUANTIZERS[kind] for kind, _ in layers(runnable.compiled) if kind in DEQUANTIZERS}
    return " and ".join(sorted(ran)) or "no layer of either kind"


def on_the_cpu(case, call, which):
    only_the_cpu_plugin()
    only_this_mode(case)
    runnable, results = run(call)
    only_this_node(case, which(runnable))
    return results


@adapter.formula("onnx.QuantizeLinear", "openvino.QuantizeLinear")
def quantize_linear(case):
    return run(onnx_nodes.quantize_linear(case))[1]


@adapter.formula("openvino_cpu.QuantizeLinear")
def quantize_linear_on_the_cpu(case):
    return on_the_cpu(case, onnx_nodes.quantize_linear(case), node_that_ran)


@adapter.formula("onnx.DequantizeLinear", "openvino.DequantizeLinear")
def dequantize_linear(case):
    return run(onnx_nodes.dequantize_linear(case))[1]


@adapter.formula("openvino_cpu.DequantizeLinear")
def dequantize_linear_on_the_cpu(case):
    return on_the_cpu(case, onnx_nodes.dequantize_linear(case), dequantizer_that_ran)


@adapter.formula("onnx.DynamicQuantizeLinear")
def dynamic_quantize_linear(case):
    return run(onnx_nodes.dynamic_quantize_linear(case))[1]
