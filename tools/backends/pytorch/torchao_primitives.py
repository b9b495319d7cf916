"""torchao.quantization.quant_primitives."""

from bridge import adapter, array, dtype, only, optional, tensor
from qassay_adapter import Unsupported
from torchao.quantization import quant_primitives as primitives

INTEGERS = ("int8", "uint8", "int16", "int32")


def integer(name):
    """The torch type of codes. torchao knows the ends of these and of the sub-byte types, whose codes torch cannot hold."""
    if name not in INTEGERS:
        raise Unsupported(f"torchao has no {name} codes")
    return dtype(name)


def block_size(case, of):
    """The block; one that was not given is the whole tensor."""
    return list(of.shape) if case.block_size in ("none", []) else list(case.block_size)


def limits(case):
    return optional(case.quant_min), optional(case.quant_max)


def quantize(case, operator, zero_point):
    only(case, "x", "float32", "float16", "bfloat16")
    q = operator(tensor(case.x), block_size(case, case.x), tensor(case.scale), zero_point, integer(case.output_dtype), *limits(case))
    return {"q": array(q)}


def dequantize(case, operator):
    only(case, "q", *INTEGERS)
    q = tensor(case.q)
    y = operator(
        q,
        block_size(case, case.q),
        tensor(case.scale),
        tensor(case.zero_point),
        q.dtype,
        *limits(case),
        output_dtype=dtype(case.output_dtype),
    )
    return {"y": array(y)}


def choose(case, operator, mapping_type):
    only(case, "x", "float32", "float16", "bfloat16")
    codes = integer(case.target_dtype)
    scale, zero_point = operator(tensor(case.x), mapping_type, block_size(case, case.x), codes, *limits(case), float(case.eps))
    # torch drops the dimensions that a block spans.
    return {
        "scale": array(scale).reshape(case.output_shape("scale")),
        "zero_point": array(zero_point).reshape(case.output_shape("zero_point")),
    }


@adapter.formula("torchao.quantize_affine")
def quantize_affine(case):
    return quantize(case, primitives.quantize_affine, tensor(case.zero_point))


@adapter.formula("torchao.quantize_affine_no_zero_point")
def quantize_affine_no_zero_point(case):
    return quantize(case, primitives._quantize_affine_no_zero_point, None)


@adapter.formula("torchao.quantize_affine_tinygemm")
def quantize_affine_tinygemm(case):
    return quantize(case, primitives._quantize_affine_tinygemm, tensor(case.zero_point))


@adapter.formula("torchao.dequantize_affine")
def dequantize_affine(case):
    return dequantize(case, primitives.dequantize_affine)


@adapter.formula("torchao.dequantize_affine_tinygemm")
def dequantize_affine_tinygemm(case):
    return dequantize(case, primitives._dequantize_affine_tinygemm)


@adapter.formula("torchao.choose_qparams_affine")
def choose_qparams_affine(case):
    return choose(case, primitives.choose_qparams_affine, primitives.MappingType[case.mapping_type])


@adapter.formula("torchao.choose_qparams_affine_tinygemm")
def choose_qparams_affine_tinygemm(case):
    return choose(case, primitives._choose_qparams_affine_tinygemm, primitives.MappingType.ASYMMETRIC)


@adapter.formula("torchao.choose_qparams_affine_dont_preserve_zero")
def choose_qparams_affine_dont_preserve_zero(case):
    return choose(case, primitives._choose_qparams_affine_dont_preserve_zero, primitives.MappingType.ASYMMETRIC)
