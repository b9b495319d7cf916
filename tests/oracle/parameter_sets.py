"""The parameter sets on which oracle and interpreter are compared."""

from __future__ import annotations

import sets_executorch
import sets_inductor
import sets_observers
import sets_onnx
import sets_openvino
import sets_pytorch
import sets_quantized_decomposed
import sets_torchao
from sets import ParameterSet


def all_sets() -> list[ParameterSet]:
    sets = []
    for dialect in (
        sets_onnx, sets_pytorch, sets_observers, sets_quantized_decomposed, sets_torchao, sets_inductor, sets_executorch,
        sets_openvino,
    ):  # fmt: skip
        sets += dialect.all_sets()
    return sets
