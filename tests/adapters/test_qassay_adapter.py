"""The Python adapter helper, driven over its protocol: a mock backend in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parents[1] / "tools" / "backends"))
import qassay_adapter  # noqa: E402

STORED = {  # logical type: (dtype in the file, integer values or bits to send around)
    "bool": (np.bool_, [0, 1, 1]),
    "int2": (np.int8, [-2, 0, 1]),
    "uint2": (np.uint8, [0, 1, 3]),
    "int4": (np.int8, [-8, 0, 7]),
    "uint4": (np.uint8, [0, 8, 15]),
    "int8": (np.int8, [-128, -1, 127]),
    "uint8": (np.uint8, [0, 128, 255]),
    "int16": (np.int16, [-32768, -1, 32767]),
    "uint16": (np.uint16, [0, 32768, 65535]),
    "int32": (np.int32, [-(2**31), -1, 2**31 - 1]),
    "int64": (np.int64, [-(2**63), 2**53 + 1, 2**63 - 1]),
    "uint64": (np.uint64, [0, 2**53 + 1, 2**64 - 1]),
    "float16": (np.float16, [0x3C00, 0x8000, 0x0001, 0x7C00, 0x7E01, 0x7C01, 0xFFFF]),
    "bfloat16": (np.uint16, [0x3F80, 0x8000, 0x0001, 0x7F80, 0x7FC1, 0x7F81, 0xFFFF]),
    "float32": (np.float32, [0x3DCCCCCD, 0x80000000, 0x00000001, 0x7F800000, 0x7FC01234, 0x7F800001, 0xFFFFFFFF]),
    "float64": (
        np.float64,
        [
            0x3FB999999999999A,
            1 << 63,
            1,
            0x7FF0000000000000,
            0x7FF8000000001234,
            0x7FF0000000000001,
            0xFFFFFFFFFFFFFFFF,
        ],
    ),
    "float8_e4m3fn": (np.uint8, [0x00, 0x80, 0x38, 0x7E, 0x7F, 0xFF]),
    "float8_e5m2": (np.uint8, [0x00, 0x80, 0x3C, 0x7C, 0x7D, 0x7F]),
    "float8_e4m3fnuz": (np.uint8, [0x00, 0x80, 0x40, 0x7F]),
    "float8_e5m2fnuz": (np.uint8, [0x00, 0x80, 0x40, 0x7F]),
    "float8_e8m0fnu": (np.uint8, [0x00, 0x7F, 0xFF]),
    "float6_e2m3fn": (np.uint8, [0x00, 0x20, 0x3F]),
    "float6_e3m2fn": (np.uint8, [0x00, 0x20, 0x3F]),
    "float4_e2m1fn": (np.uint8, [0x0, 0x8, 0xF]),
}


def stored(type_name, values):
    """The array that a .npy file of this type holds, from integer values or bits."""
    dtype = np.dtype(STORED[type_name][0])
    if dtype.kind == "f":
        return np.array(values, dtype=f"u{dtype.itemsize}").view(dtype)
    return np.array(values, dtype=dtype)


def is_integer(type_name):
    return not type_name.startswith(("float", "bfloat"))


def bits(array):
    return array.tobytes(), array.dtype, array.shape


class Mock:
    """The mock adapter's process and the folder its tensors live in."""

    def __init__(self, folder):
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "mock_adapter.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.hello = json.loads(self.process.stdout.readline())

    def send(self, line):
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def ask(self, formula, x, type_name, names=("y",), parameters=None, **changes):
        np.save(self.folder / "x.npy", x)
        description = {"type": type_name, "shape": list(x.shape)}
        request = {
            "case": f"{formula}/ü[1]",
            "formula": formula,
            "inputs": {"x": {**description, "path": str(self.folder / "x.npy")}},
            "parameters": parameters or {},
            "outputs": {name: {**description, "path": str(self.folder / f"{name}.npy")} for name in names},
        }
        request.update(changes)
        answer = self.send(json.dumps(request).encode())
        assert answer.pop("case") == request["case"]
        return answer

    def written(self, name="y"):
        return np.load(self.folder / f"{name}.npy")

    def files(self):
        return sorted(path.name for path in self.folder.iterdir() if path.name != "x.npy")

    def finish(self):
        _, errors = self.process.communicate(timeout=60)
        return self.process.returncode, errors.decode()


@pytest.fixture
def mock(tmp_path):
    started = Mock(tmp_path)
    yield started
    if started.process.poll() is None:
        started.process.kill()
        started.process.communicate()


