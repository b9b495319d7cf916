"""Parameter sets of pytorch: ranges, observers, and the operator that observes and quantizes at once."""

from __future__ import annotations

import random
from collections.abc import Iterator

import inputs
import numpy as np
from evaluate import Case, Tensor, evaluate, from_bits, scalar, tensor, vector
from sets import INF, NAN, ParameterSet, seed_of

# ------------ ChooseQuantizationParams

RANGES = [(0, 255), (-128, 127), (-127, 127), (0, 127), (-8, 7), (-7, 7), (0, 15), (-3, 3), (-1, 1), (-32768, 32767), (0, 65535)]
END_PAIRS = [
    (-1.0, 1.0), (0.0, 0.0), (-0.0, -0.0), (0.0, 1.0), (-1.0, 0.0), (0.5, 2.0), (-2.0, -0.5), (5.5, 5.5), (-0.1, -0.1),
    (-128.0, 127.0), (-127.0, 128.0), (-1e-45, 1e-45), (0.0, 1e-40), (-1e-40, 0.0), (-1e-38, 2e-38), (0.0, 1e-36),
    (-0.01, 0.005), (0.0, 0.015554), (0.0, 0.0155550005), (-0.015555, 0.0), (-1e-3, 1e-4), (-3e38, 3e38), (-3.4e38, 1.0),
    (-1.0, INF), (-INF, 1.0), (-INF, INF), (0.0, INF), (-INF, 0.0), (INF, INF), (-0.3, 0.30000001), (-6.1e-5, 6.1e-5),
]  # fmt: skip
ODD_PAIRS = [(NAN, 1.0), (-1.0, NAN), (NAN, NAN), (INF, -INF), (3.0, -2.0), (1.0, 0.5)]  # ATen refuses these


