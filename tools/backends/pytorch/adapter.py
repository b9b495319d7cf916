"""PyTorch, eager, on the CPU, one thread, as a qassay backend. Usage: adapter.py [NAME], the backend's name (pytorch)."""

import sys
import warnings
from importlib import metadata
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
from qassay_adapter import Adapter, Unsupported, memory_dtype

VERSION = metadata.version("torch")
adapter = Adapter(
    sys.argv[1] if len(sys.argv) > 1 else "pytorch",
    version=VERSION,
    packages={name: metadata.version(name) for name in ("numpy", "ml_dtypes")},
)

import numpy as np  # noqa: E402
import torch  # noqa: E402

warnings.simplefilter("ignore")  # torch announces the end of its quantized tensors at every call
torch.set_num_threads(1)

# Some operators compute something else in this release; the formula of that arithmetic has the release in its id.
RELEASE = "@2.13" if VERSION.startswith("2.13.") else ""
# Whether the compiler contracted a product and a sum into one rounding in the kernels that this process runs.
CONTRACTION = "none" if torch.backends.cpu.get_cpu_capability() == "DEFAULT" else "fma"
QUANTIZED = {
    "int8": torch.qint8,
    "uint8": torch.quint8,
    "int32": torch.qint32,
    "qint8": torch.qint8,
    "quint8": torch.quint8,
    "qint32": torch.qint32,
}


def tensor(array):
    """The torch tensor with an array's type, shape and bits."""
    array = np.array(array, order="C")
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def array(result):
    """The array with a torch tensor's type, shape and bits."""
    result = result.contiguous()
    if result.dtype == torch.bfloat16:
        return result.view(torch.int16).numpy().view(memory_dtype("bfloat16"))
    return result.numpy()


def only(case, name, *types):
    """Raises Unsupported when the input or parameter `name` is of another type than these, which are all that torch's operator takes."""
    if case.type_of(name) not in types:
        raise Unsupported(f"{case.formula} takes no {case.type_of(name)} {name}")


def quantized_dtype(name):
    if name not in QUANTIZED:
        raise Unsupported(f"torch has no quantized {name}")
    return QUANTIZED[name]


def axis(case, of):
    """The axis, counted from the front, as torch wants it; one that is out of range is left for torch to refuse."""
    return case.axis + of.ndim if -of.ndim <= case.axis < 0 else case.axis


def channels(case, of, scale, zero_point):
    """Scale and zero point as vectors: a scalar stands for every channel."""
    scale, zero_point = np.asarray(case.get(scale)), np.asarray(case.get(zero_point))
    if scale.ndim == 0:
        at = axis(case, of)
        count = zero_point.size if zero_point.ndim else of.shape[at] if 0 <= at < of.ndim else 1
        scale = np.broadcast_to(scale, (count,))
    if zero_point.ndim == 0:
        zero_point = np.broadcast_to(zero_point, scale.shape)
    return tensor(scale), tensor(zero_point)


@adapter.formula("pytorch.quantize_per_tensor" + RELEASE)
def quantize_per_tensor(case):
    only(case, "x", "float32")
    q = torch.quantize_per_tensor(tensor(case.x), float(case.scale), int(case.zero_point), quantized_dtype(case.dtype))
    return {"q": array(q.int_repr())}


@adapter.formula("pytorch.quantize_per_channel" + RELEASE)
def quantize_per_channel(case):
    only(case, "x", "float32")
    scales, zero_points = channels(case, case.x, "scales", "zero_points")
    q = torch.quantize_per_channel(tensor(case.x), scales, zero_points.to(torch.int64), axis(case, case.x), quantized_dtype(case.dtype))
    return {"q": array(q.int_repr())}


@adapter.formula("pytorch.dequantize_per_tensor")
def dequantize_per_tensor(case):
    only(case, "q", "int8", "uint8", "int32")
    # The private constructor is the only one that takes codes as they are.
    q = torch._make_per_tensor_quantized_tensor(tensor(case.q), float(case.scale), int(case.zero_point))
    return {"y": array(q.dequantize())}


@adapter.formula("pytorch.dequantize_per_channel")
def dequantize_per_channel(case):
    only(case, "q", "int8", "uint8", "int32")
    scales, zero_points = channels(case, case.q, "scales", "zero_points")
    q = torch._make_per_channel_quantized_tensor(tensor(case.q), scales.to(torch.float64), zero_points.to(torch.int64), axis(case, case.q))
    return {"y": array(q.dequantize())}


@adapter.formula("pytorch.fake_quantize_per_tensor_affine")
def fake_quantize_per_tensor_affine(case):
    only(case, "x", "float16", "bfloat16", "float32", "float64")
    y, mask = torch.ops.aten.fake_quantize_per_tensor_affine_cachemask(
        tensor(case.x), float(case.scale), int(case.zero_point), int(case.quant_min), int(case.quant_max)
    )
    return {"y": array(y), "mask": array(mask)}


@adapter.formula("pytorch.fake_quantize_per_channel_affine")
def fake_quantize_per_channel_affine(case):
    only(case, "x", "float16", "bfloat16", "float32", "float64")
    only(case, "scale", "float32", "bfloat16")
    scale, zero_point = channels(case, case.x, "scale", "zero_point")
    kind = case.get("zero_point_dtype") or case.type_of("zero_point")
    if "float" in kind:
        if kind not in ("float16", "float32"):
            raise Unsupported(f"{case.formula} takes no {kind} zero_point")
        if case.get("contraction", CONTRACTION) != CONTRACTION:
            raise Unsupported(f"this process runs kernels of contraction {CONTRACTION}")
        zero_point = zero_point.to(getattr(torch, kind))
    else:
        zero_point = zero_point.to(torch.int32)
    y, mask = torch.ops.aten.fake_quantize_per_channel_affine_cachemask(
        tensor(case.x), scale, zero_point, axis(case, case.x), int(case.quant_min), int(case.quant_max)
    )
    return {"y": array(y), "mask": array(mask)}


if __name__ == "__main__":
    adapter.run()
