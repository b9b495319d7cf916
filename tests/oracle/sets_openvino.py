"""Parameter sets of openvino and openvino_cpu."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from fractions import Fraction

import exact
import inputs
import numpy as np
from evaluate import Case, Tensor, from_bits, scalar, tensor, vector
from exact import FORMATS, INTEGER_RANGES
from sets import INF, NAN, ODD_SCALES, ParameterSet, dealt, dequantize_per_axis, quantizer_case, seed_of, zero_points
from sets_onnx import per_axis

NAMES = ("input_low", "input_high", "output_low", "output_high")
BOUNDS = [  # both sides, levels
    ((-0.3, 0.9, -0.3, 0.9), 256),
    ((-1.0, 1.0, -1.0, 1.0), 256),
    ((-0.35, 0.9, -0.35, 0.9), 256),
    ((0.0, 2.55, 0.0, 2.55), 256),
    ((-1.28, 1.27, -1.28, 1.27), 256),
    ((-1.27, 1.27, -1.27, 1.27), 255),
    ((-0.8, 0.7, -0.8, 0.7), 16),
    ((-0.3, 0.9, 1.0, 7.0), 16),
    ((-0.7, 0.7, -0.7, 0.7), 15),
    ((-3.0, 5.0, -1.0, 2.0), 17),
    ((-1.0, 1.0, -1.0, 1.0), 3),
    ((-1.0, 3.0, -1.0, 3.0), 65535),
    ((-100.0, 3e4, -2.0, 1e-3), 1024),
    ((1e-3, 7.0, 5.0, -3.0), 256),
    ((-1e-40, 1e-40, -1e-40, 1e-40), 256),
    ((-3e38, 3e38, -1.0, 1.0), 256),
    ((1e-39, 1e-36, 0.0, 1.0), 200),
    ((0.1, 0.4, -1e30, 1e30), 64),
    ((0.0, 255.0, 0.0, 255.0), 256),
    ((-128.0, 127.0, -128.0, 127.0), 256),
    ((2.0**-149, 1.0, 0.0, 1e-39), 200),
    ((1.0, 1.0, 0.0, 1.0), 256),
    ((-1.0, 1.0, -1e-7, 5e-7), 256),
    ((-1.0, 1.0, -1e36, 2e36), 255),
    ((-1.0, 1.0, 1e-35, -2e-35), 16),
    ((-INF, 1.0, 0.0, 1.0), 256),
    ((-1.0, 1.0, 0.0, INF), 100),
]
INVERTED = [((1.0, -1.0, 1.0, -1.0), 256), ((0.5, -3.0, -1.0, 7.0), 16), ((0.3, 0.3, -1.0, 1.0), 2), ((-1.0, 1.0, -2.0, 3.0), 2)]
HALF_BOUNDS = [
    ((-0.3, 0.9, -0.3, 0.9), 256),
    ((-0.37, 0.91, -1.3, 0.9), 200),
    ((-1.0, 1.0, -1.0, 1.0), 17),
    ((0.0, 2.55, 0.0, 2.55), 1000),
    ((-1e-3, 2e-3, -1e-3, 2e-3), 255),
    ((-6e-6, 6e-6, -6e-6, 6e-6), 16),
]


# ------------ FakeQuantize


def bound_inputs(kind: str, low: exact.Value, high: exact.Value, levels: int, seed: int, count: int) -> list[int]:
    """Bit patterns around the ties of a FakeQuantize's input bounds, around the bounds, and special ones."""
    finite = low.is_finite and high.is_finite and low.rational != high.rational
    step = exact.exact((high.rational - low.rational) / (levels - 1)) if finite else exact.NAN
    shift = -low.rational / step.rational if finite else 0
    bits = inputs.quantizer_inputs(FORMATS[kind], step, shift, 0, levels - 1, seed, count)
    for bound in (low, high):
        if bound.is_finite:
            bits[:5] = inputs.neighbourhood(FORMATS[kind], bound.rational)
            random.Random(seed).shuffle(bits)
    return bits


