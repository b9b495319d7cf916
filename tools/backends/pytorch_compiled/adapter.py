"""PyTorch through torch.compile (inductor's C++ code) on the CPU, one thread, as a qassay backend.

Usage: adapter.py [NAME]. `pytorch_compiled` (the default) calls the operators that take a scale as a number where there are two,
`pytorch_compiled_tensor` those that take it as a tensor: inductor has different code for them.
"""

import functools
import os
import sys
import tempfile
import warnings
from importlib import metadata
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
from qassay_adapter import Adapter, Unsupported, memory_dtype

VERSION = metadata.version("torch")
NAME = sys.argv[1] if len(sys.argv) > 1 else "pytorch_compiled"
TENSORS = NAME == "pytorch_compiled_tensor"
adapter = Adapter(NAME, version=VERSION, packages={name: metadata.version(name) for name in ("numpy", "ml_dtypes")})

import numpy as np  # noqa: E402
import torch  # noqa: E402
import torch.ao.quantization.fx._decomposed  # noqa: E402  importing it is what registers the operators

warnings.simplefilter("ignore")
torch.set_num_threads(1)

# Inductor finds its kernels again, so one folder serves every run. It does not look at ATEN_CPU_CAPABILITY when it does: kernels of another
# vector length would be taken, and compute half of the elements.
KERNELS = f"qassay_inductor_{os.getuid()}_{VERSION}_{torch.backends.cpu.get_cpu_capability()}".replace(" ", "_")
os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(Path(tempfile.gettempdir()) / KERNELS))
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # a pool of processes takes longer to start than these kernels to compile
# Each set of plain arguments is a function of its own here, and all of them share a line of code, by which torch counts.
torch._dynamo.config.recompile_limit = sys.maxsize
torch._dynamo.config.accumulated_recompile_limit = sys.maxsize

operators = torch.ops.quantized_decomposed
# The vectors that inductor writes code for, in the words of inductor.quantize_per_tensor_tensor.
VECTOR = {"AVX512": "avx512", "AVX2": "avx2"}.get(torch.backends.cpu.get_cpu_capability(), "none")
# Inductor turns tensors of one or two elements into scalar code, which casts in another way; more elements are vectors with a masked rest.
FEWEST = 16


def tensor(array):
    """The torch tensor with an array's type, shape and bits."""
    array = np.array(array, order="C")
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def array(result):
    """The array with a torch tensor's type, shape and bits."""
    result = result.detach().contiguous()
    if result.dtype == torch.bfloat16:
        return result.view(torch.int16).numpy().view(memory_dtype("bfloat16"))
    return result.numpy()


def dtype(name):
    return getattr(torch, name)


def only(case, name, *types):
    """Raises Unsupported when the input or parameter `name` is of another type than these, which are all that inductor's code takes."""
    if case.type_of(name) not in types:
        raise Unsupported(f"inductor compiles {case.formula} for no {case.type_of(name)} {name}")


def count_channels(case, values):
    """Raises Unsupported for vectors of another length than the axis: inductor does not check, and its code reads past their end."""
    count = values.shape[case.axis] if -values.ndim <= case.axis < values.ndim else None
    for name in ("scales", "zero_points"):
        if count is not None and np.ndim(getattr(case, name)) == 1 and np.size(getattr(case, name)) != count:
            raise Unsupported(f"inductor does not count {name}, and reads past the end of too few")


@functools.cache
def compiled(operator, plain, keywords):
    """`operator` with these plain arguments, compiled for tensors of any size."""
    return torch.compile(lambda *tensors: operator(*tensors, *plain, **dict(keywords)), fullgraph=True, dynamic=True)


def run(operator, *arguments, **keywords):
    """The result of `operator`; tensors come first among the arguments of every operator here."""
    tensors = [argument for argument in arguments if isinstance(argument, torch.Tensor)]
    plain = tuple(argument for argument in arguments if not isinstance(argument, torch.Tensor))
    return compiled(operator, plain, tuple(keywords.items()))(*tensors)


def flat(values):
    """The elements in one row of FEWEST or more, filled up with zeros."""
    values = np.ravel(values)
    return tensor(np.pad(values, (0, max(0, FEWEST - values.size))))


def like(result, values):
    """The result of a call on flat(values), with the shape of `values`."""
    return array(result[: values.size]).reshape(values.shape)


