"""One run of tools/trap/training_and_converted.py on real PyTorch, and the interpreter to hold against what it wrote."""

import fcntl
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = Path(os.environ.get("QASSAY", ROOT / "build" / "qassay")).resolve()
PYTHON = ROOT / ".backends" / "pytorch" / "bin" / "python"
SCRIPT = ROOT / "tools" / "trap" / "training_and_converted.py"


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the script wrote."""
    if not PYTHON.exists():
        pytest.skip("the pytorch backend's environment is not installed: qassay backends --install pytorch")
    shared = tmp_path_factory.getbasetemp()
    # Each worker of pytest-xdist has a folder of its own beside the others'; the run, half a minute long, is for all of them.
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder = shared / "training_and_converted"
    with (shared / "training_and_converted.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "summary.json").exists():
            run = subprocess.run([PYTHON, SCRIPT, "--out", folder], capture_output=True, text=True, timeout=400, check=False)
            assert run.returncode == 0, run.stderr
    return folder


@pytest.fixture(scope="session")
def summary(files: Path) -> dict:
    return json.loads((files / "summary.json").read_text())


def run_program(*arguments: object) -> subprocess.CompletedProcess:
    environment = os.environ | {"QASSAY_ROOT": str(ROOT), "NO_COLOR": "1"}
    return subprocess.run([PROGRAM, *map(str, arguments)], env=environment, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def qassay() -> Callable[..., subprocess.CompletedProcess]:
    return run_program


@pytest.fixture
def evaluate(tmp_path: Path) -> Callable[..., dict[str, np.ndarray]]:
    """evaluate(formula, x, **settings): the interpreter's outputs. A setting that is a path is the tensor in that file."""

    def call(formula: str, x: Path, **settings: object) -> dict[str, np.ndarray]:
        arguments = []
        for name, value in settings.items():
            text = f"@{value}" if isinstance(value, Path) else str(value).lower() if isinstance(value, bool) else str(value)
            arguments += ["--set", f"{name}={text}"]
        out = tmp_path / "outputs"
        run = run_program("eval", formula, "--in", f"x={x}", *arguments, "--out", out)
        assert run.returncode == 0, run.stderr
        return {file.stem: np.load(file) for file in out.iterdir()}

    return call
