"""The operators of torch.ops.quantized_decomposed."""

import numpy as np
import torch
import torch.ao.quantization.fx._decomposed  # defines the operators
from bridge import adapter, array, axis, channels, dtype, only, optional, tensor

operators = torch.ops.quantized_decomposed
FLOATS = ("float32", "float16", "bfloat16")
# Tensors of uint16 do not take part in arithmetic with another integer type, and have no subtraction.
INTEGERS = ("int8", "uint8", "int16", "int32", "int64")


def limits(case, codes):
    """quant_min and quant_max; those that were not given are the ends of the codes' type."""
    lowest, highest = optional(case.quant_min), optional(case.quant_max)
    ends = torch.iinfo(codes)
    return ends.min if lowest is None else lowest, ends.max if highest is None else highest


def only_subtractable(case):
    only(case, "q", *INTEGERS)
    only(case, "zero_points", *INTEGERS)


@adapter.formula("quantized_decomposed.quantize_per_tensor")
def quantize_per_tensor(case):
    only(case, "x", *FLOATS)
    codes = dtype(case.dtype)
    q = operators.quantize_per_tensor(tensor(case.x), float(case.scale), int(case.zero_point), *limits(case, codes), codes)
    return {"q": array(q)}


@adapter.formula("quantized_decomposed.quantize_per_channel")
def quantize_per_channel(case):
    only(case, "x", *FLOATS)
    only(case, "zero_points", *INTEGERS)
    codes = dtype(case.dtype)
    scales, zero_points = channels(case, case.x, "scales", "zero_points")
    q = operators.quantize_per_channel(tensor(case.x), scales, zero_points, axis(case, case.x), *limits(case, codes), codes)
    return {"q": array(q)}


@adapter.formula("quantized_decomposed.quantize_per_token")
def quantize_per_token(case):
    only(case, "x", *FLOATS)
    only(case, "zero_points", *INTEGERS)
    codes = dtype(case.dtype)
    q = operators.quantize_per_token(tensor(case.x), tensor(case.scales), tensor(case.zero_points), *limits(case, codes), codes)
    return {"q": array(q)}


@adapter.formula("quantized_decomposed.quantize_per_channel_group")
def quantize_per_channel_group(case):
    only(case, "x", *FLOATS)
    only(case, "zero_points", *INTEGERS)
    codes = dtype(case.dtype)
    scales, zero_points = tensor(case.scales), tensor(case.zero_points)
    q = operators.quantize_per_channel_group(tensor(case.x), scales, zero_points, *limits(case, codes), codes, int(case.group_size))
    return {"q": array(q)}


@adapter.formula("quantized_decomposed.dequantize_per_tensor")
def dequantize_per_tensor(case):
    q = tensor(case.q)
    y = operators.dequantize_per_tensor(
        q, float(case.scale), int(case.zero_point), *limits(case, q.dtype), q.dtype, out_dtype=dtype(case.out_dtype)
    )
    return {"y": array(y)}


@adapter.formula("quantized_decomposed.dequantize_per_channel")
def dequantize_per_channel(case):
    only_subtractable(case)
    q = tensor(case.q)
    scales, zero_points = channels(case, case.q, "scales", "zero_points")
    y = operators.dequantize_per_channel(
        q, scales, zero_points, axis(case, case.q), *limits(case, q.dtype), q.dtype, out_dtype=dtype(case.out_dtype)
    )
    return {"y": array(y)}


@adapter.formula("quantized_decomposed.dequantize_per_token")
def dequantize_per_token(case):
    only_subtractable(case)
    q = tensor(case.q)
    y = operators.dequantize_per_token(
        q, tensor(case.scales), tensor(case.zero_points), *limits(case, q.dtype), q.dtype, dtype(case.output_dtype)
    )
    return {"y": array(y)}


@adapter.formula("quantized_decomposed.dequantize_per_channel_group")
def dequantize_per_channel_group(case):
    only_subtractable(case)
    q, scales, zero_points = tensor(case.q), tensor(case.scales), tensor(case.zero_points)
    y = operators.dequantize_per_channel_group(
        q, scales, zero_points, *limits(case, q.dtype), q.dtype, int(case.group_size), dtype(case.output_dtype)
    )
    return {"y": array(y)}


@adapter.formula("quantized_decomposed.choose_qparams")
def choose_qparams(case):
    return chosen(case, operators.choose_qparams)


@adapter.formula("quantized_decomposed.choose_qparams_symmetric")
def choose_qparams_symmetric(case):
    return chosen(case, operators.choose_qparams_symmetric)


def chosen(case, operator):
    only(case, "x", *FLOATS)
    codes = dtype(case.dtype)
    scale, zero_point = operator(tensor(case.x), *limits(case, codes), float(case.eps), codes)
    return {"scale": array(scale).reshape(()), "zero_point": array(zero_point).reshape(())}


@adapter.formula("quantized_decomposed.choose_qparams_per_token")
def choose_qparams_per_token(case):
    only(case, "x", *FLOATS)
    scale, zero_point = operators.choose_qparams_per_token(tensor(case.x), dtype(case.dtype))
    return {"scale": array(scale), "zero_point": array(zero_point)}


@adapter.formula("quantized_decomposed.choose_qparams_per_token_asymmetric")
def choose_qparams_per_token_asymmetric(case):
    only(case, "x", *FLOATS)
    scale, zero_point = operators.choose_qparams_per_token_asymmetric(tensor(case.x), dtype(case.dtype))
    return {"scale": array(scale), "zero_point": array(zero_point)}


@adapter.formula("quantized_decomposed.fake_quant_per_channel")
def fake_quant_per_channel(case):
    only(case, "x", "float32")
    x = tensor(case.x).requires_grad_()
    scales, zero_points = channels(case, case.x, "scales", "zero_points")
    y = operators.fake_quant_per_channel(x, scales, zero_points, axis(case, case.x), int(case.quant_min), int(case.quant_max))
    # The mask is kept for the gradient, and a gradient of ones comes back as the mask.
    (mask,) = torch.autograd.grad(y, x, torch.ones_like(y))
    return {"y": array(y), "mask": array(mask).astype(np.bool_)}