def shaped(bits: list[int], kind: str, rank: int) -> Tensor:
    count = len(bits) // 24 * 24
    shape = {1: (count,), 2: (3, count // 3), 3: (2, 3, count // 6), 4: (2, 3, count // 24, 4)}[rank]
    return from_bits(bits[:count], kind, shape)


def per_tensor(
    formula: str, numbers: tuple, levels: int, rank: int, settings: dict, kind: str = "float32", count: int = 1536
) -> ParameterSet:
    words = "-".join(str(value) for value in settings.values())
    name = f"{formula}-{kind}-{numbers}-{levels}-{rank}-{words}"

    def build() -> Case:
        bounds = {key: scalar(number, kind) for key, number in zip(NAMES, numbers, strict=True)}
        low, high = (bounds[key].elements()[0] for key in NAMES[:2])
        x = shaped(bound_inputs(kind, low, high, levels, seed_of(name), count), kind, rank)
        return Case(formula, {"x": x}, bounds | {"levels": levels} | settings)

    return ParameterSet(name, build)


def per_channel(formula: str, axis: int, levels: int, columns: list[list[float]], settings: dict, kind: str = "float32") -> ParameterSet:
    """Each bound one number or one for each of three channels."""
    words = "-".join(str(value) for value in settings.values())
    name = f"{formula}-{kind}-channels-{axis}-{levels}-{columns}-{words}"

    def build() -> Case:
        along = [1, 1, 1]
        along[axis] = 3
        bounds = {}
        for key, column in zip(NAMES, columns, strict=True):
            given = vector(column, kind)
            bounds[key] = Tensor(given.array.reshape(along if len(column) > 1 else ()), kind)
        lows, highs = ([bounds[key].elements()[i % bounds[key].array.size] for i in range(3)] for key in NAMES[:2])
        slices = [bound_inputs(kind, lows[i], highs[i], levels, seed_of(name) + i, 480) for i in range(3)]
        count = min(len(bits) for bits in slices) // 24 * 24
        shape = [6, count // 6]
        shape.insert(axis, 3)
        x = dealt(kind, tuple(shape), slices, lambda position: position[axis])
        return Case(formula, {"x": x}, bounds | {"levels": levels} | settings)

    return ParameterSet(name, build)


CHANNELS = [
    [[-0.3, -1.0, -1e-3], [0.9, 1.0, 7.0], [-0.3, -1.0, -1e-3], [0.9, 1.0, 7.0]],
    [[-1.0], [1.0, 2.0, 3.0], [-1.5, 0.25, -3.0], [1.5, 0.5, 2.9]],
    [[-1e-40, -1.0, 0.0], [1e-40, 1.0, 1.0], [-1e-40, -0.0, -1.0], [1e-40, 1.0, 1e-40]],
    [[-1e38, -3e38, -1.0], [1e38, 1e30, 1.0], [0.0, 0.0, 0.0], [1e-37, 1e-38, 1e-36]],
    [[-1.28, -0.128, -12.8], [1.27, 0.127, 12.7], [-1.28, -0.128, -12.8], [1.27, 0.127, 12.7]],
    [[0.0], [1.0], [0.0, 0.0, 0.0], [1.0, 0.5, -2.0]],
    [[-1.0], [1.0], [-1.5, 2.0, 0.0], [1.5, 2.0, 0.0]],
]


def fake_quantize_sets() -> Iterator[ParameterSet]:
    for index, (numbers, levels) in enumerate(BOUNDS + INVERTED):
        yield per_tensor("openvino.FakeQuantize", numbers, levels, 1 + index % 4, {})
    for (numbers, levels), kind in itertools.product(HALF_BOUNDS, ("float16", "bfloat16")):
        yield per_tensor("openvino.FakeQuantize", numbers, levels, 2, {}, kind, 768)
    for columns, levels in itertools.product(CHANNELS, (256, 17)):
        yield per_channel("openvino.FakeQuantize", 1, levels, columns, {})
    formula = "openvino_cpu.FakeQuantize"
    for index, (numbers, levels) in enumerate(BOUNDS):
        for node, mode in (("snippets", "no"), ("snippets", "yes"), ("jit", "no")):
            yield per_tensor(formula, numbers, levels, 2 + index % 3, {"node": node, "lp_transforms_mode": mode}, count=768)
        yield per_tensor(formula, numbers, levels, 1, {"node": "reference", "lp_transforms_mode": "no"}, count=768)
    for numbers, levels in INVERTED:
        for mode in ("no", "yes"):
            yield per_tensor(formula, numbers, levels, 2, {"node": "jit", "lp_transforms_mode": mode}, count=768)
    for (numbers, levels), kind in itertools.product(HALF_BOUNDS, ("float16", "bfloat16")):
        for node, mode in (("snippets", "no"), ("snippets", "yes"), ("jit", "no")):
            yield per_tensor(formula, numbers, levels, 2, {"node": node, "lp_transforms_mode": mode}, kind, 768)
        yield per_tensor(formula, numbers, levels, 1, {"node": "reference", "lp_transforms_mode": "no"}, kind, 768)
    for columns, levels in itertools.product(CHANNELS, (256, 16, 15, 17)):
        is_rewritable = len(columns[2]) == len(columns[3])
        yield per_channel(formula, 1, levels, columns, {"node": "jit", "lp_transforms_mode": "no"})
        yield per_channel(formula, levels % 3, levels, columns, {"node": "snippets", "lp_transforms_mode": "no"})
        if is_rewritable:
            yield per_channel(formula, 1, levels, columns, {"node": "snippets", "lp_transforms_mode": "yes"})
    for numbers in [(-1.0, 1.0, -2.0, 3.0), (-0.3, 0.9, 0.1, 7.0), (-1e-40, 1e-40, -1.0, 1.0), (0.25, 1e30, 1e-39, 2e-39)]:
        for mode in ("no", "yes"):
            yield per_tensor(formula, numbers, 2, 1, {"node": "eltwise", "lp_transforms_mode": mode}, count=768)
    for columns in CHANNELS[:4]:
        yield per_channel(formula, 0, 100, columns, {"node": "reference", "lp_transforms_mode": "no"})


# ------------ QuantizeLinear and DequantizeLinear

SCALES = [0.1, 0.0078431, 1 / 3, 1e-3, 0.7, 2.0**-15, 0.5, 1e37 / 255, 3.3e-36]
TYPES = ["uint8", "int8", "uint16", "int16", "uint4", "int4"]
WAYS = [("snippets", "no", 2), ("snippets", "yes", 2), ("jit", "no", 2), ("reference", "no", 1)]


def with_rank(case: Case, rank: int) -> Case:
    (name,) = case.inputs
    x = case.inputs[name]
    if rank == 2:
        x = Tensor(x.array[: x.array.size // 4 * 4].reshape(4, -1), x.type)
    return Case(case.formula, {name: x}, case.settings)


def quantize_linear(
    formula: str, kind: str, scale: float, zero_point: int, settings: dict, rank: int, x_type: str = "float32"
) -> ParameterSet:
    words = "-".join(str(value) for value in settings.values())
    name = f"{formula}-{x_type}-{kind}-{scale!r}-{zero_point}-{rank}-{words}"
    given = {"y_zero_point": zero_point, "output_dtype": kind, "opset": 21, "axis": 0} | settings

    def build() -> Case:
        case = quantizer_case(formula, name, x_type, "y_scale", scalar(scale, x_type), zero_point, INTEGER_RANGES[kind], given)
        return with_rank(case, rank)

    return ParameterSet(name, build)


def quantize_linear_sets() -> Iterator[ParameterSet]:
    for row, kind in enumerate(TYPES):
        shifts = zero_points(*INTEGER_RANGES[kind])
        for column, scale in enumerate(SCALES[row % 2 :: 2]):
            shift = shifts[(row + column) % len(shifts)]
            for one_shift in {shift: None, 0: None} if kind == "int8" else [shift]:
                yield quantize_linear("openvino.QuantizeLinear", kind, scale, one_shift, {}, 1 + column % 2)
                for node, mode, rank in WAYS:
                    if node == "jit" and scale > 1e30:
                        continue  # its shift overflows
                    plugin = {"node": node, "lp_transforms_mode": mode}
                    yield quantize_linear("openvino_cpu.QuantizeLinear", kind, scale, one_shift, plugin, rank)
        for scale in [*ODD_SCALES, 1e-40, 5e-39, 3e38]:
            yield quantize_linear("openvino.QuantizeLinear", kind, scale, shifts[1], {}, 1)
            if not scale < 0:
                for node, mode, rank in WAYS:
                    if node == "jit" or (mode == "yes" and kind.endswith("int4")):
                        continue  # what becomes of its NaN and infinities depends on more than the parameters
                    plugin = {"node": node, "lp_transforms_mode": mode}
                    yield quantize_linear("openvino_cpu.QuantizeLinear", kind, scale, shifts[-1], plugin, rank)
        plugin = {"node": "jit", "lp_transforms_mode": "yes"}
        yield quantize_linear("openvino_cpu.QuantizeLinear", kind, -0.1, shifts[-1], plugin, 2)
    for x_type in ("float16", "bfloat16"):
        for scale in (0.1, 1 / 3):
            yield quantize_linear("openvino.QuantizeLinear", "uint8", scale, 128, {}, 1, x_type)
            yield quantize_linear("openvino.QuantizeLinear", "int8", scale, 0, {}, 1, x_type)
    for axis, kind in ((1, "uint8"), (-1, "int8"), (0, "int4")):
        yield per_axis("openvino.QuantizeLinear", "float32", kind, axis)
        for node, mode in (("snippets", "no"), ("snippets", "yes"), ("jit", "no"), ("reference", "no")):
            reached = {"snippets": True, "jit": axis == 1, "reference": axis == 0}[node]
            if reached:
                yield on_plugin(per_axis("openvino_cpu.QuantizeLinear", "float32", kind, axis), node, mode)
    yield without_zero_points(on_plugin(per_axis("openvino_cpu.QuantizeLinear", "float32", "int8", 1), "snippets", "yes"))


def on_plugin(one: ParameterSet, node: str, mode: str) -> ParameterSet:
    def build() -> Case:
        case = one.build()
        return Case(case.formula, case.inputs, case.settings | {"node": node, "lp_transforms_mode": mode})

    return ParameterSet(f"{one.name}-{node}-{mode}", build)


def without_zero_points(one: ParameterSet) -> ParameterSet:
    def build() -> Case:
        case = one.build()
        given = case.settings["y_zero_point"]
        return Case(case.formula, case.inputs, case.settings | {"y_zero_point": Tensor(np.zeros_like(given.array), given.type)})

    return ParameterSet(f"{one.name}-no-zero-points", build)


def dequantize_linear_sets() -> Iterator[ParameterSet]:
    def one(formula: str, kind: str, scale: float, zero_point: int, settings: dict) -> ParameterSet:
        words = "-".join(str(value) for value in settings.values())
        name = f"{formula}-{kind}-{scale!r}-{zero_point}-{words}"

        def build() -> Case:
            codes = inputs.codes(*INTEGER_RANGES[kind], zero_point, seed_of(name), 1024)
            parameters = {"x_scale": scalar(scale, "float32"), "x_zero_point": zero_point, "opset": 21, "axis": 0}
            return Case(formula, {"x": tensor(codes, kind, (len(codes),))}, parameters | settings)

        return ParameterSet(name, build)

    ways = [("openvino.DequantizeLinear", {})]
    ways += [("openvino_cpu.DequantizeLinear", {"node": node}) for node in ("snippets", "eltwise")]
    for formula, settings in ways:
        for row, kind in enumerate(TYPES):
            shifts = zero_points(*INTEGER_RANGES[kind])
            for column, scale in enumerate([0.1, 1 / 3, 1e-40, 2.0**-149, 3e38, -0.1, 0.0, INF, NAN, 2e-38]):
                for shift in dict.fromkeys((shifts[(row + column) % len(shifts)], 0, shifts[0])):
                    yield one(formula, kind, scale, shift, settings)
        for axis, kind in ((1, "uint8"), (-1, "int16"), (0, "int8")):
            base = dequantize_per_axis(formula, "x", "x_scale", "x_zero_point", kind, axis, {"opset": 21} | settings)
            yield ParameterSet(f"{base.name}-{settings.get('node', '')}", base.build)


# ------------ FakeConvert

CONVERSIONS = [
    (1.0, 0.0), (0.1, 0.0), (3.7, 0.3), (1e-3, -5.0), (1e3, 1e-3), (1 / 3, 100.0), (-0.5, 2.0), (1e-39, 0.0), (3e38, 0.0), (0.0, 0.0),
    (INF, 0.0), (NAN, 0.0), (1.0, 1e-40), (2.0**-10, 1e30), (1.0, 2.5), (2.0, -0.0), (0.0, 1.0),
]  # fmt: skip
CONVERTED_CHANNELS = [([0.1, 3.0, 7.0], [0.0, 1.0, -2.0]), ([1e-39, 1.0, 2.0], [0.5, 0.0, 0.0]), ([1.0, 1.0, 1.0], [1e-40, 0.0, 1.0])]


def shows_sign_of_nan(formula: str, destination: str) -> bool:
    """Where a NaN becomes a number of its sign, which the oracle does not follow."""
    return formula == "openvino.FakeConvert" and destination == "float8_e4m3fn"


def numbers_only(x: Tensor) -> Tensor:
    return Tensor(np.where(np.isnan(x.array), np.float32(1), x.array), x.type)


def fake_convert_sets(formula: str) -> Iterator[ParameterSet]:
    def chosen(scale: exact.Value, shift: exact.Value, destination: str, seed: int, count: int) -> list[int]:
        """Around the numbers of the small format and the midpoints between them, and the bits where float16's subnormals round."""
        precision, least = {"float8_e4m3fn": (3, -9), "float8_e5m2": (2, -16)}[destination]
        source = random.Random(seed)
        bits = inputs.special_bits(exact.FLOAT32)
        while len(bits) < count:
            exponent = source.randint(least - 3, 16)
            number = Fraction(source.randint(0, 2 << precision + 1), 1 << precision + 1) * exact.power_of_two(exponent)
            if source.random() < 0.2:
                number = (2 - exact.power_of_two(-source.randint(10, 13))) * exact.power_of_two(exponent)
            number = -number if source.random() < 0.5 else number
            usable = scale.is_finite and scale.rational and shift.is_finite
            target = (number + shift.rational) / scale.rational if usable else number
            bits += inputs.neighbourhood(exact.FLOAT32, target)
        source.shuffle(bits)
        return bits[: len(bits) // 24 * 24]

    def one(scale: float, shift: float, destination: str) -> ParameterSet:
        name = f"{formula}-{destination}-{scale!r}-{shift!r}"

        def build() -> Case:
            parameters = {"scale": scalar(scale, "float32"), "shift": scalar(shift, "float32")}
            values = [given.elements()[0] for given in parameters.values()]
            x = from_bits(chosen(*values, destination, seed_of(name), 1024), "float32")
            if shows_sign_of_nan(formula, destination):
                x = numbers_only(x)
            return Case(formula, {"x": x}, parameters | {"destination_type": destination})

        return ParameterSet(name, build)

    def channels(scales: list[float], shifts: list[float], destination: str) -> ParameterSet:
        name = f"{formula}-{destination}-{scales}-{shifts}"

        def build() -> Case:
            parameters = {"scale": vector(scales, "float32"), "shift": vector(shifts, "float32")}
            pairs = zip(*(given.elements() for given in parameters.values()), strict=True)
            slices = [chosen(*pair, destination, seed_of(name) + index, 480) for index, pair in enumerate(pairs)]
            count = min(len(bits) for bits in slices) // 24 * 24
            x = dealt("float32", (6, 3, count // 6), slices, lambda position: position[1])
            if shows_sign_of_nan(formula, destination):
                x = numbers_only(x)
            shaped_parameters = {key: Tensor(given.array.reshape(1, 3, 1), "float32") for key, given in parameters.items()}
            return Case(formula, {"x": x}, shaped_parameters | {"destination_type": destination})

        return ParameterSet(name, build)

    for destination in ("float8_e4m3fn", "float8_e5m2"):
        for pair in CONVERSIONS:
            if not shows_sign_of_nan(formula, destination) or 0 < abs(pair[0]) < INF:
                yield one(*pair, destination)
        for pair in CONVERTED_CHANNELS:
            yield channels(*pair, destination)


# ------------ the PyTorch front end


def translation_sets() -> Iterator[ParameterSet]:
    ranges = [(0, 255), (-128, 127), (0, 15), (-7, 7), (0, 65535), (5, 5)]
    for operator, kind in (("", "int32"), ("", "float32"), ("learnable_", "float32")):
        formula = f"openvino.translate_fake_quantize_{operator}per_channel_affine"
        for index, (lowest, highest) in enumerate(ranges):
            name = f"{formula}-{kind}-{lowest}-{highest}"

            def build(name=name, formula=formula, kind=kind, operator=operator, lowest=lowest, highest=highest, index=index) -> Case:
                source = random.Random(seed_of(name))
                scales = [0.1, -0.7, 0.0, -0.0, INF, NAN, 1e-40, 2.0**-149, -1e-39, 3e38]
                scales += [source.uniform(-2, 2) * 10 ** source.uniform(-40, 30) for _ in range(1190)]
                if kind == "int32":
                    shifts = tensor([source.randint(lowest, highest) for _ in scales], "int32", (len(scales),))
                else:
                    numbers = [1.4, 2.5, 3.5, -0.5, -3.0, 400.0, 1e10, -0.0] + [source.uniform(lowest - 9, highest + 9) for _ in scales]
                    shifts = vector(numbers[: len(scales)], "float32")
                rank = 1 + index % 4
                settings = {"scale": vector(scales, "float32"), "zero_point": shifts, "axis": index % rank, "rank": rank}
                settings |= {"quant_min": lowest, "quant_max": highest}
                if operator:
                    settings["grad_factor"] = 1
                return Case(formula, {}, settings)

            yield ParameterSet(name, build)


# ------------ torch's operators, brought across


CROSSINGS = [  # scale, zero point, range: the first have whole zero points inside the range
    ([0.005, 0.7, 0.1], [0.0, 0.0, 3.0], (0, 255)),
    ([1.5, -0.7, -0.1], [1.0, 0.0, -1.0], (-128, 127)),
    ([0.5, 0.25, 3.0], [1.0, 3.0, 15.0], (0, 15)),
    ([0.3, 1e-40, 7e-39], [0.0, 1.0, -2.0], (-7, 7)),
    ([0.5, 0.25, 0.1], [1.4, 2.6, 0.5], (0, 255)),
    ([0.5, 0.25, -1.0], [-3.0, 400.0, 7.5], (0, 255)),
]


def crossing_sets() -> Iterator[ParameterSet]:
    modes = (("snippets", "no"), ("snippets", "yes"), ("jit", "no"))
    ways = [("openvino", {})] + [("openvino_cpu", {"node": node, "lp_transforms_mode": mode}) for node, mode in modes]
    for operator, (dialect, plugin) in itertools.product(("", "learnable_"), ways):
        for scales, shifts, limits in CROSSINGS:
            formula = f"{dialect}.fake_quantize_{operator}per_channel_affine"
            name = f"{formula}-{scales}-{shifts}-{limits}-{'-'.join(plugin.values())}"

            def build(name=name, formula=formula, operator=operator, plugin=plugin, scales=scales, shifts=shifts, limits=limits) -> Case:
                scale, zero_point = vector(scales, "float32"), vector(shifts, "float32")
                slices = []
                for channel, (one_scale, one_shift) in enumerate(zip(scale.elements(), zero_point.elements(), strict=True)):
                    grid = one_shift.rational if operator == "" else max(min(round(one_shift.rational), limits[1]), limits[0])
                    slices.append(inputs.quantizer_inputs(FORMATS["float32"], one_scale, grid, *limits, seed_of(name) + channel, 600))
                count = min(len(bits) for bits in slices) // 24 * 24
                x = dealt("float32", (6, 3, count // 6), slices, lambda position: position[1])
                settings = {"scale": scale, "zero_point": zero_point, "axis": 1, "quant_min": limits[0], "quant_max": limits[1]}
                return Case(formula, {"x": x}, settings | plugin)

            yield ParameterSet(name, build)


def all_sets() -> Iterator[ParameterSet]:
    yield from fake_quantize_sets()
    yield from quantize_linear_sets()
    yield from dequantize_linear_sets()
    for formula in ("openvino.FakeConvert", "openvino_cpu.FakeConvert"):
        yield from fake_convert_sets(formula)
    yield from crossing_sets()
    for index, one in enumerate(translation_sets()):
        yield ParameterSet(f"{one.name}-{index}", one.build)
