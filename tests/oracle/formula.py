"""What the oracle knows of one formula."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import NamedTuple


class Formula(NamedTuple):
    """`outputs` names the type of each output: a type, the input or parameter whose type or word it is, or a function
    of the parameters.

    `groups` says which elements share one scale and zero point:
    "axis" (one index of `axis` or `ch_axis`, or `block_size` of them), "rows" (the same for axis 0 if `per_row_fake_quant`),
    "tokens" (a row of the last axis), "group_size" (that many along the last axis), "blocks" (a block of the shape
    `block_size`), "tensor" (all).
    """

    function: Callable[[SimpleNamespace], dict]
    outputs: dict[str, str | Callable[[dict], str]]
    defaults: dict = {}  # noqa: RUF012 (never changed)
    groups: str = "axis"
    whole_groups: bool = False  # the function takes a group's elements as lists, not one element
    whole_case: bool = False  # the function takes Tensors, and returns each output's elements, type and shape
