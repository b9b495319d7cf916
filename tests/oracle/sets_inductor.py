"""Parameter sets of inductor: those of quantized_decomposed, as far as it takes their types, and ranges that only it takes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import inputs
import sets_quantized_decomposed
from evaluate import Case, from_bits, scalar
from sets import ParameterSet, quantizer_case, seed_of

DIALECT = "inductor"
VECTORS = ("avx512", "avx2", "none")
WIDE_RANGES = [("int8", -300, 300), ("uint8", -5, 300), ("int16", -(1 << 20), 1 << 20), ("uint16", -1, 1 << 16), ("int8", 100, 200)]


def borrowed(operator: str, formula: str, settings: dict | None = None, label: str = "") -> Iterator[ParameterSet]:
    """The sets of a quantized_decomposed operator for another formula."""
    begin = f"quantized_decomposed.{operator}-"
    for one in sets_quantized_decomposed.all_sets():
        is_half = operator.startswith("quantize") and "-float16-" in one.name
        if not one.name.startswith(begin) or is_half:
            continue

        def build(one=one) -> Case:
            case = one.build()
            return dataclasses.replace(case, formula=formula, settings=case.settings | (settings or {}))

        yield ParameterSet(f"{formula}-{label}{one.name[len(begin) :]}", build)


def wide_range_sets() -> Iterator[ParameterSet]:
    """Ranges that leave the type."""
    formula = f"{DIALECT}.quantize_per_tensor"
    for dtype, lowest, highest in WIDE_RANGES:
        name = f"{formula}-wide-{dtype}-{lowest}-{highest}"

        def build(name=name, dtype=dtype, limits=(lowest, highest)) -> Case:
            settings = {"zero_point": 3, "dtype": dtype, "quant_min": limits[0], "quant_max": limits[1]}
            return quantizer_case(formula, name, "float32", "scale", scalar(0.7, "float64"), 3, limits, settings)

        yield ParameterSet(name, build)


def range_without_zero_sets(dialect: str) -> Iterator[ParameterSet]:
    formula = f"{dialect}.choose_qparams"
    for batch in inputs.batches(1, 0):
        name = f"{formula}-{batch}-without-zero"

        def build(name=name, batch=batch) -> Case:
            x = from_bits(inputs.batches(120, seed_of(name))[batch], "float32", (10, 12))
            settings = {"dtype": "uint8", "quant_min": 3, "quant_max": 200, "eps": scalar(2.0**-23, "float64")}
            return Case(formula, {"x": x}, settings)

        yield ParameterSet(name, build)


def all_sets() -> Iterator[ParameterSet]:
    for operator in ("quantize_per_tensor", "quantize_per_channel", "dequantize_per_tensor", "dequantize_per_channel", "choose_qparams"):
        yield from borrowed(operator, f"{DIALECT}.{operator}")
    for vector in VECTORS:
        yield from borrowed("quantize_per_tensor", f"{DIALECT}.quantize_per_tensor_tensor", {"vector": vector}, f"{vector}-")
    yield from wide_range_sets()
    yield from range_without_zero_sets(DIALECT)
