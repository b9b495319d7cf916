"""Parameter sets of pytorch: quantize, dequantize, fake quantization and its gradients."""

from __future__ import annotations

from collections.abc import Iterator

import inputs
import numpy as np
from evaluate import Case, Tensor, from_bits, scalar, tensor, vector
from exact import INTEGER_RANGES
from sets import INF, NAN, ParameterSet, channel_case, dequantize_per_axis, grouped_case, quantizer_case, seed_of, zero_points

PYTORCH_SCALES = [0.1, 0.0078431, 1 / 3, 1e-3, 0.7, 2.0**-15, 1.0, 0.5, 1e37, 1e-40, -0.1, 0.0, INF, NAN, 1e-310, 1e300]


def pytorch_zero_points(dtype: str) -> list[int]:
    lowest, highest = INTEGER_RANGES[dtype]
    if dtype == "qint32":
        return [0, 1, lowest, highest, (1 << 24) + 1, -(1 << 24) - 1, 3]
    return zero_points(lowest, highest)


def quantize_per_tensor_sets(version: str) -> Iterator[ParameterSet]:
    formula = f"pytorch.quantize_per_tensor{version}"
    for row, dtype in enumerate(("quint8", "qint8", "qint32")):
        shifts = pytorch_zero_points(dtype)
        for column, scale in enumerate(PYTORCH_SCALES):
            for zero_point in {shifts[(row + column) % len(shifts)], shifts[(row + column + 3) % len(shifts)]}:
                name = f"{formula}-{dtype}-{scale!r}-{zero_point}"

                def build(name=name, dtype=dtype, scale=scale, zero_point=zero_point) -> Case:
                    settings = {"zero_point": zero_point, "dtype": dtype}
                    typed = scalar(scale, "float64")
                    return quantizer_case(formula, name, "float32", "scale", typed, zero_point, INTEGER_RANGES[dtype], settings)

                yield ParameterSet(name, build)


def quantize_per_channel_sets(version: str) -> Iterator[ParameterSet]:
    formula = f"pytorch.quantize_per_channel{version}"
    groups = [
        [0.1, 1 / 3, 0.7, 2.0**-15],
        [0.0078431, 1e-3, 1.0, 1e-40],
        [0.5, 1e37, -0.1, 3.0],
        [0.0, INF, NAN, 1e-310],
    ]
    for dtype in ("quint8", "qint8", "qint32"):
        shifts = pytorch_zero_points(dtype)
        for index, group in enumerate(groups):
            for axis in (0, 1, 2) if index == 0 else (1,):
                name = f"{formula}-{dtype}-{index}-axis={axis}"

                def build(name=name, dtype=dtype, group=group, axis=axis, index=index, shifts=shifts) -> Case:
                    chosen = [shifts[(index + channel) % len(shifts)] for channel in range(4)]
                    parameters = {"scales": vector(group, "float64"), "zero_points": tensor(chosen, "int32", (4,))}
                    limits = INTEGER_RANGES[dtype]
                    return channel_case(formula, name, "float32", parameters, limits, {"dtype": dtype}, 600, axis)

                yield ParameterSet(name, build)


def pytorch_dequantize_sets() -> Iterator[ParameterSet]:
    formula = "pytorch.dequantize_per_tensor"
    for dtype in ("quint8", "qint8", "qint32"):
        for index, scale in enumerate(PYTORCH_SCALES):
            shifts = pytorch_zero_points(dtype)
            zero_point = shifts[index % len(shifts)]
            name = f"{formula}-{dtype}-{scale!r}-{zero_point}"

            def build(name=name, dtype=dtype, scale=scale, zero_point=zero_point) -> Case:
                codes = inputs.codes(*INTEGER_RANGES[dtype], zero_point, seed_of(name))
                settings = {"scale": scalar(scale, "float64"), "zero_point": zero_point}
                return Case(formula, {"q": tensor(codes, dtype, (len(codes),))}, settings)

            yield ParameterSet(name, build)
    for dtype in ("quint8", "qint8", "qint32"):
        for axis in (0, 1, 2):
            yield dequantize_per_axis("pytorch.dequantize_per_channel", "q", "scales", "zero_points", dtype, axis, {})


FAKE_RANGES = [(0, 255), (-128, 127), (-8, 7), (0, 15), (0, 65535), (-1, 1), (-127, 127), (3, 200)]
FAKE_SCALES = [0.1, 0.0078431, 1 / 3, 1e-3, 0.7, 2.0**-15, 0.5, 1e37, 1e-40, -0.1, 0.0, INF, NAN]


