"""Parameter sets of quantized_decomposed."""

from __future__ import annotations

from collections.abc import Iterator

import inputs
import numpy as np
from evaluate import Case, Tensor, from_bits, scalar, tensor
from exact import INTEGER_RANGES
from sets import (
    INF,
    NAN,
    ParameterSet,
    grouped_case,
    quantizer_case,
    seed_of,
    without_nan,
    zero_points,
)

DIALECT = "quantized_decomposed"
X_TYPES = ("float32", "float16", "bfloat16")
# 0 is refused per tensor: the inverse is Python's
SCALES = [0.1, 0.0078431, 1 / 3, 1e-3, 0.7, 2.0**-15, 1.0, 0.5, 1e37, 1e-40, -0.1, INF, NAN, 1e-310, 1e300, 0.1000000001]
RANGES = [
    ("uint8", 0, 255), ("int8", -128, 127), ("int8", -8, 7), ("uint8", 3, 200), ("int16", -32768, 32767),
    ("uint16", 0, 65535), ("int32", -(1 << 31), (1 << 31) - 1), ("int8", -127, 127), ("int32", -1000, 1000), ("uint8", 0, 15),
]  # fmt: skip
CHANNEL_SCALES = [
    [0.1, 1 / 3, 0.7, 2.0**-15],
    [0.0078431, 1e-3, 1.0, 1e-40],
    [0.5, 1e37, -0.1, 3.0],
    [0.0, INF, NAN, 1e-45],
]
FAR_SHIFTS = [(1 << 24) + 1, -(1 << 31), 1000, -1]  # the range of zero points is nowhere checked