SOME = np.array([1, 2, 3], np.int32)


def test_hello(mock):
    formulas = mock.hello.pop("formulas")
    assert mock.hello == {"protocol": 1, "backend": "mock", "version": "1.0", "packages": {"numpy": np.__version__}}
    assert formulas == sorted(formulas)
    assert "mock.echo_input" in formulas and "mock.same_function" in formulas


@pytest.mark.parametrize("type_name", STORED)
def test_tensors_keep_their_bits(mock, type_name):
    x = stored(type_name, STORED[type_name][1])
    for shape in [x.shape, (1, x.size, 1)]:
        assert mock.ask("mock.echo_input", x.reshape(shape), type_name) == {"status": "done"}
        assert bits(mock.written()) == bits(x.reshape(shape))
    for index in range(x.size):
        scalar = x[index : index + 1].reshape(())
        assert mock.ask("mock.echo_input", scalar, type_name) == {"status": "done"}
        assert bits(mock.written()) == bits(scalar)
    assert mock.ask("mock.echo_input", x[:0].reshape(0, 3), type_name) == {"status": "done"}
    assert bits(mock.written()) == bits(x[:0].reshape(0, 3))


@pytest.mark.parametrize("type_name", STORED)
def test_parameters_keep_their_bits(mock, type_name):
    values = STORED[type_name][1]
    x = stored(type_name, values)
    sent = values if is_integer(type_name) else [f"0x{value:x}" for value in values]
    for shape in [[x.size], [x.size, 1]]:
        parameters = {"p": {"type": type_name, "shape": shape, "values": sent}}
        assert mock.ask("mock.echo_parameter", x.reshape(shape), type_name, parameters=parameters) == {"status": "done"}
        assert bits(mock.written()) == bits(x.reshape(shape))
    parameters = {"p": {"type": type_name, "shape": [], "values": sent[-1:]}}
    assert mock.ask("mock.echo_parameter", x[-1:].reshape(()), type_name, parameters=parameters) == {"status": "done"}
    assert bits(mock.written()) == bits(x[-1:].reshape(()))


def test_fortran_order_is_written_in_c_order(mock):
    x = np.arange(6, dtype=np.int32).reshape(2, 3)
    assert mock.ask("mock.strided", x, "int32") == {"status": "done"}
    assert bits(mock.written()) == bits(x)
    assert not np.isfortran(mock.written())


def test_a_function_sees_types_and_plain_values(mock):
    x = np.array([1, -1], np.int8)
    answer = mock.ask("mock.describe", x, "int4", parameters={"p": True})
    assert answer == {"status": "unsupported", "why": "int8 int4 True mock.describe int4 (2,) nothing"}


@pytest.mark.parametrize(
    "value",
    [
        {"type": "int4", "shape": [], "values": [8]},
        {"type": "uint8", "shape": [], "values": [-1]},
        {"type": "uint8", "shape": [1], "values": [256]},
        {"type": "float16", "shape": [], "values": ["0x10000"]},
    ],
)
def test_a_parameter_that_its_type_cannot_hold_is_an_error(mock, value):
    answer = mock.ask("mock.echo_input", SOME, "int32", parameters={"p": value})
    assert answer["status"] == "error" and answer["why"].startswith("OverflowError: ")


@pytest.mark.parametrize("value", [{"type": "int8", "shape": [2], "values": [1]}, {"type": "int9", "shape": [], "values": [1]}])
def test_a_malformed_parameter_is_an_error(mock, value):
    answer = mock.ask("mock.echo_input", SOME, "int32", parameters={"p": value})
    assert answer["status"] == "error" and answer["why"].startswith("ValueError: ")


@pytest.mark.parametrize(
    "formula, answer",
    [
        ("mock.unsupported", {"status": "unsupported", "why": "no kernel"}),
        ("mock.raise", {"status": "error", "why": "RuntimeError: first line"}),
        (
            "mock.attribute",
            {"status": "error", "why": "AttributeError: mock.attribute has no input or parameter 'no_such_parameter'"},
        ),
        ("mock.not_claimed", {"status": "unsupported", "why": "mock does not claim mock.not_claimed"}),
        ("mock.too_few", {"status": "error", "why": "ValueError: outputs ['y'] were asked for, [] were returned"}),
        (
            "mock.too_many",
            {"status": "error", "why": "ValueError: outputs ['y'] were asked for, ['y', 'z'] were returned"},
        ),
        ("mock.other_type", {"status": "error", "why": "TypeError: output y: int32 was asked for, int64 was returned"}),
        (
            "mock.other_shape",
            {"status": "error", "why": "ValueError: output y: shape [3] was asked for, [3, 1] was returned"},
        ),
        ("mock.list", {"status": "error", "why": "TypeError: output y: a NumPy array was expected, not list"}),
    ],
)
def test_failures_are_answers_and_leave_no_file(mock, formula, answer):
    assert mock.ask(formula, SOME, "int32") == answer
    assert mock.files() == []
    assert mock.ask("mock.echo_input", SOME, "int32") == {"status": "done"}


