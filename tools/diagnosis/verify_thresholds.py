#!/usr/bin/env python3
"""Confirms `qassay compare`: counts from thresholds against counts from trying all 2^32 inputs, for pairs of formulas and parameters.

Prints a table and ends with 1 if a count differs. Takes about five seconds for each line on two cores.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
U8 = ["dtype=uint8"]
REQUANTIZE = ["dtype=uint8", "input_scale=0.02", "weight_scale=0.01"]
GRID = ["quant_min=-8", "quant_max=7"]
PAIRS = [
    ("onnx.QuantizeLinear", "pytorch.quantize_per_tensor", [*U8, "scale=0.1", "zero_point=3"]),
    ("onnx.QuantizeLinear", "pytorch.quantize_per_tensor", [*U8, "scale=0.0078431", "zero_point=128"]),
    ("onnx.QuantizeLinear", "pytorch.quantize_per_tensor", ["dtype=int8", "scale=0.7", "zero_point=-1"]),
    ("onnx.QuantizeLinear", "pytorch.quantize_per_tensor@2.13", [*U8, "scale=0.1", "zero_point=3"]),
    ("onnx.QuantizeLinear", "pytorch.quantize_per_tensor@2.13", [*U8, "scale=1e37", "zero_point=0"]),
    ("onnx.QuantizeLinear", "pytorch.quantize_per_tensor@2.13", ["dtype=int8", "scale=0x1p-15", "zero_point=-1"]),
    ("pytorch.quantize_per_tensor@2.13", "pytorch.quantize_per_channel@2.13", [*U8, "scale=0.1", "zero_point=3"]),
    ("pytorch.quantize_per_tensor", "pytorch.quantize_per_channel", [*U8, "scale=0x1.555556p-2", "zero_point=128"]),
    ("onnx.QuantizeLinear", "onnx_reference.QuantizeLinear", [*U8, "scale=1e37", "zero_point=3"]),
    ("onnx.QuantizeLinear", "onnx_reference.QuantizeLinear", ["dtype=int16", "scale=0.001", "zero_point=-1"]),
    ("onnx.QuantizeLinear", "pytorch.quantize_per_tensor", [*U8, "scale=bits:0x000116c2", "zero_point=0"]),
    ("onnxruntime.requantize", "onnx_reference.requantize", [*REQUANTIZE, "scale=0.5", "zero_point=3"]),
    ("onnxruntime.requantize", "onnx_reference.requantize", [*REQUANTIZE, "scale=0.0003", "zero_point=0"]),
    ("pytorch.fake_quantize_per_tensor_affine", "pytorch.fake_quantize_per_channel_affine", [*GRID, "scale=0.1", "zero_point=3"]),
    ("pytorch.fake_quantize_per_tensor_affine", "pytorch.fake_quantize_per_channel_affine", [*GRID, "scale=0.3", "zero_point=0"]),
]


def compare(a: str, b: str, settings: list[str], *how: str) -> dict:
    command = [ROOT / "build" / "qassay", "compare", a, b, "--format", "json", *how, *(word for one in settings for word in ("--set", one))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def main() -> int:
    print("| A | B | parameters | thresholds | all 2^32 | ms | s |\n|---|---|---|---:|---:|---:|---:|")
    unequal = 0
    for a, b, settings in PAIRS:
        fast, slow = compare(a, b, settings), compare(a, b, settings, "--sweep")
        same = all(fast[key] == slow[key] for key in ("differing", "differing_nan", "by_lsb"))
        unequal += not same
        figures = f"{fast['differing']:,} | {slow['differing']:,} | {fast['milliseconds']:.2f} | {slow['milliseconds'] / 1000:.1f}"
        print(f"| `{a}` | `{b}` | {', '.join(settings)} | {figures} |{'' if same else ' **differs**'}", flush=True)
    return 1 if unequal else 0


if __name__ == "__main__":
    sys.exit(main())
