"""ExecuTorch as a qassay backend: one-operator programs through its Python runtime.

Usage: adapter.py [NAME]. `executorch` (the default) runs its own kernels, `executorch_xnnpack` the XNNPACK delegate.
"""

import functools
import logging
import os
import sys
import warnings
from importlib import metadata
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
from qassay_adapter import Adapter, Unsupported, memory_dtype

NAME = sys.argv[1] if len(sys.argv) > 1 else "executorch"
DELEGATED = NAME == "executorch_xnnpack"
adapter = Adapter(
    NAME,
    version=metadata.version("executorch"),
    packages={name: metadata.version(name) for name in ("torch", "numpy", "ml_dtypes")},
)

warnings.simplefilter("ignore")
logging.disable(logging.WARNING)  # exporting comments on things that no program here has
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np  # noqa: E402
import torch  # noqa: E402

torch.set_num_threads(1)

import executorch.kernels.quantized  # noqa: E402, F401  loading it is what registers the kernels
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner  # noqa: E402
from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower  # noqa: E402
from executorch.runtime import Runtime  # noqa: E402

operators = torch.ops.quantized_decomposed
# What the kernels write. They end the process at another type, as at everything that they refuse.
FLOATS = ("float16", "float32", "float64")


def tensor(array):
    """The torch tensor with an array's type, shape and bits."""
    array = np.array(array, order="C")
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def array(result, case, name):
    """The array with a result's bits, in the shape asked for: a scalar may come back as one element."""
    result = result.contiguous()
    values = result.view(torch.int16).numpy().view(memory_dtype("bfloat16")) if result.dtype == torch.bfloat16 else result.numpy()
    return values.reshape(case.output_shape(name)) if values.size == 1 else values


def only(case, name, *types):
    """Raises Unsupported when the input or parameter `name` is of another type than these, which are all that the kernels read."""
    if case.type_of(name) not in types:
        raise Unsupported(f"ExecuTorch's {case.formula} takes no {case.type_of(name)} {name}")


def dtype(name):
    return getattr(torch, name)


def require(condition, why):
    """Raises where a kernel would refuse by ending the process: the answer is an error, and the next case needs no new start."""
    if not condition:
        raise ValueError(f"ExecuTorch ends the process: {why}")


def require_range(case):
    ends = np.iinfo(case.dtype)
    require(ends.min <= case.quant_min and case.quant_max <= ends.max, "quant_min or quant_max is outside the codes' type")


def require_channels(case, count):
    require(np.size(case.scales) == np.size(case.zero_points) == count, "the number of scales or zero points is not that of the channels")


def require_zero_points(case, lowest, highest):
    """Only the kernel from int8 to float32 looks at them."""
    if case.type_of("q") == "int8" and case.output_type() == "float32":
        zero_points = np.asarray(case.zero_points)
        require(np.all((lowest <= zero_points) & (zero_points <= highest)), "a zero point is outside quant_min and quant_max")


def require_scale(x, lowest, highest):
    """A NaN counts only where it comes first, since it compares with none. The range is computed in int32."""
    require(not np.isnan(x[..., :1]).any(), "the scale is not positive")
    require(0 < highest - lowest < 2**31, "the scale is not positive, or the range is empty")


class Call(torch.nn.Module):
    """A module that is one call: of `operator` with the tensors it is given and the plain arguments it was made with."""

    def __init__(self, operator, plain, keywords):
        super().__init__()
        self.operator, self.plain, self.keywords = operator, plain, keywords

    def forward(self, *tensors):
        return self.operator(*tensors, *self.plain, **self.keywords)


@functools.lru_cache(maxsize=512)
def loaded(operator, signature, plain, keywords):
    """The program of one call, loaded. Parameters that are tensors are inputs of it, so that one program serves many cases."""
    module = Call(operator, plain, dict(keywords))
    exported = torch.export.export(module, tuple(torch.zeros(shape, dtype=kind) for shape, kind in signature))
    lowered = to_edge_transform_and_lower(
        exported,
        partitioner=[XnnpackPartitioner()] if DELEGATED else None,
        # Without it types that edge programs usually lack (double scales, uint16) are refused.
        compile_config=EdgeCompileConfig(_check_ir_validity=False),
    ).to_executorch()
    if DELEGATED and lowered.executorch_program.execution_plan[0].operators:
        raise Unsupported("XNNPACK's partitioner leaves this call to the portable kernels")
    buffer = lowered.buffer
    program = Runtime.get().load_program(buffer)
    return program.load_method("forward"), program, buffer  # the method points into the other two and does not keep them alive


def run(operator, *arguments, **keywords):
    """The results of `operator`; tensors come first among the arguments of every operator here."""
    tensors = [argument for argument in arguments if isinstance(argument, torch.Tensor)]
    if any(each.numel() == 0 for each in tensors):
        raise Unsupported("ExecuTorch's Python runtime takes no empty tensor: it ends the process")
    plain = tuple(argument for argument in arguments if not isinstance(argument, torch.Tensor))
    signature = tuple((tuple(each.shape), each.dtype) for each in tensors)
    method, *_ = loaded(operator, signature, plain, tuple(keywords.items()))
    return method.execute(tensors)


def axis(case, of):
    """The axis, counted from the front, as the kernels want it; one that is out of range is left for them to refuse."""
    return case.axis + of.ndim if -of.ndim <= case.axis < 0 else case.axis


def scales(case):
    # Both quantize kernels read only doubles, and round each to binary32. The widening is exact.
    return tensor(np.asarray(case.scales, np.float64))


