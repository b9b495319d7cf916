#!/usr/bin/env python3
"""Writes the table of distances between formulas that share a signature into interpreter/README.md, or with --check compares it."""

import itertools
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "interpreter" / "README.md"
BEGIN = "<!-- distances: begin -->\n"
END = "<!-- distances: end -->"
FAMILIES = {
    "float32 to uint8": (
        [
            "onnx.QuantizeLinear",
            "onnxruntime.QuantizeLinear",
            "onnx_reference.QuantizeLinear",
            "openvino.QuantizeLinear",
            "openvino_cpu.QuantizeLinear",
            "pytorch.quantize_per_tensor",
            "pytorch.quantize_per_tensor@2.13",
            "pytorch.quantize_per_channel",
            "pytorch.quantize_per_channel@2.13",
        ],
        ["dtype=uint8"],
        [["scale=0.1", "zero_point=0"], ["scale=0.1", "zero_point=3"], ["scale=0x1.555556p-2", "zero_point=128"]],
    ),
    "int32 accumulators to uint8": (
        ["onnxruntime.requantize", "onnx_reference.requantize"],
        ["dtype=uint8", "input_scale=0.02", "weight_scale=0.01"],
        [["scale=0.1", "zero_point=0"], ["scale=0.5", "zero_point=3"]],
    ),
    "float32 to the grid of uint8": (
        [
            "pytorch.fake_quantize_per_tensor_affine",
            "pytorch.fake_quantize_per_channel_affine",
            "openvino.fake_quantize_per_channel_affine",
            "openvino_cpu.fake_quantize_per_channel_affine",
        ],
        ["quant_min=0", "quant_max=255"],
        [["scale=0.1", "zero_point=0"], ["scale=0.1", "zero_point=3"]],
    ),
}


def distance(a: str, b: str, settings: list[str]) -> int:
    """The number of inputs, NaN left out, on which two formulas differ."""
    command = [ROOT / "build" / "qassay", "compare", a, b, "--format", "json", "--max-shown", "0"]
    done = subprocess.run([*command, *(word for one in settings for word in ("--set", one))], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)["differing"]


def tables() -> str:
    text = ""
    for title, (formulas, fixed, parameter_sets) in FAMILIES.items():
        heads = [", ".join(one) for one in parameter_sets]
        text += f"\n**{title}** ({', '.join(fixed)})\n\n| A | B | {' | '.join(heads)} |\n|---|---|{'---:|' * len(heads)}\n"
        for a, b in itertools.combinations(formulas, 2):
            counts = [f"{distance(a, b, [*fixed, *one]):,}" for one in parameter_sets]
            text += f"| `{a}` | `{b}` | {' | '.join(counts)} |\n"
    return text + "\n"


def main() -> int:
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    wanted = before + BEGIN + tables() + END + rest.split(END, 1)[1]
    if "--check" in sys.argv[1:]:
        return 0 if page == wanted else 1
    PAGE.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
