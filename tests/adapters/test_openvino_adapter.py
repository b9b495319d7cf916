"""The OpenVINO adapter over its protocol, in every configuration. Skipped where its environment is not installed."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".backends" / "openvino" / "bin" / "python"
CONFIGURATIONS = ["openvino", "openvino_default", "openvino_lpt_off", "openvino_jit", "openvino_reference"]
pytestmark = pytest.mark.skipif(not PYTHON.exists(), reason="no environment in .backends/openvino")
NUMPY = {"bfloat16": np.uint16, "int4": np.int8, "uint4": np.uint8}
BITS = {2: np.uint16, 4: np.uint32}


def described(value):
    """A parameter as a request carries it: an array with its type, anything else as it is."""
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.kind == "f":
        values = [hex(bits) for bits in value.reshape(-1).view(BITS[value.dtype.itemsize]).tolist()]
    else:
        values = value.reshape(-1).tolist()
    return {"type": value.dtype.name, "shape": list(value.shape), "values": values}


class Backend:
    """One configuration's process and the folder its tensors live in."""

    def __init__(self, name, folder):
        self.name, self.folder = name, folder
        self.process = subprocess.Popen(
            [str(PYTHON), "../openvino/adapter.py", name],
            cwd=ROOT / "tools" / "backends" / "openvino",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.hello = json.loads(self.process.stdout.readline())

    def ask(self, formula, parameters, outputs, x=None, x_type="float32"):
        """The answer; where it is done, the outputs instead. `outputs`: name to (logical type, shape)."""
        inputs = {}
        if x is not None:
            np.save(self.path("x"), x)
            inputs["x"] = {"type": x_type, "shape": list(x.shape), "path": self.path("x")}
        request = {
            "case": "one",
            "formula": formula,
            "inputs": inputs,
            "parameters": {name: described(value) for name, value in parameters.items()},
            "outputs": {
                name: {"type": kind, "shape": list(shape), "path": str(self.folder / f"{name}.npy")}
                for name, (kind, shape) in outputs.items()
            },
        }
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if answer["status"] != "done":
            return answer
        return {name: np.load(self.path(name)) for name in outputs}

    def path(self, name):
        return str(self.folder / f"{name}.npy")

    def finish(self):
        self.process.stdin.close()
        return self.process.wait(timeout=60)


@pytest.fixture(scope="module")
def backends(tmp_path_factory):
    started = {name: Backend(name, tmp_path_factory.mktemp(name)) for name in CONFIGURATIONS} if PYTHON.exists() else {}
    yield started
    for backend in started.values():
        assert backend.finish() == 0


def floats(*values):
    return np.array(values, np.float32)


def from_bits(*bits):
    return np.array(bits, np.uint32).view(np.float32)


def bits_of(answer, name="y"):
    assert name in answer, answer
    return [hex(bits) for bits in answer[name].reshape(-1).view(np.uint32).tolist()]


def bounds(low, high, output_low=None, output_high=None, levels=256):
    ends = [low, high, low if output_low is None else output_low, high if output_high is None else output_high]
    names = ["input_low", "input_high", "output_low", "output_high"]
    return {name: np.asarray(end, np.float32) for name, end in zip(names, ends, strict=True)} | {"levels": levels}


def fake_quantize(backend, x, settings, formula="openvino.FakeQuantize"):
    return backend.ask(formula, settings, {"y": ("float32", x.shape)}, x)


def quantize(backend, x, scale, zero_point, kind, **more):
    settings = {"y_scale": np.asarray(scale, np.float32), "y_zero_point": np.asarray(zero_point, kind), "axis": 1, "block_size": 0}
    settings |= {"output_dtype": kind, "precision": "none", "saturate": True, "opset": 21} | more
    formula = "openvino_cpu.QuantizeLinear" if "node" in more else "onnx.QuantizeLinear"
    answer = backend.ask(formula, settings, {"y": (kind, x.shape)}, x)
    return answer["y"].reshape(-1).tolist() if "y" in answer else answer


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_hello(backends, name):
    hello = backends[name].hello
    assert hello["backend"] == name
    assert {"openvino.FakeQuantize", "openvino_cpu.FakeConvert", "onnx.QuantizeLinear"} <= set(hello["formulas"])


def test_the_same_bounds_in_four_arithmetics(backends):
    """-0.35 to 0.9 in 256 levels: the reference kernels, rewritten bounds, snippets, the older node."""
    x, settings = floats([0.0, 0.5]), bounds(-0.35, 0.9)
    expected = {
        "openvino_reference": ["0xbb008000", "0x3efeff01"],
        "openvino": ["0xbb0080b2", "0x3efefeff"],
        "openvino_default": ["0xbb0080b2", "0x3efefeff"],
        "openvino_lpt_off": ["0xbb008032", "0x3efeff00"],
        "openvino_jit": ["0xbb008032", "0x3efeff00"],
    }
    assert {name: bits_of(fake_quantize(backends[name], x, settings)) for name in CONFIGURATIONS} == expected


def test_nan(backends):
    x, settings = from_bits([0x7FC00000, 0x7FC00000]), bounds(-1, 1)
    for name in ("openvino", "openvino_lpt_off"):
        assert bits_of(fake_quantize(backends[name], x, settings)) == ["0xbf800000"] * 2
    assert bits_of(fake_quantize(backends["openvino_jit"], x, settings)) == ["0x3f800001"] * 2
    assert np.isnan(fake_quantize(backends["openvino_reference"], x, settings)["y"]).all()


def test_inverted_bounds(backends):
    x, settings = floats(0.5, -2, 2), bounds(1, -1)
    for name in CONFIGURATIONS:
        assert bits_of(fake_quantize(backends[name], x, settings)) == ["0x3efefefe", "0x3f800000", "0xbf800000"]
        if name != "openvino_reference":
            assert bits_of(fake_quantize(backends[name], x.reshape(1, 3), settings)) == ["0x3f800000"] * 3


def test_shape_and_rank_are_kept(backends):
    for name in CONFIGURATIONS:
        for shape in [(), (1,), (2, 3), (2, 1, 3, 1)]:
            x = np.full(shape, 0.5, np.float32)
            answer = fake_quantize(backends[name], x, bounds(-1, 1, 0, 255))
            assert "y" in answer and answer["y"].shape == shape and np.isclose(answer["y"], 191).all(), (name, shape, answer)


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_half_precision_keeps_its_type(backends, kind):
    one = {"float16": 0x3C00, "bfloat16": 0x3F80}[kind]
    x = np.array([[one, one | 0x8000, 0]], np.uint16)
    names = ["input_low", "input_high", "output_low", "output_high"]
    words = [hex(one | 0x8000), hex(one), hex(one | 0x8000), hex(one)]
    settings = {name: {"type": kind, "shape": [], "values": [word]} for name, word in zip(names, words, strict=True)} | {"levels": 3}
    stored = x if kind == "bfloat16" else x.view(np.float16)
    for name in CONFIGURATIONS:
        answer = backends[name].ask("openvino.FakeQuantize", settings, {"y": (kind, x.shape)}, stored, kind)
        assert answer["y"].view(np.uint16).tolist() == x.tolist()


def test_a_case_names_its_node_and_mode(backends):
    x, flat = floats([0.0, 0.5]), floats(0.0, 0.5)
    cpu = "openvino_cpu.FakeQuantize"

    def status(name, x, **asked):
        answer = fake_quantize(backends[name], x, bounds(-0.35, 0.9) | asked, cpu)
        return answer.get("why", "done") if "y" not in answer else "done"

    assert status("openvino", x, node="snippets", lp_transforms_mode="yes") == "done"
    assert status("openvino", x, node="snippets", lp_transforms_mode="no") == "this process runs with lp_transforms_mode yes"
    assert status("openvino", x, node="jit", lp_transforms_mode="yes") == "snippets ran, not jit"
    assert status("openvino_lpt_off", x, node="snippets", lp_transforms_mode="no") == "done"
    assert status("openvino_jit", x, node="jit", lp_transforms_mode="no") == "done"
    assert status("openvino_jit", flat, node="jit", lp_transforms_mode="no") == "reference ran, not jit"
    assert status("openvino_jit", flat, node="reference", lp_transforms_mode="no") == "done"
    assert "Model.evaluate" in status("openvino_reference", x, node="jit", lp_transforms_mode="no")


def test_equal_output_bounds_become_a_byte(backends):
    x, settings = floats([0.0, 0.5]), bounds(-1, 1, -1.5, -1.5)
    assert fake_quantize(backends["openvino"], x, settings)["y"].tolist() == [[255, 255]]
    assert fake_quantize(backends["openvino_lpt_off"], x, settings)["y"].tolist() == [[-1.5, -1.5]]
    # No layer is left, so it makes no difference which node is asked for.
    for node in ("snippets", "jit"):
        asked = settings | {"node": node, "lp_transforms_mode": "yes"}
        assert fake_quantize(backends["openvino"], x, asked, "openvino_cpu.FakeQuantize")["y"].tolist() == [[255, 255]]


def test_removed_quantizer_does_not_compile(backends):
    answer = fake_quantize(backends["openvino"], floats(0.0), bounds(-1, 1, levels=65536))
    assert answer["status"] == "unsupported" and "FQ stripping failed" in answer["why"]


def test_quantize_linear(backends):
    """A tie with an odd zero point goes the other way than in ONNX; inputs within an ulp of a tie differ by arithmetic."""
    for name in CONFIGURATIONS:
        assert quantize(backends[name], floats(0.25, 0.75, -0.25, 1.25), 0.5, 1, "uint8") == [2, 2, 0, 4]
    near = from_bits([0xC0AE6667, 0xC08E6667])
    assert quantize(backends["openvino_jit"], near.reshape(-1), 0.1, 128, "uint8") == [73, 84]  # rank 1 runs the reference kernel
    given = {name: quantize(backends[name], near, 0.1, 128, "uint8") for name in CONFIGURATIONS}
    assert given["openvino"] == given["openvino_lpt_off"] == given["openvino_jit"] == [74, 84]
    assert given["openvino_reference"] == [73, 84]
    near = from_bits([0xC1426666, 0xC1326666])
    given = {name: quantize(backends[name], near, 0.1, 0, "int8") for name in CONFIGURATIONS}
    assert given["openvino"] == [-122, -112] and given["openvino_reference"] == [-121, -111]


def test_quantize_linear_names_its_node(backends):
    x = floats([1.0, 2.0])
    assert quantize(backends["openvino"], x, 0.5, 0, "int8", node="snippets", lp_transforms_mode="yes") == [2, 4]
    assert quantize(backends["openvino_jit"], x, 0.5, 0, "int8", node="jit", lp_transforms_mode="no") == [2, 4]
    answer = quantize(backends["openvino_jit"], x, 0.5, 0, "int8", node="snippets", lp_transforms_mode="no")
    assert answer == {"case": "one", "status": "unsupported", "why": "jit ran, not snippets"}


def test_quantize_linear_to_16_bits_without_a_quantizer(backends):
    x = floats(1.5, 70000, -1.5)
    assert quantize(backends["openvino"], x, 1, 0, "uint16") == [1, 4464, 65535]
    assert quantize(backends["openvino_reference"], x, 1, 0, "uint16") == [2, 65535, 0]
    assert quantize(backends["openvino"], x, 1, 0, "uint16", node="snippets", lp_transforms_mode="yes") == [1, 4464, 65535]


def test_four_bits(backends):
    x = floats(-100, -3.4, 0, 2.6, 100)
    for name in CONFIGURATIONS:
        settings = {"y_scale": np.array(1, np.float32), "y_zero_point": {"type": "int4", "shape": [], "values": [-1]}}
        settings |= {"axis": 1, "block_size": 0, "output_dtype": "int4", "precision": "none", "saturate": True, "opset": 21}
        y = backends[name].ask("onnx.QuantizeLinear", settings, {"y": ("int4", x.shape)}, x)["y"]
        assert y.tolist() == [-8, -4, -1, 2, 7]
        settings = {"x_scale": np.array(0.5, np.float32), "x_zero_point": {"type": "int4", "shape": [], "values": [-1]}}
        settings |= {"axis": 1, "block_size": 0, "output_dtype": "float32", "opset": 21}
        back = backends[name].ask("onnx.DequantizeLinear", settings, {"y": ("float32", x.shape)}, y, "int4")["y"]
        assert back.tolist() == [-3.5, -1.5, 0, 1.5, 4]


def test_dequantize_linear_does_not_give_zero_at_its_zero_point(backends):
    x = np.array([[255, 254]], np.uint8)
    settings = {"x_scale": np.array(0.1, np.float32), "x_zero_point": np.array(255, np.uint8)}
    settings |= {"axis": 1, "block_size": 0, "output_dtype": "float32", "opset": 21}
    expected = {
        "openvino": ["0x34cc0000", "0xbdcccc9a"],
        "openvino_lpt_off": ["0x34cc0000", "0xbdcccc9a"],
        "openvino_jit": ["0x0", "0xbdcccd00"],
        "openvino_reference": ["0x0", "0xbdcccccd"],
    }
    for name, bits in expected.items():
        assert bits_of(backends[name].ask("onnx.DequantizeLinear", settings, {"y": ("float32", x.shape)}, x, "uint8")) == bits, name


def test_fake_convert(backends):
    x = floats(float("nan"), 500, -1000, 2**-8 * 0.9)
    settings = {"scale": np.array(1, np.float32), "shift": np.array(0, np.float32), "destination_type": "float8_e4m3fn"}
    outputs = {"y": ("float32", x.shape)}
    assert backends["openvino"].ask("openvino_cpu.FakeConvert", settings, outputs, x)["y"].tolist() == [-448, 448, -448, 2**-8]
    assert backends["openvino_reference"].ask("openvino.FakeConvert", settings, outputs, x)["y"].tolist() == [448, 448, -448, 2**-9]
    answer = backends["openvino_jit"].ask("openvino_cpu.FakeConvert", settings, outputs, x)
    assert answer["status"] == "unsupported" and "reference kernel" in answer["why"]


CASES = {  # of a learnable fake quantize: scale, zero point, axis, range; low and high bits
    "baseline": ([0.005, 0.7], [0, 0], 1, (0, 255), ["0x0", "0x0"], ["0x3fa33333", "0x43328000"]),
    "rounding": ([0.5, 0.25], [1.4, 2.6], 1, (0, 255), ["0xbf000000", "0xbf400000"], ["0x42fe0000", "0x427c0000"]),
    "clamping": ([0.5, 0.25], [-3, 400], 1, (0, 255), ["0x0", "0xc27f0000"], ["0x42ff0000", "0x0"]),
    "signed": (
        [1.5, -0.7, -0.1],
        [1, 0, -1],
        0,
        (-128, 127),
        ["0xc3418000", "0xc2b1cccd", "0xc14ccccd"],
        ["0x433d0000", "0x42b33333", "0x414b3333"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_bounds_of_a_learnable_fake_quantize(backends, name):
    scale, zero_point, axis, limits, low, high = CASES[name]
    settings = {"scale": floats(*scale), "zero_point": floats(*zero_point), "axis": axis, "rank": 2, "grad_factor": 0.5}
    settings |= {"quant_min": limits[0], "quant_max": limits[1]}
    shape = [1, 1]
    shape[axis] = len(scale)
    outputs = {end: ("float32", shape) for end in ("input_low", "input_high", "output_low", "output_high")} | {"levels": ("int64", [])}
    answer = backends["openvino"].ask("openvino.translate_fake_quantize_learnable_per_channel_affine", settings, outputs)
    assert [bits_of(answer, end) for end in outputs if end != "levels"] == [low, high, low, high]
    assert answer["levels"] == 256


def test_bounds_of_a_fake_quantize(backends):
    settings = {
        "scale": floats(0.5, -0.25),
        "zero_point": np.array([1, 3], np.int32),
        "axis": -1,
        "rank": 3,
        "quant_min": 0,
        "quant_max": 15,
    }
    outputs = {end: ("float32", [1, 1, 2]) for end in ("input_low", "input_high", "output_low", "output_high")} | {"levels": ("int64", [])}
    formula = "openvino.translate_fake_quantize_per_channel_affine"
    answer = backends["openvino"].ask(formula, settings, outputs)
    assert answer["input_low"].tolist() == [[[-0.5, -3]]] and answer["output_high"].tolist() == [[[7, 0.75]]]
    answer = backends["openvino"].ask(formula, settings | {"zero_point": np.array([1, 16], np.int32)}, outputs)
    assert answer["status"] == "error" and "zero_point" in answer["why"]


def test_a_torch_module_runs(backends):
    x = floats([-192.75, 0.25], [-5, 5], [1, -1])
    settings = {"scale": floats(1.5, -0.7, -0.1), "zero_point": floats(1, 0, -1), "axis": 0, "quant_min": -128, "quant_max": 127}
    formula = "pytorch.fake_quantize_learnable_per_channel_affine"
    for name in CONFIGURATIONS:
        y = backends[name].ask(formula, settings, {"y": ("float32", x.shape)}, x)["y"]
        assert y[0, 0] == -193.5 and abs(y - x).max() <= 0.751
