"""The program under test and a folder with the files that examples name."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = Path(os.environ.get("QASSAY", ROOT / "build" / "qassay")).resolve()


class Run:
    """Runs the program in a folder, as a person would."""

    def __init__(self, folder: Path):
        self.folder = folder

    def __call__(self, *arguments: object, **environment: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [PROGRAM, *map(str, arguments)],
            cwd=self.folder,
            env=os.environ | {"QASSAY_ROOT": str(ROOT), "NO_COLOR": "1"} | environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """The program in an empty folder with x.npy (float32), codes.npy (int8) and scales.npy (one per row of x)."""
    np.save(tmp_path / "x.npy", np.array([[1.55, 0.25, -0.75], [3.0, -0.05, 100.0]], np.float32))
    np.save(tmp_path / "codes.npy", np.array([[-8, 0, 7], [1, 2, 3]], np.int8))
    np.save(tmp_path / "scales.npy", np.array([0.1, 0.5], np.float32))
    return Run(tmp_path)
