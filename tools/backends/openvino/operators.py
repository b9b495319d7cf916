"""FakeQuantize and FakeConvert, each alone in a model, its bounds or its scale and shift as constants."""

import functools

import numpy as np
import openvino
from bridge import adapter
from engine import (
    NODES,
    Program,
    element_type,
    last_line,
    layers,
    node_that_ran,
    only_the_cpu_plugin,
    only_this_mode,
    only_this_node,
    to_tensor,
)
from openvino import opset13
from qassay_adapter import Unsupported, memory_dtype

FLOATS = ("float32", "float16", "bfloat16")
DESTINATIONS = {"float8_e4m3fn": "f8e4m3", "float8_e5m2": "f8e5m2"}


def key(array):
    """An array as something to find a model by; `constant` undoes it."""
    array = np.asarray(array)
    return array.shape, array.tobytes()


def constant(kept, kind):
    shape, content = kept
    return openvino.op.Constant(to_tensor(np.frombuffer(content, memory_dtype(kind)).reshape(shape), kind), False)


@functools.lru_cache(maxsize=256)
def program(build, shape, kind, *settings):
    """The program of one operator on a parameter of that shape and type. Raises Unsupported when OpenVINO refuses the model."""
    x = opset13.parameter(list(shape), element_type(kind), name="x")
    try:
        model = openvino.Model([build(x, kind, *settings)], [x], "one_operator")
    except RuntimeError as failure:
        raise Unsupported(f"is no legal model: {last_line(failure)}") from failure
    return Program(model)


def fake_quantize(x, kind, levels, *bounds):
    return opset13.fake_quantize(x, *(constant(bound, kind) for bound in bounds), levels)


def fake_convert(x, kind, destination, scale, shift):
    return opset13.fake_convert(x, constant(scale, kind), constant(shift, kind), destination_type=destination)


def float_type(case):
    kind = case.type_of("x")
    if kind not in FLOATS:
        raise Unsupported(f"{case.formula} takes no {kind} x")
    return kind


def of_type(case, name, kind):
    """A parameter as an array of x's type. Raises ValueError where that would change its value."""
    given = case.get(name)
    converted = given.astype(memory_dtype(kind))
    if not np.array_equal(converted.astype(np.float64), given.astype(np.float64), equal_nan=True):
        raise ValueError(f"{name} is no {kind}")
    return converted


def quantizer(case):
    kind = float_type(case)
    bounds = [key(of_type(case, name, kind)) for name in ("input_low", "input_high", "output_low", "output_high")]
    return program(fake_quantize, case.x.shape, kind, int(case.levels), *bounds)


def answer(case, runnable):
    kind = case.type_of("x")
    return {"y": runnable.run([(case.x, kind)], [kind])[0]}


@adapter.formula("openvino.FakeQuantize")
def run_fake_quantize(case):
    return answer(case, quantizer(case))


@adapter.formula("openvino_cpu.FakeQuantize")
def run_fake_quantize_on_the_cpu(case):
    only_the_cpu_plugin()
    only_this_mode(case)
    runnable = quantizer(case)
    only_this_node(case, node_that_ran(runnable))
    return answer(case, runnable)


def converter(case):
    kind = float_type(case)
    if case.destination_type not in DESTINATIONS:
        raise Unsupported(f"FakeConvert knows no {case.destination_type}")
    settings = DESTINATIONS[case.destination_type], key(of_type(case, "scale", kind)), key(of_type(case, "shift", kind))
    return program(fake_convert, case.x.shape, kind, *settings)


@adapter.formula("openvino.FakeConvert")
def run_fake_convert(case):
    return answer(case, converter(case))


@adapter.formula("openvino_cpu.FakeConvert")
def run_fake_convert_on_the_cpu(case):
    only_the_cpu_plugin()
    runnable = converter(case)
    ran = {NODES[kind] for kind, _ in layers(runnable.compiled) if kind in NODES}
    if "reference" in ran:
        raise Unsupported("the reference kernel ran, not the CPU plugin's own layers")
    return answer(case, runnable)