def fake_quantize_per_tensor_sets() -> Iterator[ParameterSet]:
    formula = "pytorch.fake_quantize_per_tensor_affine"
    for index, scale in enumerate(FAKE_SCALES * 2):
        lowest, highest = FAKE_RANGES[index % len(FAKE_RANGES)]
        shifts = zero_points(lowest, highest)
        x_type = "float32" if index < len(FAKE_SCALES) else ["float32", "float16", "bfloat16"][index % 3]
        zero_point = shifts[(index + 1) % len(shifts)]
        name = f"{formula}-{x_type}-{scale!r}-{zero_point}-{lowest}-{highest}-{index}"

        def build(name=name, x_type=x_type, scale=scale, zero_point=zero_point, limits=(lowest, highest)) -> Case:
            settings = {"zero_point": zero_point, "quant_min": limits[0], "quant_max": limits[1]}
            return quantizer_case(formula, name, x_type, "scale", scalar(scale, "float64"), zero_point, limits, settings)

        yield ParameterSet(name, build)


def fake_quantize_per_channel_sets() -> Iterator[ParameterSet]:
    formula = "pytorch.fake_quantize_per_channel_affine"
    groups = [
        [0.1, 1 / 3, 0.7, 2.0**-15],
        [0.0078431, 1e-3, 1.0, 1e-40],
        [0.5, 1e37, -0.1, 3.0],
        [0.0, INF, NAN, 1e-45],
    ]
    kinds = [("int32", {}), ("float32", {"contraction": "fma"}), ("float32", {"contraction": "none"})]
    for index, group in enumerate(groups):
        for number, (shift_type, words) in enumerate(kinds):
            for x_type in ("float32", "float16", "bfloat16") if index == 0 else ("float32",):
                axis = (index + number) % 3
                lowest, highest = FAKE_RANGES[(3 * index + number) % len(FAKE_RANGES)]
                name = f"{formula}-{x_type}-{index}-{shift_type}-{words.get('contraction', '')}-axis={axis}"

                def build(
                    name=name,
                    x_type=x_type,
                    group=group,
                    shift_type=shift_type,
                    words=words,
                    limits=(lowest, highest),
                    axis=axis,
                    index=index,
                ) -> Case:
                    scales = vector(group, "float32")
                    shifts = zero_points(*limits)
                    chosen = [shifts[(index + channel) % len(shifts)] for channel in range(4)]
                    if shift_type == "float32":  # any real number is allowed, also outside of the range
                        chosen = [chosen[0], chosen[1] + 0.5, -2.3, 1e6 + 0.1]
                        shift = vector(chosen, "float32")
                    else:
                        shift = tensor(chosen, "int32", (4,))
                    settings = {"quant_min": limits[0], "quant_max": limits[1]} | words
                    if shift_type == "float32":
                        settings["zero_point_dtype"] = "float32"
                    parameters = {"scale": scales, "zero_point": shift}
                    return channel_case(formula, name, x_type, parameters, limits, settings, 600, axis)

                yield ParameterSet(name, build)


# ------------ float zero points, learnable scale and zero point

CHANNEL_SCALES = [
    [0.1, 1 / 3, 0.7, 2.0**-15],
    [0.0078431, 1e-3, 1.0, 1e-40],
    [0.5, 1e37, -0.1, 3.0],
    [0.0, INF, NAN, 1e-45],
]


FLOAT_SHIFTS = [[2.5, -3.25, 0.1, 127.5], [3e9, -1e10, 1e6 + 0.1, 0.0], [INF, -0.0, 0.5, NAN]]


def quantize_float_qparams_sets() -> Iterator[ParameterSet]:
    formula = "pytorch.quantize_per_channel_float_qparams"
    for row, scales in enumerate(CHANNEL_SCALES):
        for column, chosen in enumerate(FLOAT_SHIFTS):
            for dtype in ("uint8", "int8", "int32") if column == 0 else ("uint8", "int8")[(row + column) % 2 :][:1]:
                axis = (row + column) % 3
                name = f"{formula}-{dtype}-{row}-{column}-axis={axis}"

                def build(name=name, dtype=dtype, scales=scales, chosen=chosen, axis=axis) -> Case:
                    parameters = {"scales": vector(scales, "float32"), "zero_points": vector(chosen, "float32")}
                    limits = INTEGER_RANGES[dtype]
                    return channel_case(formula, name, "float32", parameters, limits, {"dtype": dtype}, 600, axis)

                yield ParameterSet(name, build)


