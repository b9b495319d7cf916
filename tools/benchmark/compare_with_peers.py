#!/usr/bin/env python3
"""Throughput of the interpreter beside the real backends, in one run, one thread each.

Needs a developer build in build/ (`cmake --build build`) and the backends onnxruntime and pytorch (`qassay backends --install`).
Each side runs twice, in turn, and its better figure counts. Prints a table, or JSON with --json. A ratio is ours / theirs.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PEERS = {"onnxruntime": "peer_onnx.py", "pytorch": "peer_pytorch.py"}
# What the project asks of itself: at least this many times the peer's throughput.
REQUIRED = {
    "onnxruntime.QuantizeLinear": 0.5,
    "onnx_reference.QuantizeLinear": 5.0,
    "pytorch.fake_quantize_per_tensor_affine": 5.0,
}


def ours() -> dict[str, float]:
    """Elements per second by formula id, the fastest of ten repetitions."""
    command = [ROOT / "build" / "qassay-benchmark", "--benchmark_format=json", "--benchmark_repetitions=10", "--benchmark_min_time=0.05"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    best: dict[str, float] = {}
    for row in report["benchmarks"]:
        if row["run_type"] == "iteration":
            best[row["run_name"]] = max(best.get(row["run_name"], 0), row["items_per_second"])
    return best


def theirs() -> dict[str, float]:
    """Elements per second of every peer that is installed, by formula id."""
    figures: dict[str, float] = {}
    for backend, script in PEERS.items():
        python = ROOT / ".backends" / backend / "bin" / "python"
        if not python.exists():
            print(f"{backend} is not installed: build/qassay backends --install {backend}", file=sys.stderr)
            continue
        figures |= json.loads(subprocess.run([python, HERE / script], check=True, capture_output=True, text=True).stdout)
    return figures


def better(first: dict[str, float], second: dict[str, float]) -> dict[str, float]:
    return {name: max(value, second.get(name, 0)) for name, value in first.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    interpreter, peers = ours(), theirs()
    interpreter, peers = better(interpreter, ours()), better(peers, theirs())

    rows = []
    for name, speed in interpreter.items():
        peer = peers.get(name)
        rows.append({"formula": name, "ours": speed, "peer": peer, "ratio": peer and speed / peer, "required": REQUIRED.get(name)})
    if arguments.json:
        print(json.dumps(rows, indent=2))
    else:
        print(f"{'formula':<42} {'ours G/s':>9} {'peer G/s':>9} {'ratio':>6} {'required':>9}")
        for row in rows:
            peer = f"{row['peer'] / 1e9:9.2f} {row['ratio']:6.2f}" if row["peer"] else f"{'-':>9} {'-':>6}"
            print(f"{row['formula']:<42} {row['ours'] / 1e9:9.2f} {peer} {row['required'] or '-':>9}")
    missed = [row["formula"] for row in rows if row["ratio"] and row["required"] and row["ratio"] < row["required"]]
    if missed:
        print(f"below what is required: {', '.join(missed)}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