def test_a_value_outside_a_narrow_type_is_an_error(mock):
    answer = mock.ask("mock.out_of_range", np.array([1], np.uint8), "uint4")
    assert answer == {"status": "error", "why": "ValueError: output y: values outside uint4 [0, 15]"}


def test_outputs_appear_together_or_not_at_all(mock):
    answer = mock.ask("mock.second_is_wrong", SOME, "int32", names=("y", "z"))
    assert answer["status"] == "error"
    assert mock.files() == []


def test_no_unfinished_file_is_left_behind(mock):
    assert mock.ask("mock.echo_input", SOME, "int32") == {"status": "done"}
    assert mock.files() == ["y.npy"]
    mock.folder.joinpath("z.npy").mkdir()
    answer = mock.ask(
        "mock.echo_input",
        SOME,
        "int32",
        outputs={"y": {"type": "int32", "shape": [3], "path": str(mock.folder / "z.npy")}},
    )
    assert answer["status"] == "error"
    assert mock.files() == ["y.npy", "z.npy"]


def test_a_missing_input_is_an_error(mock):
    answer = mock.ask(
        "mock.echo_input",
        SOME,
        "int32",
        inputs={"x": {"type": "int32", "shape": [3], "path": str(mock.folder / "absent.npy")}},
    )
    assert answer["status"] == "error" and answer["why"].startswith("FileNotFoundError: ")


def test_an_input_of_another_type_or_shape_is_an_error(mock):
    for description in [{"type": "int8", "shape": [3]}, {"type": "int32", "shape": [1, 3]}]:
        answer = mock.ask("mock.echo_input", SOME, "int32", inputs={"x": {**description, "path": str(mock.folder / "x.npy")}})
        assert answer["status"] == "error" and answer["why"].startswith("ValueError: ")


def test_what_a_library_prints_stays_out_of_the_protocol(mock):
    for _ in range(2):
        assert mock.ask("mock.noise", SOME, "int32") == {"status": "done"}
    code, errors = mock.finish()
    assert code == 0
    for source in ["Python", "native code", "a child"]:
        assert errors.count(f"noise from {source}") == 2


def test_a_line_that_is_no_request_is_an_error_without_a_case(mock):
    for line in [b"nonsense", b"[]", b"{}"]:
        answer = mock.send(line)
        assert answer["case"] is None and answer["status"] == "error"
    assert mock.ask("mock.echo_input", SOME, "int32") == {"status": "done"}


def test_the_end_of_input_is_a_clean_exit(mock):
    assert mock.ask("mock.echo_input", SOME, "int32") == {"status": "done"}
    assert mock.finish() == (0, "")


def test_an_id_cannot_be_claimed_twice(tmp_path):
    program = tmp_path / "twice.py"
    program.write_text(
        f"import sys\nsys.path.append({str(HERE.parents[1] / 'tools' / 'backends')!r})\n"
        "from qassay_adapter import Adapter\nadapter = Adapter('twice', version='1')\n"
        "adapter.formula('a.B')(len)\nadapter.formula('a.C', 'a.B')(len)\n"
    )
    result = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=False)
    assert result.returncode == 1 and result.stdout == ""
    assert "ValueError: a.B is claimed twice" in result.stderr


def test_bfloat16_is_an_ml_dtypes_array():
    array = qassay_adapter.decode_tensor({"type": "bfloat16", "shape": [1], "values": ["0x3fc0"]})
    assert array.dtype == ml_dtypes.bfloat16 and float(array[0]) == 1.5


def test_without_such_a_tensor_ml_dtypes_is_not_imported():
    program = (
        f"import sys; sys.path.append({str(HERE.parents[1] / 'tools' / 'backends')!r}); import qassay_adapter as q; "
        "q.decode_tensor({'type': 'float16', 'shape': [], 'values': ['0x3c00']}); print('ml_dtypes' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "False\n"