def per_tensor_sets() -> Iterator[ParameterSet]:
    formula = f"{DIALECT}.quantize_per_tensor"
    for index, scale in enumerate(SCALES * 2):
        dtype, lowest, highest = RANGES[(index + index // len(SCALES)) % len(RANGES)]
        x_type = X_TYPES[index % 3] if index % 2 else "float32"
        shifts = [*zero_points(lowest, highest), FAR_SHIFTS[index % 4]]
        zero_point = shifts[index % len(shifts)]
        name = f"{formula}-{x_type}-{dtype}-{lowest}-{highest}-{scale!r}-{zero_point}-{index}"

        def build(name=name, x_type=x_type, scale=scale, zero_point=zero_point, row=(dtype, lowest, highest)) -> Case:
            settings = {"zero_point": zero_point, "dtype": row[0], "quant_min": row[1], "quant_max": row[2]}
            return quantizer_case(formula, name, x_type, "scale", scalar(scale, "float64"), zero_point, row[1:], settings)

        yield ParameterSet(name, build)


def flat(case: Case, axis: int, *names: str) -> Case:
    """The parameters as vectors along the axis."""
    vectors = {name: Tensor(case.settings[name].array.ravel(), case.settings[name].type) for name in names}
    return Case(case.formula, case.inputs, case.settings | vectors | {"axis": axis})


def shape_along(axis: int, count: int, rest: tuple[int, int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    shape = list(rest)
    shape.insert(axis, count)
    return tuple(shape), tuple(1 if d == axis else length for d, length in enumerate(shape))


def grouped_quantizer_sets(operator: str) -> Iterator[ParameterSet]:
    """quantize_per_channel, _per_token, _per_channel_group."""
    formula = f"{DIALECT}.{operator}"
    layouts = {
        "quantize_per_token": [((2, 4, 90), (1, 1, 90)), ((4, 150), (1, 150)), ((200,), (200,))],
        "quantize_per_channel_group": [((4, 192), (1, 48)), ((4, 100), (1, 100)), ((2, 256), (1, 128))],
    }
    for row, scales in enumerate(CHANNEL_SCALES):
        for column in range(6):
            dtype, lowest, highest = RANGES[(3 * row + column) % len(RANGES)]
            scale_type = ("float32", "float64")[column % 2]
            x_type = X_TYPES[column % 3] if operator != "quantize_per_channel_group" else "float32"
            shifts = [*zero_points(lowest, highest), FAR_SHIFTS[row]][column % 2 :]
            name = f"{formula}-{x_type}-{scale_type}-{dtype}-{lowest}-{highest}-{row}-{column}"

            def build(
                name=name, types=(x_type, scale_type, "int64"), scales=scales, shifts=shifts, limits=(lowest, highest), dtype=dtype,
                row=row, column=column,
            ) -> Case:  # fmt: skip
                settings = {"dtype": dtype, "quant_min": limits[0], "quant_max": limits[1]}
                values = ("scales", scales, "zero_points", shifts)
                if operator == "quantize_per_channel":
                    axis = (row + column) % 3
                    shape, box = shape_along(axis, 4, (5, 40))
                    case = grouped_case(formula, name, types, shape, box, values, limits, settings)
                    return flat(case, axis, "scales", "zero_points")
                shape, box = layouts[operator][column % 3]
                if operator == "quantize_per_channel_group" and box[1] != 128:
                    settings["group_size"] = 128 if box == (1, 100) else box[1]  # 128 of 100: the whole row
                case = grouped_case(formula, name, types, shape, box, values, limits, settings)
                return without_nan(case) if operator == "quantize_per_channel_group" else case

            yield ParameterSet(name, build)


# ------------ dequantize

Q_TYPES = ["uint8", "int8", "int16", "int32"]  # no kernel subtracts uint16, except per tensor
Y_TYPES = ["float32", "float16", "bfloat16", "float64"]
# as float64, times one: ties of float16 and bfloat16 once they have been rounded to float32
TWICE_ROUNDED = [1 + 2.0**-11 + 2.0**-30, 1 + 2.0**-8 + 2.0**-30, 1 + 3 * 2.0**-11 - 2.0**-30, 1 + 3 * 2.0**-8 - 2.0**-30]
SHIFT_TYPES = ["int64", "int8", "uint8", "int16", "int32"]


def dequantize_per_tensor_sets() -> Iterator[ParameterSet]:
    formula = f"{DIALECT}.dequantize_per_tensor"
    for index, scale in enumerate(SCALES * 2):
        q_type = [*Q_TYPES, "uint16"][(index + index // len(SCALES)) % 5]
        lowest, highest = INTEGER_RANGES[q_type]
        shifts = [*zero_points(lowest, highest), FAR_SHIFTS[index % 4]]
        zero_point = shifts[index % len(shifts)]
        name = f"{formula}-{q_type}-{scale!r}-{zero_point}-{index}"

        def build(name=name, q_type=q_type, scale=scale, zero_point=zero_point, index=index) -> Case:
            codes = inputs.codes(*INTEGER_RANGES[q_type], zero_point, seed_of(name), 700)
            settings = {"scale": scalar(scale, "float64"), "zero_point": zero_point}
            if index % 3 == 0:
                settings |= {"quant_min": 0, "quant_max": 100}  # without effect
            if index >= len(SCALES):
                settings["out_dtype"] = Y_TYPES[index % 4]
            return Case(formula, {"q": tensor(codes, q_type, (len(codes),))}, settings)

        yield ParameterSet(name, build)


def grouped_dequantizer_sets(operator: str) -> Iterator[ParameterSet]:
    formula = f"{DIALECT}.{operator}"
    word = "out_dtype" if operator == "dequantize_per_channel" else "output_dtype"
    for index in range(len(Q_TYPES) * len(SHIFT_TYPES)):
        q_type, shift_type = Q_TYPES[index % 4], SHIFT_TYPES[index // 4]
        scale_type = ("float32", "float64")[index % 2]
        y_type = Y_TYPES[(index + index // 4) % 4] if index % 3 else None
        scales = [*CHANNEL_SCALES, TWICE_ROUNDED][index % 5]
        lowest, highest = (max(-(1 << 31), INTEGER_RANGES[shift_type][0]), min((1 << 31) - 1, INTEGER_RANGES[shift_type][1]))
        shifts = zero_points(lowest, highest)
        name = f"{formula}-{q_type}-{shift_type}-{scale_type}-{y_type}-{index}"

        def build(name=name, types=(q_type, scale_type, shift_type), scales=scales, shifts=shifts, y_type=y_type, index=index) -> Case:
            settings = {word: y_type} if y_type else {}
            values = ("scales", scales, "zero_points", shifts)
            if operator == "dequantize_per_channel":
                axis = index % 3
                shape, box = shape_along(axis, 8, (3, 16))
                case = grouped_case(formula, name, types, shape, box, values, (0, 0), settings)
                return flat(case, axis, "scales", "zero_points")
            shape, box = ((2, 4, 48), (1, 1, 48)) if operator == "dequantize_per_token" else ((4, 96), (1, 48))
            if operator == "dequantize_per_channel_group":
                settings["group_size"] = 48
                if index % 4 == 1:
                    shape, box = (4, 100), (1, 100)
                    del settings["group_size"]  # 128 of 100: the whole row
            return grouped_case(formula, name, types, shape, box, values, (0, 0), settings)

        yield ParameterSet(name, build)
    for y_type in ("float16", "bfloat16"):

        def twice_rounded(y_type=y_type) -> Case:
            shape, box = shape_along(0, 4, (1, 64)) if operator == "dequantize_per_channel" else ((4, 64), (1, 64))
            values = ("scales", TWICE_ROUNDED, "zero_points", [0])
            types = ("int8", "float64", "int64")
            case = grouped_case(formula, f"{formula}-{y_type}", types, shape, box, values, (0, 0), {word: y_type})
            case.inputs["q"].array[...] = np.resize(np.int8([1, 2, 4, 64, -1, -128, 3, 0]), shape)
            return flat(case, 0, "scales", "zero_points") if operator == "dequantize_per_channel" else case

        yield ParameterSet(f"{formula}-{y_type}-rounded-twice", twice_rounded)


# ------------ scale and zero point

CHOOSER_RANGES = [row for row in RANGES if row != ("uint8", 3, 200)]  # a range without 0 is refused


def chooser_sets(operator: str) -> Iterator[ParameterSet]:
    formula = f"{DIALECT}.{operator}"
    for index, batch in enumerate(inputs.batches(1, 0)):
        for number in (index, index + 4):
            dtype, quant_min, quant_max = CHOOSER_RANGES[number % len(CHOOSER_RANGES)]
            epsilon = [2.0**-23, 2.0**-12, 1e-5, 0.1, 1e-30, 1e-9][number % 6]
            name = f"{formula}-{batch}-{dtype}-{quant_min}-{quant_max}"

            def build(name=name, batch=batch, settings=(dtype, quant_min, quant_max), epsilon=epsilon) -> Case:
                x = from_bits(inputs.batches(120, seed_of(name))[batch], "float32", (10, 12))
                words = dict(zip(("dtype", "quant_min", "quant_max"), settings, strict=True))
                return Case(formula, {"x": x}, words | {"eps": scalar(epsilon, "float64")})

            yield ParameterSet(name, build)


# at and around the least scale: there the two errors of the zero point may cancel exactly
TOKEN_ENDS = [(0.0, 2.0**-23), (0.0, 2.0**-23 - 2.0**-47), (0.0, 2.0**-22), (0.0, 255 * 2.0**-23), (-(2.0**-23), 0.0)]
TOKEN_ENDS += [(-127.0, 128.0), (0.0, 1.27e-3)]


def token_chooser_sets(operator: str) -> Iterator[ParameterSet]:
    """A token for each kind of batch."""
    formula = f"{DIALECT}.{operator}"
    for index, length in enumerate((1, 2, 3, 16, 33, 64, 100)):
        name = f"{formula}-{length}"

        def build(name=name, length=length, index=index) -> Case:
            rows = [bits[:length] for bits in inputs.batches(max(length, 4), seed_of(name)).values()]
            for ends in TOKEN_ENDS:
                rows.append(inputs.float32_bits(*([ends[0]] * (length - 1) + [ends[1]])))
            shape = (2, len(rows) // 2, length) if index % 2 else (len(rows), length)
            x = from_bits([bits for row in rows for bits in row], "float32", shape)
            return Case(formula, {"x": x}, {"dtype": "int8"} if index % 3 else {})

        yield ParameterSet(name, build)


def fake_quant_sets() -> Iterator[ParameterSet]:
    formula = f"{DIALECT}.fake_quant_per_channel"
    for row, scales in enumerate(CHANNEL_SCALES):
        for column in range(3):
            _, lowest, highest = RANGES[(2 * row + column) % len(RANGES)]
            name = f"{formula}-{row}-{column}-{lowest}-{highest}"

            def build(name=name, scales=scales, limits=(lowest, highest), row=row, column=column) -> Case:
                axis = (row + column) % 3
                shape, box = shape_along(axis, 4, (5, 40))
                values = ("scales", scales, "zero_points", [*zero_points(*limits), 1000][row:])
                settings = {"quant_min": limits[0], "quant_max": limits[1]}
                case = grouped_case(formula, name, ("float32", "float32", "int64"), shape, box, values, limits, settings)
                return flat(case, axis, "scales", "zero_points")

            yield ParameterSet(name, build)


def all_sets() -> Iterator[ParameterSet]:
    yield from per_tensor_sets()
    for operator in ("quantize_per_channel", "quantize_per_token", "quantize_per_channel_group"):
        yield from grouped_quantizer_sets(operator)
    yield from dequantize_per_tensor_sets()
    for operator in ("dequantize_per_channel", "dequantize_per_token", "dequantize_per_channel_group"):
        yield from grouped_dequantizer_sets(operator)
    for operator in ("choose_qparams", "choose_qparams_symmetric"):
        yield from chooser_sets(operator)
    for operator in ("choose_qparams_per_token", "choose_qparams_per_token_asymmetric"):
        yield from token_chooser_sets(operator)
    yield from fake_quant_sets()
