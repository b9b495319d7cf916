"""The operators of torch itself."""

import numpy as np
import torch
from bridge import VERSION, adapter, array, axis, channels, only, tensor
from qassay_adapter import Unsupported

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


def quantized_dtype(name):
    if name not in QUANTIZED:
        raise Unsupported(f"torch has no quantized {name}")
    return QUANTIZED[name]


def only_this_contraction(case):
    if case.get("contraction", CONTRACTION) != CONTRACTION:
        raise Unsupported(f"this process runs kernels of contraction {CONTRACTION}")


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


@adapter.formula("pytorch.quantize_per_channel_float_qparams")
def quantize_per_channel_float_qparams(case):
    only(case, "x", "float32")
    only(case, "scales", "float32")
    only(case, "zero_points", "float32")
    scales, zero_points = channels(case, case.x, "scales", "zero_points")
    # The zero points' type is what chooses the scheme with float parameters.
    q = torch.quantize_per_channel(tensor(case.x), scales, zero_points, axis(case, case.x), quantized_dtype(case.dtype))
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


@adapter.formula("pytorch.dequantize_per_channel_float_qparams")
def dequantize_per_channel_float_qparams(case):
    only(case, "q", "int8", "uint8", "int32")
    only(case, "scales", "float32")
    only(case, "zero_points", "float32")
    scales, zero_points = channels(case, case.q, "scales", "zero_points")
    q = torch._make_per_channel_quantized_tensor(tensor(case.q), scales, zero_points, axis(case, case.q))
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
        only_this_contraction(case)
        zero_point = zero_point.to(getattr(torch, kind))
    else:
        zero_point = zero_point.to(torch.int32)
    y, mask = torch.ops.aten.fake_quantize_per_channel_affine_cachemask(
        tensor(case.x), scale, zero_point, axis(case, case.x), int(case.quant_min), int(case.quant_max)
    )
    return {"y": array(y), "mask": array(mask)}


@adapter.formula("pytorch.fake_quantize_learnable_per_tensor_affine")
def fake_quantize_learnable_per_tensor_affine(case):
    only(case, "x", "float32")
    scale, zero_point = tensor(case.scale).reshape(1), tensor(case.zero_point).reshape(1)
    y = torch._fake_quantize_learnable_per_tensor_affine(tensor(case.x), scale, zero_point, int(case.quant_min), int(case.quant_max))
    return {"y": array(y)}


@adapter.formula("pytorch.fake_quantize_learnable_per_channel_affine")
def fake_quantize_learnable_per_channel_affine(case):
    only(case, "x", "float32")
    scale, zero_point = channels(case, case.x, "scale", "zero_point")
    y = torch._fake_quantize_learnable_per_channel_affine(
        tensor(case.x), scale, zero_point, axis(case, case.x), int(case.quant_min), int(case.quant_max)
    )
    return {"y": array(y)}


@adapter.formula("pytorch.fake_quantize_learnable_per_tensor_affine_backward")
def fake_quantize_learnable_per_tensor_affine_backward(case):
    only(case, "x", "float32")
    only(case, "dy", "float32")
    only_this_contraction(case)
    scale, zero_point = tensor(case.scale).reshape(1), tensor(case.zero_point).reshape(1)

    def backward(dy, x):
        limits = int(case.quant_min), int(case.quant_max)
        return torch.ops.aten._fake_quantize_learnable_per_tensor_affine_backward(
            dy, x, scale, zero_point, *limits, float(case.grad_factor)
        )

    dy, x = tensor(case.dy), tensor(case.x)
    dx, dscale, dzero_point = backward(dy, x)
    # The terms leave the operator only as a sum: the sum over one element is that element's term.
    terms = [backward(dy.reshape(-1)[i : i + 1], x.reshape(-1)[i : i + 1])[1:] for i in range(x.numel())]
    dscale_terms, dzero_point_terms = np.array(terms, dtype=np.float32).reshape(-1, 2).T
    return {
        "dx": array(dx),
        "dscale_terms": dscale_terms.reshape(case.x.shape),
        "dzero_point_terms": dzero_point_terms.reshape(case.x.shape),
        "dscale": array(dscale).reshape(()),
        "dzero_point": array(dzero_point).reshape(()),
    }


@adapter.formula("pytorch.fake_quantize_learnable_per_channel_affine_backward")
def fake_quantize_learnable_per_channel_affine_backward(case):
    only(case, "x", "float32")
    only(case, "dy", "float32")
    only_this_contraction(case)

    def backward(dy, x, scale, zero_point, at):
        limits = int(case.quant_min), int(case.quant_max)
        return torch.ops.aten._fake_quantize_learnable_per_channel_affine_backward(
            dy, x, scale, zero_point, at, *limits, float(case.grad_factor)
        )

    dy, x, at = tensor(case.dy), tensor(case.x), axis(case, case.x)
    scale, zero_point = channels(case, case.x, "scale", "zero_point")
    dx, dscale, dzero_point = backward(dy, x, scale, zero_point, at)
    # With a channel an element every sum has one term. The second dimension is what is summed over: without it torch sums the channels.
    channel = torch.arange(x.shape[at]).reshape([-1 if i == at else 1 for i in range(x.dim())]).expand(x.shape).reshape(-1)
    terms = dy.reshape(-1, 1), x.reshape(-1, 1), scale[channel], zero_point[channel], 0
    _, dscale_terms, dzero_point_terms = backward(*terms) if x.numel() else (x, x, x)
    return {
        "dx": array(dx),
        "dscale_terms": array(dscale_terms.reshape(x.shape)),
        "dzero_point_terms": array(dzero_point_terms.reshape(x.shape)),
        "dscale": array(dscale),
        "dzero_point": array(dzero_point),
    }


