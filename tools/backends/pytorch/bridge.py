"""What the formulas' modules share: the adapter object, and how values cross between a case and torch. Importing it starts the adapter."""

import logging
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
    packages={name: metadata.version(name) for name in ("torchao", "numpy", "ml_dtypes")},
)

import numpy as np  # noqa: E402
import torch  # noqa: E402

warnings.simplefilter("ignore")  # torch announces the end of its quantized tensors at every call
logging.disable(logging.WARNING)  # torchao names the GPU libraries that it could not load
torch.set_num_threads(1)


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
    """The torch type of the logical type `name`."""
    return getattr(torch, name)


def optional(value):
    """A whole-number parameter, or None where it was not given. A case that is to be refused says the default as it stands."""
    return None if value in ("none", "lowest", "highest") else int(value)


def only(case, name, *types):
    """Raises Unsupported when the input or parameter `name` is of another type than these, which are all that torch's operator takes."""
    if case.type_of(name) not in types:
        raise Unsupported(f"{case.formula} takes no {case.type_of(name)} {name}")


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
