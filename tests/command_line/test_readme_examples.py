"""Every console example in a README prints what it says, and every example in a command's --help runs."""

import json
import re
import shlex
import struct
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, Run

READMES = sorted(
    path for path in ROOT.rglob("README.md") if not any(part.startswith((".", "build")) for part in path.relative_to(ROOT).parts)
)
EXAMPLE = re.compile(r"(?:<!-- example: exit (?P<exit>\d) -->\n)?```console\n(?P<body>.*?)```", re.DOTALL)
COMMANDS = [
    "list",
    "show",
    "eval",
    "check",
    "diff",
    "golden",
    "backends",
    "explain",
    "compare",
    "identity",
    "probes",
    "diagnose",
    "reduce",
    "trap",
]
# Examples that need a backend which the test does not install, or that would change this repository.
NOT_RUN = re.compile(r"--install|golden --write|--backend (?!dialect:|mutant:)")


WEIGHTS = np.array([[0.9, -0.4, 0.1], [-0.9, 0.4, 0.1]], np.float32)


def safetensors(tensors: dict[str, np.ndarray]) -> bytes:
    """A .safetensors file of float32 tensors."""
    header, data = {}, b""
    for name, tensor in tensors.items():
        header[name] = {"dtype": "F32", "shape": tensor.shape, "data_offsets": [len(data), len(data) + tensor.nbytes]}
        data += tensor.tobytes()
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def examples() -> list:
    """A parameter for each console block: the file, the expected exit code, its commands with the lines each should print."""
    found = []
    for readme in READMES:
        for match in EXAMPLE.finditer(readme.read_text()):
            steps: list[tuple[str, list[str]]] = []
            for line in match["body"].splitlines():
                if line.startswith("$ "):
                    steps.append((line[2:], []))
                else:
                    steps[-1][1].append(line)
            name = f"{readme.parent.relative_to(ROOT)}: {steps[0][0][:60]}"
            found.append(pytest.param(int(match["exit"] or 0), steps, id=name))
    return found


def matches(printed: list[str], wanted: list[str]) -> bool:
    """Whether the lines are as wanted; a line of "…" stands for any lines, "…" within a line for any text."""
    if not wanted:
        return not printed
    if wanted[0].strip() == "…":
        return any(matches(printed[skip:], wanted[1:]) for skip in range(len(printed) + 1))
    pattern = ".*".join(re.escape(part) for part in wanted[0].rstrip().split("…"))
    return bool(printed) and re.fullmatch(pattern, printed[0].rstrip()) is not None and matches(printed[1:], wanted[1:])


@pytest.mark.parametrize(("exit_code", "steps"), examples())
def test_console_example(run: Run, exit_code: int, steps: list[tuple[str, list[str]]]):
    for command, wanted in steps:
        words = shlex.split(command)
        assert words[0] == "qassay", "examples run the program itself"
        done = run(*words[1:])
        assert done.returncode == exit_code, done.stderr
        assert matches(done.stdout.splitlines(), wanted), f"printed:\n{done.stdout}"


def test_there_are_console_examples():
    assert len(examples()) > 0


def help_examples(run: Run, command: str) -> list[str]:
    text = run(command, "--help").stdout
    return [line.strip() for line in text.splitlines() if line.strip().startswith("qassay ") and not line.strip().startswith("qassay [")]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples_that_run(run: Run, command: str):
    lines = help_examples(run, command)
    assert lines, f"qassay {command} --help shows no example"
    for folder in ("results", "golden", "mine"):
        run.folder.joinpath(folder).mkdir()
        np.save(run.folder / folder / "y.npy", np.array([1, 2, 3], np.uint8))
    for name in ("a", "b", "expected", "got", "y_from_the_device"):
        np.save(run.folder / f"{name}.npy", np.array([1, 2, 3], np.int8))
    np.save(run.folder / "w.npy", WEIGHTS)
    (run.folder / "model.safetensors").write_bytes(safetensors({"conv.weight": WEIGHTS}))
    np.save(run.folder / "y.npy", np.array([[18, 5, 0], [33, 3, 255]], np.uint8))  # of x.npy, scale 0.1, zero point 3
    for line in lines:
        if NOT_RUN.search(line):
            continue
        words = [str(ROOT / word) if word.startswith(("cases", "sweeps")) else word for word in shlex.split(line.split("   ")[0])]
        done = run(*words[1:])
        assert done.returncode in (0, 1), f"{line}\n{done.stderr}"
        assert done.stdout, line


def test_readme_links_lead_somewhere():
    for readme in READMES:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", readme.read_text()):
            if not target.startswith("http"):
                assert (readme.parent / target).exists(), f"{readme.relative_to(ROOT)}: {target}"


def test_every_folder_has_a_readme():
    for folder in ("interpreter", "cases", "golden", "sweeps", "tools", "tools/backends", "tools/diagnosis", "tools/report", "tests"):
        assert Path(ROOT / folder / "README.md").exists(), folder
    for dialect in sorted(path for path in (ROOT / "interpreter").iterdir() if (path / "dialect.cpp").exists()):
        assert (dialect / "README.md").exists(), dialect.name
    for backend in sorted(path.parent for path in (ROOT / "tools" / "backends").glob("*/backend.json")):
        assert (backend / "README.md").exists(), backend.name
