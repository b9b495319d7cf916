"""Parameter sets of torchao."""

from __future__ import annotations

import math
from collections.abc import Iterator

import inputs
from evaluate import Case, from_bits, scalar
from exact import INTEGER_RANGES
from sets import INF, NAN, ParameterSet, grouped_case, seed_of, zero_points

SCALES = [
    [0.1, 1 / 3, 0.7, 2.0**-15, 1e-3],
    [0.0078431, 1.0, 1e-40, 0.5, 1e37],
    [-0.1, 3.0, 0.0, INF, NAN, 1e-45],
]
# uint16 is refused
RANGES = [
    ("int8", None, None), ("uint8", None, None), ("int8", -8, 7), ("uint8", 0, 15), ("int16", None, None), ("int32", None, None),
    ("int8", -127, 127), ("int32", -1000, 1000),
]  # fmt: skip
LAYOUTS = [((6, 96), [1, 32]), ((4, 160), [1, 160]), ((4, 6, 32), [2, 3, 8]), ((512,), None), ((12, 40), [3, 10]), ((8, 64), None)]
FAR_SHIFTS = [(1 << 24) + 1, 1000, -1000]  # the range of zero points is not checked
FLOAT_SHIFTS = [0.0, 0.5, -1.25, 3.3, 1e6, -1e-3, 7e-41, INF, NAN]


def limits_of(row: tuple) -> tuple[tuple[int, int], dict]:
    dtype, lowest, highest = row
    if lowest is None:
        return INTEGER_RANGES[dtype], {}
    return (lowest, highest), {"quant_min": lowest, "quant_max": highest}


def blocks(layout: tuple) -> tuple[tuple[int, ...], tuple[int, ...], dict]:
    """Shape, block, and the parameter that says so; the whole tensor is left unsaid."""
    shape, block = layout
    return (shape, shape, {}) if block is None else (shape, tuple(block), {"block_size": block})


def quantizer_sets(operator: str) -> Iterator[ParameterSet]:
    formula = f"torchao.{operator}"
    for index in range(24):
        row = RANGES[index % len(RANGES)]
        name = f"{formula}-{index}-{row[0]}-{row[1]}-{row[2]}"

        def build(name=name, row=row, index=index) -> Case:
            limits, settings = limits_of(row)
            shape, box, block_size = blocks(LAYOUTS[(index + index // 8) % len(LAYOUTS)])
            settings = settings | block_size | {"output_dtype": row[0]}
            scales = SCALES[index % 3][index % 2 :]
            if operator == "quantize_affine_tinygemm":
                types, shift_name, shifts = ("float32", "float32", "float32"), "zero_point", FLOAT_SHIFTS[index % 2 :]
            else:
                types, shifts = ("float32", "float32", "int64"), [*zero_points(*limits), FAR_SHIFTS[index % 3]][index % 4 :]
                shift_name = "" if operator == "quantize_affine_no_zero_point" else "zero_point"
            values = ("scale", scales, shift_name, shifts)
            return grouped_case(formula, name, types, shape, box, values, limits, settings)

        yield ParameterSet(name, build)


def dequantizer_sets(operator: str) -> Iterator[ParameterSet]:
    formula = f"torchao.{operator}"
    for index in range(40):
        row = RANGES[index % len(RANGES)]
        y_type = [None, None, "float32", "float16", "bfloat16"][index % 5]
        name = f"{formula}-{index}-{row[0]}-{row[1]}-{row[2]}-{y_type}"

        def build(name=name, row=row, y_type=y_type, index=index) -> Case:
            limits, settings = limits_of(row)
            shape, box, block_size = blocks(LAYOUTS[(index + index // 8) % len(LAYOUTS)])
            settings = settings | block_size | ({"output_dtype": y_type} if y_type else {})
            if operator == "dequantize_affine_tinygemm":
                shift_type, shifts = "float32", FLOAT_SHIFTS[index % 2 :]
            else:
                shift_type, shifts = "int64", [*zero_points(*limits), FAR_SHIFTS[index % 3]][index % 4 :]
                if index % 4 == 3 and row[0] in ("int8", "uint8"):
                    shift_type, shifts = row[0], zero_points(*INTEGER_RANGES[row[0]])
            values = ("scale", SCALES[index % 3][index % 2 :], "zero_point", shifts)
            case = grouped_case(formula, name, (row[0], "float32", shift_type), shape, box, values, limits, settings)
            if row == ("int32", None, None):
                case.inputs["q"].array.flat[::7] = (1 << 30) + (1 << 22) + 1  # rounded to float32 it is a tie of bfloat16
            return case

        yield ParameterSet(name, build)


CHOOSER_RANGES = [*RANGES, ("int8", -7, 4), ("int8", -9, 3), ("uint8", 1, 200), ("int8", 0, 127)]
CHOOSER_LAYOUTS = [((-1, 24), [1, 24]), ((-1, 4, 24), [1, 2, 12]), ((-1, 24), [1, 8]), ((-1, 24), [23, 4])]


def chooser_sets(operator: str) -> Iterator[ParameterSet]:
    """Blocks of every kind of batch, and each kind as a whole tensor."""
    formula = f"torchao.{operator}"
    mappings = ["ASYMMETRIC", "SYMMETRIC", "SYMMETRIC_NO_CLIPPING_ERR"] if operator == "choose_qparams_affine" else [None]

    def words(mapping: str | None, index: int) -> dict:
        row = CHOOSER_RANGES[index % len(CHOOSER_RANGES)]
        epsilon = [None, 2.0**-12, 1e-5, 0.1, 1e-42][index % 5]
        return (
            {"target_dtype": row[0]}
            | limits_of(row)[1]
            | ({"mapping_type": mapping} if mapping else {})
            | ({} if epsilon is None else {"eps": scalar(epsilon, "float32")})
        )

    for mapping in mappings:
        for index in range(len(CHOOSER_RANGES)):
            name = f"{formula}-{mapping}-{index}"

            def build(name=name, mapping=mapping, index=index) -> Case:
                shape, block = CHOOSER_LAYOUTS[index % len(CHOOSER_LAYOUTS)]
                rows = list(inputs.batches(math.prod(shape[1:]), seed_of(name)).values())
                x = from_bits([bits for row in rows for bits in row], "float32", (len(rows), *shape[1:]))
                return Case(formula, {"x": x}, words(mapping, index) | {"block_size": block})

            yield ParameterSet(name, build)
        for index, batch in enumerate(inputs.batches(1, 0)):
            name = f"{formula}-{mapping}-{batch}"

            def build(name=name, mapping=mapping, batch=batch, index=index) -> Case:
                x = from_bits(inputs.batches(60, seed_of(name))[batch], "float32", (5, 12))
                return Case(formula, {"x": x}, words(mapping, index + 3) | ({"block_size": [5, 12]} if index % 2 else {}))

            yield ParameterSet(name, build)


def all_sets() -> Iterator[ParameterSet]:
    for operator in ("quantize_affine", "quantize_affine_no_zero_point", "quantize_affine_tinygemm"):
        yield from quantizer_sets(operator)
    for operator in ("dequantize_affine", "dequantize_affine_tinygemm"):
        yield from dequantizer_sets(operator)
    for operator in ("choose_qparams_affine", "choose_qparams_affine_tinygemm", "choose_qparams_affine_dont_preserve_zero"):
        yield from chooser_sets(operator)