class Rows:
    """A tensor as a matrix with one row for each channel, of FEWEST columns or more, and the way back.

    One layout keeps the number of kernels small, and the code the same for every axis.
    """

    def __init__(self, values, axis):
        moved = np.moveaxis(values, axis, 0)
        self.axis, self.shape = axis, moved.shape
        matrix = moved.reshape(moved.shape[0], int(np.prod(moved.shape[1:])))
        self.columns = matrix.shape[1]
        self.matrix = tensor(np.pad(matrix, ((0, 0), (0, max(0, FEWEST - self.columns)))))

    def back(self, result):
        return np.moveaxis(array(result[:, : self.columns]).reshape(self.shape), 0, self.axis)


def limits(case, codes):
    """quant_min and quant_max, by default the ends of the codes' type."""
    ends = np.iinfo(codes.dtype)
    given = (case.quant_min, case.quant_max)
    return tuple(int(end if value == "none" else value) for value, end in zip(given, (ends.min, ends.max), strict=True))


def quantize_per_tensor(case):
    only(case, "x", "float32", "bfloat16")
    vector = case.get("vector", VECTOR)
    if vector != VECTOR:
        raise Unsupported(f"this processor runs the code for vector={VECTOR}, not {vector}")
    rest = int(case.quant_min), int(case.quant_max), dtype(case.dtype)
    if TENSORS:
        q = run(operators.quantize_per_tensor.tensor, flat(case.x), tensor(case.scale), tensor(case.zero_point), *rest)
    else:
        q = run(operators.quantize_per_tensor.default, flat(case.x), float(case.scale), int(case.zero_point), *rest)
    return {"q": like(q, case.x)}


def dequantize_per_tensor(case):
    rest = *limits(case, case.q), dtype(case.type_of("q"))
    out = dtype(case.output_type())
    if TENSORS:
        y = run(operators.dequantize_per_tensor.tensor, flat(case.q), tensor(case.scale), tensor(case.zero_point), *rest, out_dtype=out)
    else:
        y = run(operators.dequantize_per_tensor.default, flat(case.q), float(case.scale), int(case.zero_point), *rest, out_dtype=out)
    return {"y": like(y, case.q)}


def quantize_per_channel(case):
    only(case, "x", "float32", "bfloat16")
    count_channels(case, case.x)
    x = Rows(case.x, case.axis)
    rest = 0, int(case.quant_min), int(case.quant_max), dtype(case.dtype)
    return {"q": x.back(run(operators.quantize_per_channel.default, x.matrix, tensor(case.scales), tensor(case.zero_points), *rest))}


def dequantize_per_channel(case):
    count_channels(case, case.q)
    q = Rows(case.q, case.axis)
    rest = 0, *limits(case, case.q), dtype(case.type_of("q"))
    out = dtype(case.output_type())
    y = run(operators.dequantize_per_channel.default, q.matrix, tensor(case.scales), tensor(case.zero_points), *rest, out_dtype=out)
    return {"y": q.back(y)}


def choose_qparams(case):
    only(case, "x", "float32")
    x = np.ravel(case.x)
    # Filled up with an element of its own, which moves neither end.
    x = np.concatenate([x, np.repeat(x[:1], max(0, FEWEST - x.size))])
    rest = int(case.quant_min), int(case.quant_max), float(case.eps), dtype(case.dtype)
    scale, zero_point = run(operators.choose_qparams.tensor, tensor(x), *rest)
    return {"scale": array(scale).reshape(()), "zero_point": array(zero_point).reshape(())}


def fake_quant_per_channel(case):
    only(case, "x", "float32")
    count_channels(case, case.x)
    x = Rows(case.x, case.axis)
    leaf = x.matrix.requires_grad_()
    y = run(
        operators.fake_quant_per_channel.default,
        leaf,
        tensor(case.scales),
        tensor(case.zero_points),
        0,
        int(case.quant_min),
        int(case.quant_max),
    )
    # The operator keeps its mask to itself; the gradient of ones shows it.
    (gradient,) = torch.autograd.grad(y, leaf, torch.ones_like(y))
    return {"y": x.back(y), "mask": x.back(gradient != 0)}


FORMULAS = [dequantize_per_tensor]
if TENSORS:
    adapter.formula("quantized_decomposed.quantize_per_tensor", "inductor.quantize_per_tensor_tensor")(quantize_per_tensor)
else:
    FORMULAS += [quantize_per_tensor, quantize_per_channel, dequantize_per_channel, choose_qparams]
    adapter.formula("quantized_decomposed.fake_quant_per_channel")(fake_quant_per_channel)
for function in FORMULAS:
    adapter.formula(*(f"{dialect}.{function.__name__}" for dialect in ("quantized_decomposed", "inductor")))(function)

if __name__ == "__main__":
    adapter.run()
