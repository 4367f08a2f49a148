"""Calls that were made before recording began, known from the nodes of PyTorch's graph.

A node has its name, the nodes before it, the shapes of what it made and what it saved. What
lies between two nodes is a value without numbers; when the program shows its tensor later, it is
that value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import torch

from ...recording import events as ev
from ..earlier_calls import NO_TYPE, NOT_KNOWN
from . import ops

SIGNED = 2**63
"""PyTorch shows negative dimensions as unsigned numbers from here on."""


class Earlier(NamedTuple):
    """A call that was made before: its function's name, what it was given, and what it made."""

    name: str
    key: str
    inputs: tuple[int | str, ...]
    params: dict[str, str]
    outputs: tuple[int, ...]
    values: tuple[ev.Value, ...]
    """Those of which no numbers are known."""


class EarlierCalls:
    """Finds calls from nodes; ``unseen`` are the values by (node, output number) whose tensor
    has not been seen."""

    def __init__(self, new_value: Callable[[], int]) -> None:
        self._new = new_value
        self.unseen: dict[tuple[int, int], int] = {}
        self._outputs: dict[tuple[int, int], int] = {}

    def call(
        self,
        node: Any,
        number: int,
        met: Sequence[int],
        edges: Sequence[tuple[int | None, int]],
        leaves: Sequence[int | None],
        saved: Sequence[ev.Saved],
    ) -> Earlier:
        """The call that made a node. Of its outputs the first are ``met`` (0: not that one);
        ``leaves`` are the values at those of its edges that lead to leaves."""
        values: list[ev.Value] = []
        outputs: list[int] = []
        for nr, (shape, dtype) in enumerate(_made(node)):
            value = met[nr] if nr < len(met) else 0
            if not value:
                value = self.unseen[number, nr] = self._new()
                unknown = ev.Summary(shape, dtype, None, None, None)
                values.append(ev.Value(value, value, 0, True, False, False, None, unknown))
            self._outputs[number, nr] = value
            outputs.append(value)
        before = [
            leaf if leaf is not None or edge[0] is None else self._outputs.get((edge[0], edge[1]))
            for leaf, edge in zip(leaves, edges, strict=True)
        ]
        name = _function(node)
        op = ops.op_of(name)
        names = () if op is None or op.variadic else op.inputs
        params = {} if op is None else _params(node, op.params)
        kept = {each.slot: each.value for each in saved if each.value is not None}
        return Earlier(
            name, name if op is None else op.key, _inputs(node, names, before, kept), params,
            tuple(outputs), tuple(values),
        )  # fmt: skip


def _made(node: Any) -> list[tuple[tuple[int, ...], str]]:
    """Shape and type of each output; of one, if PyTorch does not show them."""
    shapes = getattr(node, "_input_metadata", None) or ()
    found = []
    for each in shapes:
        shape = tuple(int(size) for size in getattr(each, "shape", None) or ())
        found.append((shape, str(getattr(each, "dtype", NO_TYPE)).removeprefix("torch.")))
    return found or [((), "")]


def _function(node: Any) -> str:
    """``log_softmax`` for LogSoftmaxBackward0."""
    name = str(node.name()).rpartition("::")[2]
    name = re.sub(r"Backward\d*$", "", name)
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _inputs(
    node: Any, names: Sequence[str], before: Sequence[int | None], kept: dict[str, int]
) -> tuple[int | str, ...]:
    """Return the arguments of a call, by the names of its op's inputs if there are any."""
    if not names:
        return tuple(value for value in before if value is not None)
    found: list[int | str] = []
    for nr, name in enumerate(names):
        value = before[nr] if nr < len(before) else None
        value = kept.get(name) if value is None else value
        found.append(_number(node, name) if value is None else value)
    return tuple(found)


def _number(node: Any, name: str) -> str:
    """A number that a node keeps, as text."""
    value = _kept(node, name)
    if isinstance(value, torch.Tensor) and value.ndim == 0:
        value = value.item()
    return ops.text(value) if isinstance(value, (int, float)) else NOT_KNOWN


def _params(node: Any, names: Iterable[str]) -> dict[str, str]:
    found = {name: _kept(node, name) for name in names}
    return {
        name: ops.text(value)
        for name, value in found.items()
        if value is not None and not isinstance(value, torch.Tensor)
    }


def _kept(node: Any, name: str) -> Any:
    try:
        value = getattr(node, f"_saved_{name}", None)
    except RuntimeError:  # freed
        return None
    if isinstance(value, tuple):
        return tuple(_signed(each) for each in value)
    return _signed(value)


def _signed(value: Any) -> Any:
    return value - 2 * SIGNED if isinstance(value, int) and value >= SIGNED else value
