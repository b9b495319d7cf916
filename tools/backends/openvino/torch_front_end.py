"""torch's per-channel fake quantizers through OpenVINO's PyTorch front end: real modules, given to convert_model."""

import functools
import logging
import warnings

import numpy as np
import openvino
import torch
from engine import Program, last_line, node_that_ran, only_the_cpu_plugin, only_this_mode, only_this_node
from openvino import opset13
from openvino.frontend.pytorch import ConversionExtension
from qassay_adapter import Unsupported

warnings.simplefilter("ignore")  # torch announces the end of its quantized tensors
logging.disable(logging.WARNING)
torch.set_num_threads(1)
BOUNDS = ("input_low", "input_high", "output_low", "output_high")


class PerChannel(torch.nn.Module):
    """A module of one operator, `function`, whose scale is a parameter and whose zero point a buffer."""

    def __init__(self, function, scale, zero_point, settings):
        super().__init__()
        self.scale = torch.nn.Parameter(scale, requires_grad=False)
        self.register_buffer("zero_point", zero_point)
        self.function, self.settings = function, settings

    def forward(self, x):
        return self.function(x, self.scale, self.zero_point, *self.settings)


def learnable_rule(context):
    """The conversion rule that the release lacks: bounds from a zero point that is first rounded and clamped to the range."""
    x, scale, zero_point = (context.get_input(index) for index in range(3))
    axis, lowest, highest = (int(context.get_values_from_const_input(index)) for index in (3, 4, 5))
    along = [1] * x.get_partial_shape().rank.get_length()
    along[axis] = -1
    rounded = opset13.round(opset13.convert(zero_point, "f32"), "half_to_even")
    grid = opset13.reshape(opset13.clamp(rounded, float(lowest), float(highest)), np.array(along, np.int32), False)
    step = opset13.reshape(opset13.convert(scale, "f32"), np.array(along, np.int32), False)
    ends = [opset13.multiply(step, opset13.subtract(opset13.constant(np.float32(end)), grid)) for end in (lowest, highest)]
    low, high = opset13.minimum(*ends), opset13.maximum(*ends)
    return opset13.fake_quantize(x, low, high, low, high, abs(highest - lowest) + 1).outputs()


OPERATORS = {
    "affine": (torch.fake_quantize_per_channel_affine, []),
    "learnable": (
        torch._fake_quantize_learnable_per_channel_affine,
        [ConversionExtension("aten::_fake_quantize_learnable_per_channel_affine", learnable_rule)],
    ),
}


@functools.lru_cache(maxsize=256)
def converted(operator, shape, scale, zero_point, settings):
    """The model of one operator on x of that shape; scale and zero point are the bytes of vectors, each with its type.

    What torch itself refuses is its own error. Raises Unsupported when the front end refuses what torch accepts.
    """
    function, extensions = OPERATORS[operator]
    vectors = [torch.from_numpy(np.frombuffer(content, dtype).copy()) for content, dtype in (scale, zero_point)]
    module = PerChannel(function, *vectors, settings).eval()
    example = torch.zeros(shape)
    module(example)
    try:
        return openvino.convert_model(module, example_input=example, input=list(shape), extension=extensions or None)
    except Exception as failure:
        raise Unsupported(f"the front end refuses it: {last_line(failure)}") from failure


def model(case, operator, shape):
    """The converted model for a case. A scalar scale or zero point stands for every channel."""
    axis = int(case.axis) + len(shape) if -len(shape) <= case.axis < 0 else int(case.axis)
    limits = (axis, int(case.quant_min), int(case.quant_max))
    settings = (*limits, float(case.get("grad_factor", 1.0))) if operator == "learnable" else limits
    kinds = {"affine": ("int32", "float32"), "learnable": ("float32",)}[operator]
    kind = case.get("zero_point_dtype") or case.type_of("zero_point")
    if case.type_of("scale") != "float32" or kind not in kinds:
        raise Unsupported(f"{case.formula} takes no {case.type_of('scale')} scale with {kind} zero_point")
    scale, zero_point = np.atleast_1d(case.scale), np.atleast_1d(case.zero_point).astype(kind)
    count = shape[axis] if axis < len(shape) else scale.size
    vectors = [np.resize(vector, count) if vector.size == 1 else vector for vector in (scale, zero_point)]
    return converted(operator, shape, *((vector.tobytes(), vector.dtype.str) for vector in vectors), settings)


def bounds(case, operator):
    """What the converted model's FakeQuantize is given, for x of the case's rank with the scale's channels along its axis."""
    rank = int(case.rank)
    if not -rank <= case.axis < rank:
        raise ValueError(f"axis {case.axis} is outside rank {rank}")
    shape = [2] * rank
    shape[case.axis] = max(np.size(case.scale), np.size(case.zero_point))
    operations = model(case, operator, tuple(shape)).get_ordered_ops()
    (quantizer,) = [operation for operation in operations if operation.get_type_name() == "FakeQuantize"]
    sources = [quantizer.input_value(index + 1).get_node() for index in range(len(BOUNDS))]
    if any(source.get_type_name() != "Constant" for source in sources):
        raise Unsupported("the front end left a bound that is no constant")
    levels = np.array(quantizer.get_attributes()["levels"], np.int64)
    return {name: np.array(source.data) for name, source in zip(BOUNDS, sources, strict=True)} | {"levels": levels}


def quantized(case, operator):
    """y of the converted model, run in this process's configuration."""
    if set(case.outputs) != {"y"}:
        raise Unsupported("the converted model gives y alone")
    if case.type_of("x") != "float32":
        raise Unsupported(f"{case.formula} takes no {case.type_of('x')} x here")
    return {"y": program(model(case, operator, case.x.shape)).run([(case.x, "float32")], ["float32"])[0]}


@functools.lru_cache(maxsize=256)
def program(converted_model):
    return Program(converted_model)


def quantized_on_the_cpu(case, operator):
    """The same where the case's node and low-precision transformations are what runs here."""
    only_the_cpu_plugin()
    only_this_mode(case)
    only_this_node(case, node_that_ran(program(model(case, operator, case.x.shape))))
    return quantized(case, operator)


def answer(case):
    dialect, operation = case.formula.split(".")
    operator = "learnable" if "learnable" in operation else "affine"
    if operation.startswith("translate_"):
        return bounds(case, operator)
    return (quantized_on_the_cpu if dialect == "openvino_cpu" else quantized)(case, operator)