def limits(case, of):
    """quant_min and quant_max, by default the ends of the codes' type."""
    ends = np.iinfo(of.dtype)
    given = (case.quant_min, case.quant_max)
    return tuple(int(end if value == "none" else value) for value, end in zip(given, (ends.min, ends.max), strict=True))


def quantize_per_tensor(case):
    # What the delegate does with a binary16 x, whose inverse scale it seems to round to binary16 too, is not settled.
    only(case, "x", *(["float32"] if DELEGATED else ["float16", "float32"]))
    if not DELEGATED:
        require_range(case)
    rest = int(case.quant_min), int(case.quant_max), dtype(case.dtype)
    if DELEGATED:
        (q,) = run(operators.quantize_per_tensor.default, tensor(case.x), float(case.scale), int(case.zero_point), *rest)
    else:
        # The overload with tensors reads both and calls the other, and one program serves every scale.
        (q,) = run(operators.quantize_per_tensor.tensor, tensor(case.x), tensor(case.scale), tensor(case.zero_point), *rest)
    return {"q": array(q, case, "q")}


def dequantize_per_tensor(case):
    if case.output_type() not in FLOATS:
        raise Unsupported(f"ExecuTorch's {case.formula} gives no {case.output_type()}")
    rest = *limits(case, case.q), dtype(case.type_of("q"))
    keywords = {} if case.output_type() == "float32" else {"out_dtype": dtype(case.output_type())}
    if DELEGATED:
        (y,) = run(operators.dequantize_per_tensor.default, tensor(case.q), float(case.scale), int(case.zero_point), *rest, **keywords)
    else:
        (y,) = run(operators.dequantize_per_tensor.tensor, tensor(case.q), tensor(case.scale), tensor(case.zero_point), *rest, **keywords)
    return {"y": array(y, case, "y")}


def quantize_per_channel(case):
    only(case, "x", "float16", "float32")
    require_range(case)
    at = axis(case, case.x)
    require_channels(case, case.x.shape[at] if 0 <= at < case.x.ndim else -1)
    rest = at, int(case.quant_min), int(case.quant_max), dtype(case.dtype)
    (q,) = run(operators.quantize_per_channel.default, tensor(case.x), scales(case), tensor(case.zero_points), *rest)
    return {"q": array(q, case, "q")}


def dequantize_per_channel(case):
    only(case, "zero_points", "int32", "int64")
    if case.output_type() not in FLOATS:
        raise Unsupported(f"ExecuTorch's {case.formula} gives no {case.output_type()}")
    at, ends = axis(case, case.q), limits(case, case.q)
    require_channels(case, case.q.shape[at] if 0 <= at < case.q.ndim else -1)
    require_zero_points(case, *ends)
    rest = at, *ends, dtype(case.type_of("q"))
    keywords = {} if case.output_type() == "float32" else {"out_dtype": dtype(case.output_type())}
    (y,) = run(operators.dequantize_per_channel.default, tensor(case.q), tensor(case.scales), tensor(case.zero_points), *rest, **keywords)
    return {"y": array(y, case, "y")}


def quantize_per_token(case):
    only(case, "x", "float16", "float32")
    require_range(case)
    require_channels(case, int(np.prod(case.x.shape[:-1])))
    rest = int(case.quant_min), int(case.quant_max), dtype(case.dtype)
    (q,) = run(operators.quantize_per_token.default, tensor(case.x), scales(case), tensor(case.zero_points), *rest)
    return {"q": array(q, case, "q")}


def dequantize_per_token(case):
    only(case, "zero_points", "int32", "int64")
    if case.output_type() not in FLOATS:
        raise Unsupported(f"ExecuTorch's {case.formula} gives no {case.output_type()}")
    ends = limits(case, case.q)
    require_channels(case, int(np.prod(case.q.shape[:-1])))
    require_zero_points(case, *ends)
    rest = *ends, dtype(case.type_of("q")), dtype(case.output_type())
    (y,) = run(operators.dequantize_per_token.default, tensor(case.q), tensor(case.scales), tensor(case.zero_points), *rest)
    return {"y": array(y, case, "y")}


def choose_qparams(case):
    only(case, "x", "float32")
    require_scale(np.ravel(case.x), int(case.quant_min), int(case.quant_max))
    rest = int(case.quant_min), int(case.quant_max), float(case.eps), dtype(case.dtype)
    scale, zero_point = run(operators.choose_qparams.tensor, tensor(case.x), *rest)
    return {"scale": array(scale, case, "scale"), "zero_point": array(zero_point, case, "zero_point")}


def choose_qparams_per_token_asymmetric(case):
    only(case, "x", "float32")
    require_scale(case.x, -128, 127)
    scale, zero_point = run(operators.choose_qparams_per_token_asymmetric.default, tensor(case.x), dtype(case.dtype))
    return {"scale": array(scale, case, "scale"), "zero_point": array(zero_point, case, "zero_point")}


FORMULAS = [quantize_per_tensor, dequantize_per_tensor]
if not DELEGATED:
    FORMULAS += [
        quantize_per_channel,
        dequantize_per_channel,
        quantize_per_token,
        dequantize_per_token,
        choose_qparams,
        choose_qparams_per_token_asymmetric,
    ]
for function in FORMULAS:
    adapter.formula(f"quantized_decomposed.{function.__name__}")(function)
if DELEGATED:
    adapter.formula("executorch.xnnpack_quantize_per_tensor")(quantize_per_tensor)
else:
    for function in FORMULAS:
        adapter.formula(f"executorch.{function.__name__}")(function)

if __name__ == "__main__":
    adapter.run()
