"""Parameter sets of executorch: those of quantized_decomposed, as far as the kernels take them, vectors, and XNNPACK's."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import inputs
import numpy as np
import sets_inductor
import sets_quantized_decomposed
from evaluate import Case, Tensor, scalar, tensor, vector
from exact import INTEGER_RANGES
from sets import ParameterSet, quantizer_case, seed_of, zero_points

DIALECT = "executorch"
OPERATORS = [
    "quantize_per_tensor", "quantize_per_channel", "quantize_per_token", "dequantize_per_tensor", "dequantize_per_channel",
    "dequantize_per_token", "choose_qparams", "choose_qparams_per_token_asymmetric",
]  # fmt: skip


def taken(case: Case) -> Case:
    """The case with what the kernels refuse replaced: types they lack, zero points out of range, a NaN in first place."""
    settings = dict(case.settings)
    changed = dict(case.inputs)
    for word in ("out_dtype", "output_dtype"):
        if settings.get(word) == "bfloat16":
            settings[word] = "float16"
    if "q" in case.inputs and "zero_points" in settings:
        given = settings["zero_points"]
        numbers = given.array
        if case.inputs["q"].type == "int8":
            numbers = np.clip(numbers.astype(np.int64), -128, 127)
        shift_type = given.type if given.type == "int64" else "int32"
        settings["zero_points"] = Tensor(numbers.astype(shift_type), shift_type)
    if ".choose_qparams" in case.formula:
        x = case.inputs["x"].array.copy()
        first = x[..., :1] if case.formula.endswith("asymmetric") else x.reshape(-1)[:1]
        first[np.isnan(first)] = 1.0
        changed["x"] = Tensor(x, "float32")
    return dataclasses.replace(case, inputs=changed, settings=settings)


def borrowed(operator: str) -> Iterator[ParameterSet]:
    begin = f"quantized_decomposed.{operator}-"
    for one in sets_quantized_decomposed.all_sets():
        # The distance of the codes is an int32.
        too_wide = operator == "choose_qparams" and one.name.endswith("-2147483648-2147483647")
        is_bfloat16 = operator.startswith("quantize") and "-bfloat16-" in one.name
        if not one.name.startswith(begin) or too_wide or is_bfloat16:
            continue

        def build(one=one) -> Case:
            return dataclasses.replace(taken(one.build()), formula=f"{DIALECT}.{operator}")

        yield ParameterSet(f"{DIALECT}.{one.name.split('.', 1)[1]}", build)


def range_without_zero_sets() -> Iterator[ParameterSet]:
    for one in sets_inductor.range_without_zero_sets(DIALECT):
        yield ParameterSet(one.name, lambda one=one: taken(one.build()))


def vector_sets() -> Iterator[ParameterSet]:
    """dequantize_per_channel along the only axis."""
    formula = f"{DIALECT}.dequantize_per_channel"
    for index, y_type in enumerate(("float32", "float16", "float64") * 4):
        q_type, scale_type = ("int8", "uint8", "int16", "int32")[index // 3], ("float32", "float64")[index % 2]
        name = f"{formula}-vector-{q_type}-{scale_type}-{y_type}"

        def build(name=name, q_type=q_type, scale_type=scale_type, y_type=y_type) -> Case:
            codes = inputs.codes(*INTEGER_RANGES[q_type], 0, seed_of(name), 256)
            scales = [[0.1, 1 / 3, 1e-5, 300.0, 1e-40, -0.7][i % 6] for i in range(len(codes))]
            shifts = [[0, 3, -128, 127][i % 4] for i in range(len(codes))]
            settings = {"scales": vector(scales, scale_type), "zero_points": vector(shifts, "int64"), "axis": 0, "out_dtype": y_type}
            return Case(formula, {"q": tensor(codes, q_type, (len(codes),))}, settings)

        yield ParameterSet(name, build)


def xnnpack_sets() -> Iterator[ParameterSet]:
    formula = f"{DIALECT}.xnnpack_quantize_per_tensor"
    for index, scale in enumerate([0.1, 0.0078431, 1 / 3, 1e-3, 0.7, 2.0**-15, 1.0, 0.5, 1e37, 2.0**-126, 0.1000000001]):
        for zero_point in zero_points(-128, 127)[index % 2 :: 2]:
            name = f"{formula}-{scale!r}-{zero_point}"

            def build(name=name, scale=scale, zero_point=zero_point) -> Case:
                settings = {"zero_point": zero_point}
                return quantizer_case(formula, name, "float32", "scale", scalar(scale, "float64"), zero_point, (-128, 127), settings)

            yield ParameterSet(name, build)


def all_sets() -> Iterator[ParameterSet]:
    for operator in OPERATORS:
        yield from borrowed(operator)
    yield from range_without_zero_sets()
    yield from vector_sets()
    yield from xnnpack_sets()