def end_pairs(seed: int, count: int, width: int, more: list[tuple[float, float]]) -> tuple[Tensor, Tensor]:
    """Ends of ranges of every magnitude: two-sided, one-sided, nearly symmetric, of equal ends; and such that the zero
    point is a tie between two codes, so that every rounding on the way to it shows."""
    source = random.Random(seed)
    pairs = END_PAIRS + more
    for _ in range(count // 3):
        below = 2 * source.randrange(width) + 1
        unit = source.random() * 2.0 ** source.choice((-20, -18, -16, -3, 0, 5)) / width
        pairs.append((-below * unit, (2 * width - below) * unit))
    while len(pairs) < count:
        size = 10 ** source.uniform(-9, 9) if source.random() < 0.8 else 10 ** source.uniform(-44, 38)
        low, high = sorted((source.uniform(-size, size), source.uniform(-size, size) * source.random()))
        pairs.append(source.choice([(low, high), (low, high), (-abs(high), abs(high)), (0.0, abs(high)), (-abs(low), 0.0)]))
    return tuple(vector([pair[index] for pair in pairs], "float32") for index in (0, 1))


def choose_sets() -> Iterator[ParameterSet]:
    for formula in ("pytorch.ChooseQuantizationParams", "pytorch.choose_quantization_params_dynamic"):
        dynamic = formula.endswith("dynamic")
        more = [] if dynamic else ODD_PAIRS
        ranges = RANGES if dynamic else [*RANGES, (0, 1), (-(1 << 30), (1 << 30) - 1)]
        for index, (qmin, qmax) in enumerate(ranges):
            for symmetric in (False, True):
                words = {"preserve_sparsity": symmetric} if symmetric or index % 2 else {}
                if dynamic and index % 3 == 1 and qmin // 2 < qmax // 2:
                    words["reduce_range"] = True
                name = f"{formula}-{qmin}-{qmax}-{symmetric}-{index}"

                def build(formula=formula, name=name, qmin=qmin, qmax=qmax, words=words, more=more) -> Case:
                    least, greatest = end_pairs(seed_of(name), 300, qmax - qmin, more)
                    return Case(formula, {}, {"min": least, "max": greatest, "qmin": qmin, "qmax": qmax} | words)

                yield ParameterSet(name, build)
        for low, high in END_PAIRS[::6]:
            name = f"{formula}-scalars-{low!r}-{high!r}"

            def build(formula=formula, low=low, high=high) -> Case:
                ends = {"min": scalar(low, "float32"), "max": scalar(high, "float32")}
                return Case(formula, {}, ends | {"qmin": 0, "qmax": 255})

            yield ParameterSet(name, build)


# ------------ fused_moving_avg_obs_fake_quant

FUSED = "pytorch.fused_moving_avg_obs_fake_quant"
FUSED_RANGES = [(-128, 127), (0, 255), (-127, 127), (-8, 7), (-7, 7), (0, 15)]
CONSTANTS = [0.01, 1.0, 0.1, 0.3333333, 0.0]


def fused_per_tensor_sets() -> Iterator[ParameterSet]:
    for index, batch in enumerate(inputs.batches(1, 0)):
        for symmetric in (False, True):
            settings = {}
            settings["quant_min"], settings["quant_max"] = FUSED_RANGES[(index + 3 * symmetric) % len(FUSED_RANGES)]
            settings |= {"symmetric_quant": True} if symmetric else {}
            name = f"{FUSED}-{batch}-{symmetric}"

            def build(name=name, batch=batch, settings=settings, index=index) -> Case:
                x = from_bits(inputs.batches(160, seed_of(name))[batch], "float32", (8, 20))
                state = {}
                if index % 2:  # a range seen before
                    state = {"running_min": scalar(-1.7, "float32"), "running_max": scalar(0.9, "float32")}
                    state["averaging_const"] = scalar(CONSTANTS[index // 2 % len(CONSTANTS)], "float64")
                return Case(FUSED, {"x": x}, settings | state)

            yield ParameterSet(name, build)


def fused_flag_sets() -> Iterator[ParameterSet]:
    """Everything that may be switched off, and states of which one end or both are infinite or NaN."""
    states = [(INF, -INF), (-1.0, 3.0), (-2.0, -INF), (INF, 0.5), (-INF, INF), (0.25, 0.5), (-1e-7, 2e-7), (NAN, 1.0)]
    for index, (low, high) in enumerate(states):
        for observe in (True, False):
            for quantize in (True, False):
                for rows in (False, True):
                    if rows and quantize and ((not observe and index in (4, 7)) or index == 7):
                        continue  # refused: the zero point is not in the range
                    name = f"{FUSED}-{low!r}-{high!r}-{observe}-{quantize}-rows={rows}"

                    def build(name=name, low=low, high=high, observe=observe, quantize=quantize, rows=rows) -> Case:
                        x = from_bits(inputs.batches(60, seed_of(name))["two-sided"], "float32", (3, 20))
                        spread = [1.0, 0.5, 2.0] if rows else []
                        make = (lambda one: vector([one * k for k in spread], "float32")) if rows else (lambda one: scalar(one, "float32"))
                        settings = {"observer_on": observe, "fake_quant_on": quantize, "quant_min": -128, "quant_max": 127}
                        settings |= {"running_min": make(low), "running_max": make(high)}
                        settings |= {"scale": make(0.3), "zero_point": tensor([5, -7, 0], "int32", (3,)) if rows else 5}
                        if rows:
                            settings |= {"ch_axis": 0, "per_row_fake_quant": True}
                        return Case(FUSED, {"x": x}, settings)

                    yield ParameterSet(name, build)


def fused_per_row_sets() -> Iterator[ParameterSet]:
    """A row for each kind of batch, without those whose zero point is refused."""
    for index, (quant_min, quant_max) in enumerate(FUSED_RANGES):
        for symmetric in (False, True):
            name = f"{FUSED}-rows-{quant_min}-{quant_max}-{symmetric}"

            def build(name=name, quant_min=quant_min, quant_max=quant_max, symmetric=symmetric, index=index) -> Case:
                rows = rows_of_batches(24, seed_of(name), finite=True)
                shape = (len(rows), 24) if index % 2 else (len(rows), 2, 3, 4)
                x = from_bits([bits for row in rows for bits in row], "float32", shape)
                settings = {"quant_min": quant_min, "quant_max": quant_max, "ch_axis": 0}
                settings |= {"per_row_fake_quant": True, "symmetric_quant": symmetric}
                if index % 3 == 1:
                    low = [-(0.37**row) for row in range(len(rows))]
                    high = [0.45**row for row in range(len(rows))]
                    settings |= {"running_min": vector(low, "float32"), "running_max": vector(high, "float32")}
                return Case(FUSED, {"x": x}, settings)

            yield ParameterSet(name, build)


def rows_of_batches(count: int, seed: int, finite: bool) -> list[list[int]]:
    return [bits for name, bits in inputs.batches(count, seed).items() if not (finite and name in inputs.INFINITE_BATCHES)]


def fused_sequences() -> Iterator[ParameterSet]:
    """Three batches, the state of each taken from the one before."""
    for index, constant in enumerate(CONSTANTS):
        for rows in (False, True):
            settings = {"quant_min": -128, "quant_max": 127, "averaging_const": scalar(constant, "float64")}
            if rows:
                settings |= {"ch_axis": 0, "per_row_fake_quant": True, "symmetric_quant": True}
            for step in range(3):
                name = f"{FUSED}-sequence-{constant}-rows={rows}-step={step}"

                def build(settings=settings, step=step, index=index) -> Case:
                    state = {}
                    for number in range(step + 1):
                        bits = inputs.batches(60, 10 * index + number)["two-sided"]
                        case = Case(FUSED, {"x": from_bits(bits, "float32", (3, 20))}, settings | state)
                        outputs = evaluate(case)
                        state = {key: outputs[key].tensor for key in ("running_min", "running_max", "scale", "zero_point")}
                    return case

                yield ParameterSet(name, build)


# ------------ observers

CONFIGURATIONS = [
    {"dtype": "uint8"},
    {"dtype": "int8"},
    {"dtype": "int8", "quant_min": -127, "quant_max": 127},
    {"dtype": "int8", "reduce_range": True},
    {"dtype": "uint8", "quant_min": 0, "quant_max": 127},
    {"dtype": "int32"},
    {"dtype": "int16"},
    {"dtype": "uint16"},
    {"dtype": "int8", "quant_min": -8, "quant_max": 7},
    {"dtype": "uint8", "quant_min": 0, "quant_max": 15},
    {"dtype": "int8", "quant_min": -7, "quant_max": 7, "reduce_range": True},
    {"dtype": "uint8", "quant_min": 0, "quant_max": 254, "reduce_range": True},
    {"dtype": "quint8"},
    {"dtype": "qint8", "quant_min": -100},
    {"dtype": "qint32"},
    {"dtype": "quint8", "quant_min": 0, "quant_max": 255, "reduce_range": False},
    {"dtype": "int16", "quant_min": -1000, "quant_max": 3000},
    {"dtype": "int32", "quant_min": 0, "quant_max": (1 << 31) - 1},
]
EPSILONS = [None, 2.0**-12, 1e-30, 0.01]


def configuration(index: int, qscheme: str) -> dict:
    settings = CONFIGURATIONS[index % len(CONFIGURATIONS)] | {"qscheme": qscheme}
    epsilon = EPSILONS[index % len(EPSILONS)]
    return settings if epsilon is None else settings | {"eps": scalar(epsilon, "float32")}


def per_tensor_observer_sets(observer: str) -> Iterator[ParameterSet]:
    formula = f"pytorch.{observer}"
    moving = observer.startswith("Moving")
    for index, batch in enumerate(inputs.batches(1, 0)):
        for shift, qscheme in ((0, "per_tensor_affine"), (5, "per_tensor_symmetric"), (11, "per_tensor_affine")):
            settings = configuration(index + shift, qscheme)
            name = f"{formula}-{batch}-{qscheme}-{shift}"

            def build(name=name, batch=batch, settings=settings, number=index + shift) -> Case:
                x = from_bits(inputs.batches(96, seed_of(name))[batch], "float32", (4, 24))
                state = {}
                if number % 3:
                    low, high = [(-0.3, 0.7), (0.125, 1e3), (-1e-6, 0.0), (-5.0, -1.0), (-INF, 2.0)][number % 5]
                    state = {"min_val": scalar(low, "float32"), "max_val": scalar(high, "float32")}
                    if moving:
                        constant = CONSTANTS[number // 3 % len(CONSTANTS)]
                        if batch.startswith("one-") and constant == 1:
                            constant = 0.1  # else rounding may put the least above the greatest, which is refused
                        state["averaging_const"] = scalar(constant, "float64")
                return Case(formula, {"x": x}, settings | state)

            yield ParameterSet(name, build)

    def reduced() -> Case:
        """The zero point is not in the reduced range. With the quantized type quint8 this is refused."""
        x = from_bits(inputs.batches(48, 5)["two-sided"], "float32", (48,))
        return Case(formula, {"x": x}, {"dtype": "uint8", "qscheme": "per_tensor_symmetric", "reduce_range": True})

    yield ParameterSet(f"{formula}-uint8-symmetric-reduced", reduced)
    for name, state in (("nothing-seen", (INF, -INF)), ("seen", (-1.0, 2.0)), ("nan-seen", (NAN, NAN))):

        def build(state=state, name=name) -> Case:
            shape = (2, 2) if name == "nan-seen" else (0,)
            x = tensor([], "float32", shape) if shape == (0,) else Tensor(np.ones(shape, np.float32), "float32")
            ends = {"min_val": scalar(state[0], "float32"), "max_val": scalar(state[1], "float32")}
            return Case(formula, {"x": x}, configuration(1, "per_tensor_affine") | ends)

        yield ParameterSet(f"{formula}-{name}", build)
    yield from observer_sequence(formula, configuration(1, "per_tensor_affine"), moving)


def per_channel_observer_sets(observer: str) -> Iterator[ParameterSet]:
    """A channel for each kind of batch."""
    formula = f"pytorch.{observer}"
    moving = observer.startswith("Moving")
    schemes = ["per_channel_affine", "per_channel_symmetric", "per_channel_affine_float_qparams"]
    for index in range(len(CONFIGURATIONS)):
        for number in (index, index + 1):
            qscheme = schemes[number % 3]
            settings = configuration(index, qscheme)
            axis = (0, 1, 2, -1)[index % 4]
            name = f"{formula}-{index}-{qscheme}"

            def build(name=name, settings=settings, axis=axis, index=index, number=number) -> Case:
                rows = rows_of_batches(24, seed_of(name), finite=False)
                array = np.moveaxis(np.array(rows, np.uint32).reshape(-1, 4, 6), 0, axis)
                x = Tensor(np.ascontiguousarray(array).view(np.float32), "float32")
                state = {} if axis == 0 and index % 3 == 0 else {"ch_axis": axis}
                if number % 2:
                    low = [-0.7 * 0.6**row + 0.01 for row in range(len(rows))]
                    high = [0.4 * 0.7**row + 0.01 for row in range(len(rows))]
                    state |= {"min_val": vector(low, "float32"), "max_val": vector(high, "float32")}
                if moving and index % 2:
                    state["averaging_const"] = scalar(CONSTANTS[index // 2 % len(CONSTANTS)], "float64")
                return Case(formula, {"x": x}, settings | state)

            yield ParameterSet(name, build)

    def started_with_infinities() -> Case:
        """A state, not the lack of one: the average of the moving observer is NaN."""
        x = from_bits(inputs.batches(48, 7)["two-sided"], "float32", (3, 16))
        state = {"min_val": vector([INF] * 3, "float32"), "max_val": vector([-INF] * 3, "float32")}
        return Case(formula, {"x": x}, configuration(0, "per_channel_affine") | state)

    yield ParameterSet(f"{formula}-state-of-infinities", started_with_infinities)
    yield from observer_sequence(formula, configuration(1, "per_channel_symmetric"), moving)


def observer_sequence(formula: str, settings: dict, moving: bool) -> Iterator[ParameterSet]:
    """Four batches, the state of each taken from the one before."""
    for constant in CONSTANTS if moving else CONSTANTS[:1]:
        more = {"averaging_const": scalar(constant, "float64")} if moving else {}
        for step in range(4):

            def build(step=step, more=more) -> Case:
                state = {}
                for number in range(step + 1):
                    bits = inputs.batches(60, seed_of(formula) + number)["two-sided"]
                    case = Case(formula, {"x": from_bits(bits, "float32", (3, 20))}, settings | more | state)
                    outputs = evaluate(case)
                    state = {key: outputs[key].tensor for key in ("min_val", "max_val")}
                return case

            yield ParameterSet(f"{formula}-sequence-{constant}-step={step}", build)


def all_sets() -> Iterator[ParameterSet]:
    yield from choose_sets()
    yield from fused_per_tensor_sets()
    yield from fused_flag_sets()
    yield from fused_per_row_sets()
    yield from fused_sequences()
    for observer in ("MinMaxObserver", "MovingAverageMinMaxObserver"):
        yield from per_tensor_observer_sets(observer)
    for observer in ("PerChannelMinMaxObserver", "MovingAveragePerChannelMinMaxObserver"):
        yield from per_channel_observer_sets(observer)
