"""Facts about a node of PyTorch's graph: its name, class and leaf."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cache
from operator import methodcaller
from typing import Any

import torch


def class_of(node: Any) -> Hashable:
    """The node's class, by which what is the same of all its nodes is found once."""
    return type(node)  # type: ignore[return-value]  # mypy looks at its instances


@cache
def _of_leaves(kind: Hashable) -> bool:
    return hasattr(kind, "variable")


def leafy(node: Any) -> bool:
    """Return whether the node is a leaf's."""
    return _of_leaves(type(node))  # type: ignore[arg-type]  # as above


def leaf_of(node: Any) -> torch.Tensor | None:
    """The leaf that a node accumulates into; None of other nodes."""
    if not leafy(node):
        return None
    variable = node.variable
    return variable if isinstance(variable, torch.Tensor) else None


def sequence_of(node: Any) -> int:
    """A number by which the nodes of a thread are in the order in which they were made."""
    return int(getattr(node, "_sequence_nr", int)())


def sequences_of(nodes: Sequence[Any]) -> list[int]:
    """Like ``sequence_of``, for several."""
    try:
        return list(map(_SEQUENCE, nodes))
    except AttributeError:  # another PyTorch
        return [0] * len(nodes)


_SEQUENCE = methodcaller("_sequence_nr")


def name_of(node: Any) -> str:
    """``MulBackward0``; ``AccumulateGrad`` and ``CopySlices`` without their namespaces."""
    return _bare(node.name())


@cache
def _bare(name: str) -> str:
    return name.rpartition("::")[2]