def dequantize_float_qparams_sets() -> Iterator[ParameterSet]:
    formula = "pytorch.dequantize_per_channel_float_qparams"
    for row, scales in enumerate(CHANNEL_SCALES):
        for dtype in ("uint8", "int8", "int32"):
            axis = row % 3
            name = f"{formula}-{dtype}-{row}-axis={axis}"

            def build(name=name, dtype=dtype, scales=scales, row=row, axis=axis) -> Case:
                shape = [6, 40]
                shape.insert(axis, 4)
                box = tuple(1 if d == axis else length for d, length in enumerate(shape))
                values = ("scales", scales, "zero_points", FLOAT_SHIFTS[row % 3])
                types = (dtype, "float32", "float32")
                case = grouped_case(formula, name, types, tuple(shape), box, values, INTEGER_RANGES[dtype], {"axis": axis})
                flat = {key: Tensor(case.settings[key].array.ravel(), "float32") for key in ("scales", "zero_points")}
                return Case(formula, case.inputs, case.settings | flat)

            yield ParameterSet(name, build)


LEARNABLE_RANGES = [(0, 255), (-128, 127), (-8, 7), (0, 15), (-127, 127), (-1, 1), (0, 65535)]
LEARNABLE_SHIFTS = [0.0, 2.5, -3.0, 3.5, -0.5, 0.5, 7.0, 1e10, -1e10, 0.49999997, 100.25, -7.5]


def learnable_per_tensor_sets() -> Iterator[ParameterSet]:
    formula = "pytorch.fake_quantize_learnable_per_tensor_affine"
    for index, scale in enumerate(FAKE_SCALES * 2):
        limits = LEARNABLE_RANGES[index % len(LEARNABLE_RANGES)]
        shift = LEARNABLE_SHIFTS[index % len(LEARNABLE_SHIFTS)]
        settings = {"zero_point": scalar(shift, "float32"), "quant_min": limits[0], "quant_max": limits[1]}
        for direction in ("", "_backward"):
            name = f"{formula}{direction}-{scale!r}-{shift!r}-{limits[0]}-{limits[1]}-{index}"

            def build(name=name, scale=scale, shift=shift, limits=limits, settings=settings, index=index) -> Case:
                whole = round(min(max(shift, limits[0]), limits[1]))
                one = name.split("-")[0]
                case = quantizer_case(one, name, "float32", "scale", scalar(scale, "float32"), whole, limits, settings)
                return backward(case, name, index) if one.endswith("backward") else case

            yield ParameterSet(name, build)


def learnable_per_channel_sets() -> Iterator[ParameterSet]:
    formula = "pytorch.fake_quantize_learnable_per_channel_affine"
    for row, scales in enumerate(CHANNEL_SCALES):
        for column in range(4):
            axis = (row + column) % 3
            limits = LEARNABLE_RANGES[(2 * row + column) % len(LEARNABLE_RANGES)]
            shifts = [LEARNABLE_SHIFTS[(row + 4 * column + channel) % len(LEARNABLE_SHIFTS)] for channel in range(4)]
            settings = {"quant_min": limits[0], "quant_max": limits[1]}
            for direction in ("", "_backward"):
                name = f"{formula}{direction}-{row}-{column}-{limits[0]}-{limits[1]}-axis={axis}"

                def build(
                    name=name, scales=scales, shifts=shifts, limits=limits, settings=settings, axis=axis, index=4 * row + column
                ) -> Case:
                    one = name.split("-")[0]
                    parameters = {"scale": vector(scales, "float32"), "zero_point": vector(shifts, "float32")}
                    case = channel_case(one, name, "float32", parameters, limits, settings, 300, axis)
                    return backward(case, name, index) if one.endswith("backward") else case

                yield ParameterSet(name, build)


def backward(case: Case, name: str, index: int) -> Case:
    """With output gradients. Two of three cases are finite and of moderate size, so that the sums are numbers."""
    x = case.inputs["x"].array
    awkward = index % 3 == 2
    if not awkward:
        x = np.where(np.isfinite(x) & (abs(x) < 2.0**40), x, np.float32(0.75))
    dy = from_bits(inputs.gradients(x.size, seed_of(name), awkward), "float32", x.shape)
    if index % 6 == 1:  # one infinity: so is a sum
        dy.array.flat[x.size // 2] = INF
    if index % 6 == 3:  # terms that are zeros
        dy.array[...] = np.float32(-0.0)
    more = {"contraction": "none"} if index % 4 == 3 else {}
    if index % 2:
        more["grad_factor"] = scalar([0.1, 1 / 3, -2.0, 1e-30][index // 2 % 4], "float32")
    return Case(case.formula, {"dy": dy, "x": Tensor(x, "float32")}, case.settings | more)


def all_sets() -> Iterator[ParameterSet]:
    for version in ("", "@2.13"):
        yield from quantize_per_tensor_sets(version)
        yield from quantize_per_channel_sets(version)
    yield from pytorch_dequantize_sets()
    yield from fake_quantize_per_tensor_sets()
    yield from fake_quantize_per_channel_sets()
    yield from quantize_float_qparams_sets()
    yield from dequantize_float_qparams_sets()
    yield from learnable_per_tensor_sets()
    yield from learnable_per_channel_sets()
