"""A mock backend for the helper's tests: every formula is one way in which an adapter's function can behave."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools" / "backends"))
from qassay_adapter import Adapter, Unsupported

adapter = Adapter("mock", version="1.0", packages={"numpy": np.__version__})


@adapter.formula("mock.echo_input", "mock.same_function")
def echo_input(case):
    return {"y": case.x}


@adapter.formula("mock.echo_parameter")
def echo_parameter(case):
    return {"y": case.p}


@adapter.formula("mock.describe")
def describe(case):
    told = (
        f"{case.x.dtype} {case.type_of('x')} {case.p!r} {case.formula} {case.output_type()} {case.output_shape('y')} "
        f"{case.get('absent', 'nothing')}"
    )
    raise Unsupported(told)


@adapter.formula("mock.unsupported")
def unsupported(case):
    raise Unsupported("no kernel\nsecond line")


@adapter.formula("mock.raise")
def fail(case):
    raise RuntimeError("first line\nsecond line")


@adapter.formula("mock.attribute")
def attribute(case):
    return {"y": case.no_such_parameter}


@adapter.formula("mock.noise")
def noise(case):
    print("noise from Python")
    os.write(1, b"noise from native code\n")
    subprocess.run([sys.executable, "-c", "print('noise from a child')"], check=True)
    return {"y": case.x}


@adapter.formula("mock.too_few")
def too_few(case):
    return {}


@adapter.formula("mock.too_many")
def too_many(case):
    return {"y": case.x, "z": case.x}


@adapter.formula("mock.other_type")
def other_type(case):
    return {"y": case.x.astype(np.int64)}


@adapter.formula("mock.other_shape")
def other_shape(case):
    return {"y": case.x.reshape(-1, 1)}


@adapter.formula("mock.out_of_range")
def out_of_range(case):
    return {"y": np.full(case.x.shape, 100, case.x.dtype)}


@adapter.formula("mock.list")
def returns_a_list(case):
    return {"y": case.x.tolist()}


@adapter.formula("mock.second_is_wrong")
def second_is_wrong(case):
    return {"y": case.x, "z": case.x.astype(np.int64)}


@adapter.formula("mock.strided")
def strided(case):
    return {"y": np.asfortranarray(case.x)}


if __name__ == "__main__":
    adapter.run()
