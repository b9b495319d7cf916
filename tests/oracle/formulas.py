"""Each formula as a small function of exact values: what the formula sheets say, step by step, and nothing else.

A function takes one namespace `p`: the input element, the parameters that apply to it, and for what has a type its type
under `<name>_type`. Where scale and zero point come from many elements (`whole_groups`) it takes a group of them: each
input is the list of the group's elements. Numbers of a float type are `exact.Value`s, of an integer type Python ints; a
whole parameter that was not given and has no default is the word "none".

It returns a dictionary output -> result: of an element, or of a group a list for the outputs that are like the input and
one value for the others. None is "the specification leaves this open".

Rounding is written out: `divide(FLOAT32, a, b)` is the exact quotient rounded once to binary32.
"""

from __future__ import annotations

import formulas_executorch
import formulas_inductor
import formulas_observers
import formulas_onnx
import formulas_openvino
import formulas_pytorch
import formulas_quantized_decomposed
import formulas_torchao
from formula import Formula

FORMULAS: dict[str, Formula] = {}
for dialect in (
    formulas_onnx, formulas_pytorch, formulas_observers, formulas_quantized_decomposed, formulas_torchao, formulas_inductor,
    formulas_executorch, formulas_openvino,
):  # fmt: skip
    FORMULAS |= dialect.FORMULAS
