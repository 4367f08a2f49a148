"""What PyTorch tells of a node of its graph: its name, its leaf, and what it saved."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from functools import cache
from typing import Any

import torch

SAVED = "_raw_saved_"
EXPECTED = re.compile(r"expected version (\d+)")


def class_of(node: Any) -> Hashable:
    """The node's class, by which what is the same of all its nodes is found once."""
    return type(node)  # type: ignore[return-value]  # mypy looks at its instances


@cache
def _of_leaves(kind: Hashable) -> bool:
    return hasattr(kind, "variable")


def leafy(node: Any) -> bool:
    """Whether the node is a leaf's."""
    return _of_leaves(class_of(node))


def leaf_of(node: Any) -> torch.Tensor | None:
    """The leaf that a node accumulates into; None of other nodes."""
    variable = node.variable if _of_leaves(class_of(node)) else None
    return variable if isinstance(variable, torch.Tensor) else None


def sequence_of(node: Any) -> int:
    """A number by which the nodes of a thread are in the order in which they were made."""
    return int(getattr(node, "_sequence_nr", int)())


@cache
def slots_of(kind: Any) -> tuple[tuple[str, str], ...]:
    """The attributes of a class of nodes that hold what a node saved, and the slots' names."""
    names = [name for name in dir(kind) if name.startswith(SAVED)]
    return tuple((name, name.removeprefix(SAVED)) for name in names)


def saved_tensors(node: Any) -> Iterator[tuple[str, torch.Tensor]]:
    """(slot, tensor) of what a node saved, without checking versions or calling hooks."""
    for attribute, slot in slots_of(class_of(node)):
        try:
            raw = getattr(node, attribute)
        except RuntimeError:  # freed
            continue
        several = isinstance(raw, (tuple, list))
        for nr, each in enumerate(raw if several else (raw,)):
            tensor = getattr(each, "data", None)
            if isinstance(tensor, torch.Tensor):
                yield (f"{slot}[{nr}]" if several else slot), tensor


def expected_version(node: Any, slot: str) -> int | None:
    """The version at which a node wants what it saved, where that is stale by now: of a call that
    saves what it then writes. PyTorch tells it in its error alone."""
    try:
        getattr(node, f"_saved_{slot}", None)
    except RuntimeError as error:
        found = EXPECTED.search(str(error))
        return int(found[1]) if found else None
    return None


def name_of(node: Any) -> str:
    """``MulBackward0``; ``AccumulateGrad`` and ``CopySlices`` without their namespaces."""
    return _bare(node.name())


@cache
def _bare(name: str) -> str:
    return name.rpartition("::")[2]