@adapter.formula("pytorch.ChooseQuantizationParams")
def choose_quantization_params(case):
    def choose(lowest, highest):
        # With the observer off the operator still computes both parameters from the running range, in place.
        scale, zero_point = torch.ones(1), torch.zeros(1, dtype=torch.int32)
        torch.fused_moving_avg_obs_fake_quant(
            torch.zeros(1),
            torch.tensor([0]),
            torch.tensor([1]),
            torch.tensor([lowest]),
            torch.tensor([highest]),
            scale,
            zero_point,
            averaging_const=0.01,
            quant_min=int(case.qmin),
            quant_max=int(case.qmax),
            ch_axis=-1,
            per_row_fake_quant=False,
            symmetric_quant=bool(case.preserve_sparsity),
        )
        return scale.item(), zero_point.item()

    chosen = [choose(*pair) for pair in ranges(case)]
    return {
        "scale": np.array([scale for scale, _ in chosen], dtype=np.float32).reshape(case.output_shape("scale")),
        "zero_point": np.array([zero_point for _, zero_point in chosen], dtype=np.int32).reshape(case.output_shape("zero_point")),
    }


@adapter.formula("pytorch.choose_quantization_params_dynamic")
def choose_quantization_params_dynamic(case):
    if case.preserve_sparsity:
        raise Unsupported("torch exports it without preserve_sparsity alone")

    def choose_unsigned(lowest, highest):
        return torch._choose_qparams_per_tensor(torch.tensor([lowest, highest]), bool(case.reduce_range))

    def choose_signed(lowest, highest):
        if not np.isfinite([lowest, highest]).all():
            raise Unsupported("quantize_per_tensor_dynamic refuses the zero point of an infinite range, which it chose itself")
        q = torch.quantize_per_tensor_dynamic(torch.tensor([lowest, highest]), torch.qint8, bool(case.reduce_range))
        return q.q_scale(), q.q_zero_point()

    choose = {(0, 255): choose_unsigned, (-128, 127): choose_signed}.get((int(case.qmin), int(case.qmax)))
    if choose is None:
        raise Unsupported("torch exports it for 0..255 and -128..127 alone")
    pairs = ranges(case)
    if not all(lowest <= highest for lowest, highest in pairs):
        # The exported functions take the range from data, so that it never is the wrong way round.
        raise ValueError("min should be less than or equal to max")
    chosen = [choose(*pair) for pair in pairs]
    return {
        "scale": np.array([scale for scale, _ in chosen], dtype=np.float64).reshape(case.output_shape("scale")),
        "zero_point": np.array([zero_point for _, zero_point in chosen], dtype=np.int32).reshape(case.output_shape("zero_point")),
    }


def ranges(case):
    """The pairs of min and max; a float32 stays what it is as a Python float."""
    lowest, highest = np.broadcast_arrays(case.min, case.max)
    return list(zip(lowest.reshape(-1).tolist(), highest.reshape(-1).tolist(), strict=True))


@adapter.formula("pytorch.fused_moving_avg_obs_fake_quant")
def fused_moving_avg_obs_fake_quant(case):
    only(case, "x", "float32")

    def state(name):
        # One element per tensor. Per row a scalar stands for every channel, which is also what torch makes of an empty one.
        shape = case.output_shape(name) or (1,)
        return tensor(np.broadcast_to(case.get(name), shape) if case.get(name).ndim == 0 else case.get(name))

    buffers = {name: state(name) for name in ("running_min", "running_max", "scale", "zero_point")}
    x = tensor(case.x)
    arguments = (
        x,
        torch.tensor([int(case.observer_on)]),
        torch.tensor([int(case.fake_quant_on)]),
        *buffers.values(),
        float(case.averaging_const),
        int(case.quant_min),
        int(case.quant_max),
        int(case.ch_axis),
        bool(case.per_row_fake_quant),
        bool(case.symmetric_quant),
    )
    if x.numel() == 0:
        y, mask = torch.fused_moving_avg_obs_fake_quant(*arguments), torch.ones(x.shape, dtype=torch.bool)
    else:
        # What the function of this name calls for data that is not empty; it drops the mask.
        y, mask = torch.ops.aten._fused_moving_avg_obs_fq_helper(*arguments)
    return {"y": array(y), "mask": array(mask)} | {name: array(held).reshape(case.output_shape(name)) for name, held in buffers.items()}
