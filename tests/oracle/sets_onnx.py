"""Parameter sets of onnx, onnxruntime and onnx_reference."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import exact
import inputs
from evaluate import Case, Tensor, from_bits, scalar, tensor, vector
from exact import FORMATS, INTEGER_RANGES
from sets import (
    HALF_SCALES,
    INF,
    NAN,
    ODD_SCALES,
    SCALES,
    ParameterSet,
    channel_case,
    dealt,
    dequantize_per_axis,
    quantizer_case,
    seed_of,
    zero_points,
)

ONNX_TYPES = ["uint8", "int8", "uint16", "int16", "uint4", "int4", "uint2", "int2"]


def opset_for(type_name: str, least: int = 10) -> int:
    if type_name in ("int2", "uint2"):
        return max(25, least)
    return max(21, least) if type_name in ("int4", "uint4", "int16", "uint16") else least


def quantize_linear_sets(dialect: str) -> Iterator[ParameterSet]:
    formula = f"{dialect}.QuantizeLinear"

    def one(x_type: str, y_type: str, scale: float, zero_point: int, scale_type: str | None = None, **settings) -> ParameterSet:
        scale_type = scale_type or x_type
        words = "-".join(f"{key}={value}" for key, value in settings.items())
        name = f"{formula}-{x_type}-{y_type}-{scale_type}-{scale!r}-{zero_point}-{words}"
        settings = {"y_zero_point": zero_point, "output_dtype": y_type} | settings
        limits = INTEGER_RANGES[y_type]

        def build() -> Case:
            typed_scale = scalar(scale, scale_type)
            if x_type == "int32":
                scale_value = typed_scale.elements()[0]
                multiplier = exact.exact(1 / scale_value.rational) if scale_value.rational else exact.NAN
                numbers = inputs.accumulators(multiplier, zero_point, *limits, seed_of(name))
                return Case(formula, {"x": tensor(numbers, "int32", (len(numbers),))}, settings | {"y_scale": typed_scale})
            return quantizer_case(formula, name, x_type, "y_scale", typed_scale, zero_point, limits, settings)

        return ParameterSet(name, build)

    for row, y_type in enumerate(ONNX_TYPES):
        shifts = zero_points(*INTEGER_RANGES[y_type])
        wide = y_type in ("uint8", "int8", "int16")
        for column, scale in enumerate(SCALES if wide else SCALES[row % 3 :: 3]):
            yield one("float32", y_type, scale, shifts[(row + column) % len(shifts)], opset=opset_for(y_type, 10 + column))
    for scale in ODD_SCALES if dialect != "onnx" else []:
        yield one("float32", "uint8", scale, 3, opset=21)
        yield one("float32", "int8", scale, -1, opset=23)
    for column, scale in enumerate(HALF_SCALES):
        for opset in (19, 21, 23, 24, 25):
            if opset in (21, 23) or column < 2:
                y_type = ["uint8", "int8", "int16", "uint4"][column % 4]
                shifts = zero_points(*INTEGER_RANGES[y_type])
                opset = opset_for(y_type, opset)
                yield one("float16", y_type, scale, shifts[column % len(shifts)], opset=opset)
                if dialect != "onnxruntime" and opset != 24:
                    yield one("bfloat16", y_type, scale, shifts[column % len(shifts)], opset=opset)
    for x_type, scale_type in (("float32", "float16"), ("float16", "float32")):
        yield one(x_type, "int16", 0.1, 3, scale_type, opset=23)
        yield one(x_type, "uint8", 0.7, 128, scale_type, opset=25)
    for precision in ("float32", "float16", "bfloat16"):
        if dialect == "onnxruntime" and precision == "bfloat16":
            continue
        yield one("float32", "uint8", 1 / 3, 3, opset=23, precision=precision)
        yield one("float16", "int16", 0.1, -1, opset=24, precision=precision)
        yield one("float32", "int8", 0.1, 3, "float16", opset=25, precision=precision)
    if dialect != "onnxruntime":
        yield one("float32", "uint8", 0.1, 3, "bfloat16", opset=23)
        yield one("bfloat16", "int8", 0.7, 2, "float32", opset=24)
    if dialect == "onnx_reference":
        for column, scale in enumerate([0.1, 1 / 3, 1e37, 1e-40, 3.0, 1e6, -0.1]):
            y_type = ["uint8", "int8"][column % 2]
            yield one("int32", y_type, scale, zero_points(*INTEGER_RANGES[y_type])[column % 5], "float32", opset=21)

    for axis, x_type, y_type in ((1, "float32", "uint8"), (-1, "float32", "int8"), (0, "float16", "int4")):
        yield per_axis(formula, x_type, y_type, axis)
    for axis, y_type in ((1, "uint8"), (2, "int16"), (0, "uint4")):
        yield blocked(formula, axis, y_type)


def per_axis(formula: str, x_type: str, y_type: str, axis: int) -> ParameterSet:
    name = f"{formula}-{x_type}-{y_type}-axis={axis}"
    lowest, highest = INTEGER_RANGES[y_type]

    def build() -> Case:
        scales = vector([0.1, 1 / 3, 0.7, 2.0**-15], x_type)
        shifts = tensor([lowest, highest, lowest + 3, lowest + 2], y_type, (4,))
        settings = {"output_dtype": y_type, "opset": 21}
        return channel_case(formula, name, x_type, {"y_scale": scales, "y_zero_point": shifts}, (lowest, highest), settings, 600, axis)

    return ParameterSet(name, build)


def blocked(formula: str, axis: int, y_type: str) -> ParameterSet:
    """Blocks of 3 along an axis of 8: the last one is short of one element."""
    name = f"{formula}-blocked-{y_type}-axis={axis}"
    lowest, highest = INTEGER_RANGES[y_type]

    def build() -> Case:
        shape = [16, 16, 16]
        shape[axis] = 8
        blocks = list(shape)
        blocks[axis] = 3
        count = blocks[0] * blocks[1] * blocks[2]
        scale_values = [[0.1, 1 / 3, 0.7, 2.0**-15, 1e-3][index % 5] for index in range(count)]
        shift_values = [zero_points(lowest, highest)[index % 4] for index in range(count)]
        scale = Tensor(vector(scale_values, "float32").array.reshape(blocks), "float32")
        shift = tensor(shift_values, y_type, tuple(blocks))
        pools = {}
        for number, zero_point in set(zip(scale_values, shift_values, strict=True)):
            value = scalar(number, "float32").elements()[0]
            pool_seed = seed_of(f"{name}{number}{zero_point}")
            pools[number, zero_point] = inputs.quantizer_inputs(FORMATS["float32"], value, zero_point, lowest, highest, pool_seed)
        keys = list(zip(scale_values, shift_values, strict=True))
        order = {key: index for index, key in enumerate(pools)}

        def which(position: tuple[int, ...]) -> int:
            block = list(position)
            block[axis] //= 3
            return order[keys[(block[0] * blocks[1] + block[1]) * blocks[2] + block[2]]]

        x = dealt("float32", tuple(shape), list(pools.values()), which)
        settings = {"axis": axis, "block_size": 3, "output_dtype": y_type, "opset": 21}
        return Case(formula, {"x": x}, {"y_scale": scale, "y_zero_point": shift} | settings)

    return ParameterSet(name, build)


def dequantize_linear_sets(dialect: str) -> Iterator[ParameterSet]:
    formula = f"{dialect}.DequantizeLinear"
    odd_scales = ODD_SCALES if dialect != "onnx" else []

    def one(x_type: str, scale: float, zero_point: int, scale_type: str = "float32", **settings) -> ParameterSet:
        words = "-".join(f"{key}={value}" for key, value in settings.items())
        name = f"{formula}-{x_type}-{scale_type}-{scale!r}-{zero_point}-{words}"

        def build() -> Case:
            codes = inputs.codes(*INTEGER_RANGES[x_type], zero_point, seed_of(name))
            parameters = {"x_scale": scalar(scale, scale_type), "x_zero_point": zero_point, "output_dtype": scale_type}
            return Case(formula, {"x": tensor(codes, x_type, (len(codes),))}, parameters | settings)

        return ParameterSet(name, build)

    for row, x_type in enumerate(ONNX_TYPES):
        shifts = zero_points(*INTEGER_RANGES[x_type])
        for column, scale in enumerate([*SCALES, 3e38, *odd_scales][row % 2 :: 2]):
            yield one(x_type, scale, shifts[(row + column) % len(shifts)], opset=opset_for(x_type, 19))
        for column, scale in enumerate(HALF_SCALES[row % 2 :: 2]):
            shift = shifts[(row + column) % len(shifts)]
            yield one(x_type, scale, shift, "float16", opset=opset_for(x_type, 19))
            if column < 2:
                yield one(x_type, scale, shift, "float16", opset=opset_for(x_type, 23), output_dtype="float32")
                yield one(x_type, scale, shift, "float32", opset=opset_for(x_type, 23), output_dtype="float16")
                if dialect != "onnxruntime":
                    yield one(x_type, scale, shift, "bfloat16", opset=opset_for(x_type, 19))
                    yield one(x_type, scale, shift, "float32", opset=opset_for(x_type, 23), output_dtype="bfloat16")
    for scale in (0.1, 1 / 3, 1e-40, 2.0**-15):
        yield one("int32", scale, 0, opset=21)

    for axis, x_type in ((1, "uint8"), (-1, "int16")):
        yield dequantize_per_axis(formula, "x", "x_scale", "x_zero_point", x_type, axis, {"opset": 21})


def dynamic_quantize_linear_sets(dialect: str) -> Iterator[ParameterSet]:
    formula = f"{dialect}.DynamicQuantizeLinear"

    def given(name: str, make: Callable[[], list[int]]) -> ParameterSet:
        return ParameterSet(f"{formula}-{name}", lambda: Case(formula, {"x": from_bits(make(), "float32")}))

    def bits_of(*numbers: float) -> list[int]:
        return [int(bits) for bits in vector(list(numbers), "float32").bits]

    ranges = [
        (-1.0, 3.0),
        (0.0, 1.0),
        (0.5, 2.0),
        (-4.0, -1.0),
        (-0.1, 0.1),
        (-1e-3, 7.7),
        (-1e30, 1e38),
        (-3e38, 1e38),
    ]
    ranges += [
        (-1e-39, 2e-39),
        (-1e-40, 1e-41),
        (-1e-44, 3e-44),
        (-0.7, 123.0),
        (-3.14159, 2.71828),
        (-1000.0, 1.0),
        (0.0, 6.0),
    ]

    def in_range(low: float, high: float, seed: int) -> list[int]:
        span = exact.subtract(exact.FLOAT32, exact.from_float(max(high, 0.0)), exact.from_float(min(low, 0.0)))
        scale = exact.divide(exact.FLOAT32, span, exact.exact(255))
        ends = bits_of(low, high)
        low_value, high_value = (exact.decode(exact.FLOAT32, bits) for bits in ends)
        zero_point = round(min(255.0, max(0.0, -min(low, 0.0) / float(scale.rational)))) if scale.rational else 0
        chosen = inputs.quantizer_inputs(exact.FLOAT32, scale, zero_point, 0, 255, seed)
        inside = [
            bits
            for bits in chosen
            if exact.less_equal(low_value, exact.decode(exact.FLOAT32, bits))
            and exact.less_equal(exact.decode(exact.FLOAT32, bits), high_value)
        ]
        return ends + inside

    for index, (low, high) in enumerate(ranges):
        yield given(f"range-{low!r}-{high!r}", lambda low=low, high=high, index=index: in_range(low, high, index))
    for seed in range(24):
        source_name = f"random-{seed}"

        def random_range(seed: int = seed) -> list[int]:
            source = random.Random(seed)
            magnitude = 10 ** source.uniform(-6, 6)
            return bits_of(*(source.uniform(-magnitude, magnitude * source.random()) for _ in range(5 + 11 * seed)))

        yield given(source_name, random_range)
    yield given("zeros", lambda: bits_of(0.0, -0.0, 0.0))
    yield given("minus-zeros", lambda: bits_of(-0.0, -0.0))
    yield given("one-value", lambda: bits_of(5.5))
    yield given("span-overflows", lambda: bits_of(-3e38, 3e38, 1.0, 0.0))
    yield given("plus-infinity", lambda: bits_of(-1.0, INF, 2.0, 0.0))
    yield given("minus-infinity", lambda: bits_of(-1.0, -INF, 2.0, 0.0))
    if dialect != "onnxruntime":  # there the effect of NaN depends on its position in a SIMD lane
        yield given("nan", lambda: bits_of(-1.0, NAN, 2.0, 0.0))
        yield given("nan-first", lambda: bits_of(NAN, 1.0, -INF))


def requantize_sets(dialect: str) -> Iterator[ParameterSet]:
    formula = f"{dialect}.requantize"
    scales = [
        (0.1, 0.02, 0.05),
        (0.7, 1 / 3, 0.5),
        (1.0, 0.5, 1.0),
        (0.5, 1.0, 1.0),
        (1e-3, 1e-3, 0.1),
        (0.0078431, 0.003, 0.7),
    ]
    scales += [(1e-20, 1e-20, 1e-35), (1e-30, 1e-30, 1.0), (3.0, 5.0, 7.0), (0.1, 0.1, 1e-38), (2.0**-15, 0.1, 1e-7)]

    def one(triple: tuple[float, ...], y_type: str, zero_point: int, operators: dict) -> ParameterSet:
        name = f"{formula}-{y_type}-{triple}-{zero_point}-{operators.get('op', '')}"

        def build() -> Case:
            x_scale, w_scale, y_scale = (scalar(number, "float32") for number in triple)
            values = [typed.elements()[0] for typed in (x_scale, w_scale, y_scale)]
            product = exact.multiply(exact.FLOAT32, values[0], values[1])
            multiplier = exact.divide(exact.FLOAT32, product, values[2])
            numbers = inputs.accumulators(multiplier, zero_point, *INTEGER_RANGES[y_type], seed_of(name))
            settings = {"x_scale": x_scale, "w_scale": w_scale, "y_scale": y_scale, "y_zero_point": zero_point}
            settings |= {"output_dtype": y_type} | operators
            return Case(formula, {"acc": tensor(numbers, "int32", (len(numbers),))}, settings)

        return ParameterSet(name, build)

    for operators in [{"op": "conv"}, {"op": "matmul"}] if dialect == "onnx_reference" else [{}]:
        for index, triple in enumerate(scales):
            for y_type in ("uint8", "int8"):
                shifts = zero_points(*INTEGER_RANGES[y_type])
                yield one(triple, y_type, shifts[index % len(shifts)], operators)
        yield requantize_per_channel(formula, operators)


def requantize_per_channel(formula: str, operators: dict) -> ParameterSet:
    name = f"{formula}-per-channel-{operators.get('op', '')}"

    def build() -> Case:
        numbers = [0.02, 1 / 3, 0.5, 1e-3]
        slices = []
        for channel, number in enumerate(numbers):
            multiplier = exact.from_float(number * 2)  # only to choose inputs by
            slices.append(inputs.accumulators(multiplier, 3, 0, 255, seed_of(name) + channel, 600))
        count = min(len(chosen) for chosen in slices) // 24 * 24
        acc = dealt("int32", (6, 4, count // 6, 1), slices, lambda position: position[1])
        settings = {"x_scale": scalar(0.1, "float32"), "w_scale": vector(numbers, "float32")}
        settings |= {
            "y_scale": scalar(0.05, "float32"),
            "y_zero_point": 3,
            "output_dtype": "uint8",
            "axis": 1,
        } | operators
        return Case(formula, {"acc": acc}, settings)

    return ParameterSet(name, build)


def all_sets() -> Iterator[ParameterSet]:
    for dialect in ("onnx", "onnxruntime", "onnx_reference"):
        yield from quantize_linear_sets(dialect)
        yield from dequantize_linear_sets(dialect)
        yield from dynamic_quantize_linear_sets(dialect)
        if dialect != "onnx":
            yield from requantize_sets(dialect)
