"""How a configuration runs a model, and what it made of it."""

import numpy as np
import openvino
from bridge import NAME
from qassay_adapter import Unsupported, memory_dtype

ONE_THREAD = {"INFERENCE_NUM_THREADS": 1}
SINGLE = ONE_THREAD | {"INFERENCE_PRECISION_HINT": "f32"}
NO_LOW_PRECISION = SINGLE | {"LP_TRANSFORMS_MODE": "NO"}
CONFIGURATIONS = {  # the CPU plugin's properties; None is Model.evaluate
    "openvino": SINGLE,
    "openvino_default": ONE_THREAD,
    "openvino_lpt_off": NO_LOW_PRECISION,
    "openvino_jit": NO_LOW_PRECISION | {"SNIPPETS_MODE": "DISABLE"},
    "openvino_reference": None,
}
PROPERTIES = CONFIGURATIONS[NAME]
NODES = {"Subgraph": "snippets", "FakeQuantize": "jit", "Reference": "reference", "Eltwise": "eltwise"}  # by the layer's type
ELEMENT_TYPES = {
    "bfloat16": openvino.Type.bf16,
    "int4": openvino.Type.i4,
    "uint4": openvino.Type.u4,
    "float8_e4m3fn": openvino.Type.f8e4m3,
    "float8_e5m2": openvino.Type.f8e5m2,
}
core = openvino.Core()


def element_type(kind):
    """OpenVINO's type for a logical type. Raises Unsupported where there is none."""
    if kind in ELEMENT_TYPES:
        return ELEMENT_TYPES[kind]
    try:
        return openvino.Type(np.dtype(kind))
    except (TypeError, RuntimeError) as failure:
        raise Unsupported(f"OpenVINO has no {kind}") from failure


def to_tensor(array, kind):
    """A tensor of the array's shape and bits."""
    array = np.asarray(array)
    tensor = openvino.Tensor(element_type(kind), openvino.Shape(list(array.shape)))
    if kind in ("int4", "uint4"):
        nibbles = np.zeros(array.size + array.size % 2, np.uint8)
        nibbles[: array.size] = array.reshape(-1) & 15
        packed = nibbles[0::2] | nibbles[1::2] << 4
    else:
        packed = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    tensor.data.reshape(-1).view(np.uint8)[...] = packed
    return tensor


def to_array(tensor, kind):
    """The array of a tensor's shape and bits, as qassay_adapter keeps the logical type in memory."""
    shape = tuple(tensor.get_shape())
    packed = np.array(tensor.data).reshape(-1)
    if kind in ("int4", "uint4"):
        packed = packed.view(np.uint8)
        codes = np.stack([packed & 15, packed >> 4], axis=-1).reshape(-1)[: int(np.prod(shape))].astype(memory_dtype(kind))
        return (np.where(codes > 7, codes - 16, codes) if kind == "int4" else codes).astype(memory_dtype(kind)).reshape(shape)
    return packed.view(memory_dtype(kind)).reshape(shape)


class Program:
    """A model made ready to run in this process's configuration. Raises Unsupported when OpenVINO refuses to compile it."""

    def __init__(self, model):
        self.model = model
        self.compiled = None
        if PROPERTIES is not None:
            try:
                self.compiled = core.compile_model(model, "CPU", PROPERTIES)
            except RuntimeError as failure:
                raise Unsupported(f"does not compile: {last_line(failure)}") from failure
            self.request = self.compiled.create_infer_request()

    def run(self, arrays, kinds):
        """The outputs of one run. `arrays`: the inputs, each with its logical type; `kinds`: the logical types of the outputs."""
        inputs = [to_tensor(array, kind) for array, kind in arrays]
        if self.compiled is not None:
            self.request.infer(inputs)
            return [to_array(self.request.get_output_tensor(index), kind) for index, kind in enumerate(kinds)]
        outputs = [openvino.Tensor(output.get_element_type(), output.get_shape()) for output in self.model.outputs]
        if not self.model.evaluate(outputs, inputs):
            raise Unsupported("Model.evaluate has no kernel for this model")
        return [to_array(tensor, kind) for tensor, kind in zip(outputs, kinds, strict=True)]


def last_line(failure):
    lines = [line for line in str(failure).splitlines() if line.strip()]
    return lines[-1].strip() if lines else type(failure).__name__


def layers(compiled):
    """Of every layer of a compiled model its type, and the names of the operations that it stands for."""
    for layer in compiled.get_runtime_model().get_ordered_ops():
        info = layer.get_rt_info()
        names = info["originalLayersNames"].astype(str) if "originalLayersNames" in info else ""
        yield info["layerType"].astype(str), names.split(",")


def node_that_ran(program):
    """Which layer of the CPU plugin the model's FakeQuantize became: a word of NODES, or what else happened to it.

    A layer keeps the name of the FakeQuantize; where it was fused with the Convert that follows, it has only that one's.
    None: there is no layer, the FakeQuantize was folded into a constant or taken out.
    """
    operations = program.model.get_ordered_ops()
    quantizers = [operation for operation in operations if operation.get_type_name() == "FakeQuantize"]
    if len(quantizers) != 1:
        return f"{len(quantizers)} FakeQuantize nodes"
    (quantizer,) = quantizers
    own = quantizer.get_friendly_name()
    following = [target.get_node().get_friendly_name() for target in quantizer.output(0).get_target_inputs()]
    found = [(kind, names) for kind, names in layers(program.compiled) if kind in NODES]
    if any(name == f"{own}_original" or name.startswith(f"{own}/Dequantization") for _, names in found for name in names):
        return "a layer with a dequantization behind it"
    for wanted in ([own], following):
        kinds = {kind for kind, names in found if set(wanted) & set(names)}
        if kinds:
            return " and ".join(sorted(NODES[kind] for kind in kinds))
    return None


def only_the_cpu_plugin():
    """Raises Unsupported in a process that runs Model.evaluate."""
    if PROPERTIES is None:
        raise Unsupported("this process runs Model.evaluate, not the CPU plugin")


def only_this_mode(case):
    """Raises Unsupported when the case asks for other low-precision transformations than this process's."""
    mode = "no" if PROPERTIES.get("LP_TRANSFORMS_MODE") == "NO" else "yes"
    if case.get("lp_transforms_mode", mode) != mode:
        raise Unsupported(f"this process runs with lp_transforms_mode {mode}")


def only_this_node(case, ran):
    """Raises Unsupported when another node ran than the case asks for. Where none ran, it makes no difference which was asked for."""
    if ran is not None and case.get("node", ran) != ran:
        raise Unsupported(f"{ran} ran, not {case.node}")
