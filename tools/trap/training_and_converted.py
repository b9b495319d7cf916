"""Shows on real PyTorch that the graph of quantization aware training is not the graph that conversion makes of it.

    .backends/pytorch/bin/python tools/trap/training_and_converted.py --out DIR

See README.md for the files in DIR.
"""

import argparse
import importlib.metadata
import json
import math
import warnings
from pathlib import Path

warnings.filterwarnings("ignore")  # deprecations inside torch and torchao, forty lines of them

import torch  # noqa: E402
from networks import networks  # noqa: E402
from seed_table import seed_table  # noqa: E402


def print_table(summary: dict) -> None:
    print(f"{'scale in training / scale after conversion':44} {'least':>9} {'greatest':>9} {'SQNR':>9}")
    for figures in summary["modules"]["per_channel_symmetric"].values():
        title = f"per channel symmetric [{figures['quant_min']}, {figures['quant_max']}]"
        print(f"{title:44} {figures['ratio_min']:9.6f} {figures['ratio_max']:9.6f} {figures['fused_weight_sqnr_db']:6.1f} dB")
    affine = summary["modules"]["per_tensor_affine"]
    print(f"{'per tensor affine [-128, 127]':44} {affine['ratio_min']:9.6f} {affine['ratio_max']:9.6f}", end="")
    print(f"   {affine['scales_one_ulp_apart']} of {affine['tensors']} scales 1 ulp apart")
    print(f"\n{'outputs of the network, training / converted':44} {'SQNR':>9} {'floats':>9} {'codes':>9} {'at most':>9}")
    for name, figures in summary["networks"].items():
        floats, codes = (f"{figures[what]}/{figures['outputs']}" for what in ("outputs_that_differ", "codes_that_differ"))
        print(f"{name:44} {figures['sqnr_db']:6.1f} dB {floats:>9} {codes:>9} {figures['greatest_difference_in_lsb']:5.2g} LSB")


def without_infinity(value):
    """JSON has no infinity."""
    if isinstance(value, dict):
        return {name: without_infinity(one) for name, one in value.items()}
    if isinstance(value, list):
        return [without_infinity(one) for one in value]
    return "inf" if value == math.inf else value


def main() -> None:
    parser = argparse.ArgumentParser(description="The training graph is not the converted graph, on real PyTorch.")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="a folder for the .npy files and summary.json")
    parser.add_argument("--seed", type=int, default=0, help="of the network, its data and its training (default 0)")
    options = parser.parse_args()
    # One thread: sums in another order are other numbers.
    torch.set_num_threads(1)
    summary = {
        "versions": {package: importlib.metadata.version(package) for package in ("torch", "torchao", "numpy")},
        "seed": options.seed,
        "modules": seed_table(options.out / "modules"),
        "networks": networks(options.out / "networks", options.seed),
    }
    (options.out / "summary.json").write_text(json.dumps(without_infinity(summary), indent=1) + "\n")
    print_table(summary)


if __name__ == "__main__":
    main()
