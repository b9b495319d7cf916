"""Files and figures."""

import math
from pathlib import Path

import numpy as np
import torch


def save(folder: Path, **tensors: torch.Tensor) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, tensor in tensors.items():
        # order="C": an array in Fortran order (a channels-last weight) is a file that not every reader takes.
        np.save(folder / f"{name}.npy", np.array(tensor.detach().numpy(), order="C"))


def sqnr_db(signal: torch.Tensor, other: torch.Tensor) -> float:
    signal, other = signal.double(), other.double()
    noise = ((signal - other) ** 2).sum().item()
    return math.inf if noise == 0 else 10 * math.log10((signal**2).sum().item() / noise)


def ratios(training: torch.Tensor, converted: torch.Tensor) -> torch.Tensor:
    return training.double() / converted.double()


def ulps_apart(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """For positive float32 numbers the bits count upwards with the value."""
    return (a.view(torch.int32).long() - b.view(torch.int32).long()).abs()
