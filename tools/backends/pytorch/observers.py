"""The observers of torch.ao.quantization: one batch observed from a given state, then the parameters."""

import numpy as np
import torch
from aten_operators import only_this_contraction
from bridge import adapter, array, dtype, only, optional, tensor
from torch.ao.quantization import observer


def settings(case):
    """The arguments that every observer takes."""
    return {
        "dtype": dtype(case.dtype),
        "qscheme": getattr(torch, case.qscheme),
        "quant_min": optional(case.quant_min),
        "quant_max": optional(case.quant_max),
        "eps": float(case.eps),
        "reduce_range": bool(case.reduce_range),
    }


def results(case, seen):
    """What `seen` holds and chooses. An observer that has seen nothing has no channels yet: its defaults stand for all."""
    scale, zero_point = seen.calculate_qparams()
    held = {"min_val": seen.min_val, "max_val": seen.max_val, "scale": scale, "zero_point": zero_point}
    if seen.min_val.numel() == 0:
        held |= {"min_val": torch.tensor(torch.inf), "max_val": torch.tensor(-torch.inf), "scale": scale[0], "zero_point": zero_point[0]}
    return {name: spread(array(value), case.output_shape(name)).astype(case.output_type(name)) for name, value in held.items()}


def spread(value, shape):
    return np.broadcast_to(value, shape) if value.ndim == 0 else value.reshape(shape)


def observe_per_tensor(case, seen):
    only(case, "x", "float32")
    seen.min_val, seen.max_val = tensor(case.min_val), tensor(case.max_val)
    seen(tensor(case.x))
    return results(case, seen)


def observe_per_channel(case, seen):
    only(case, "x", "float32")
    given = case.min_val, case.max_val
    if not all(bound.ndim == 0 for bound in given) or (float(case.min_val), float(case.max_val)) != (np.inf, -np.inf):
        seen.min_val, seen.max_val = (tensor(spread(bound, case.output_shape("min_val"))) for bound in given)
    seen(tensor(case.x))
    return results(case, seen)


@adapter.formula("pytorch.MinMaxObserver")
def min_max_observer(case):
    return observe_per_tensor(case, observer.MinMaxObserver(**settings(case)))


@adapter.formula("pytorch.MovingAverageMinMaxObserver")
def moving_average_min_max_observer(case):
    return observe_per_tensor(case, observer.MovingAverageMinMaxObserver(float(case.averaging_const), **settings(case)))


@adapter.formula("pytorch.PerChannelMinMaxObserver")
def per_channel_min_max_observer(case):
    return observe_per_channel(case, observer.PerChannelMinMaxObserver(int(case.ch_axis), **settings(case)))


@adapter.formula("pytorch.MovingAveragePerChannelMinMaxObserver")
def moving_average_per_channel_min_max_observer(case):
    averaging = float(case.averaging_const)
    return observe_per_channel(case, observer.MovingAveragePerChannelMinMaxObserver(averaging, int(case.ch_axis), **settings(case)))


@adapter.formula("pytorch.HistogramObserver")
def histogram_observer(case):
    only_this_contraction(case)
    seen = observer.HistogramObserver(int(case.bins), **settings(case))
    if case.histogram.size:
        seen.histogram = tensor(case.histogram)
    return observe_per_tensor(case, seen) | {"histogram": array(seen.histogram)}
