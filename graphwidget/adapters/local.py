"""Local derivatives in numbers: the Jacobian of one small node, by the node's own formula."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.node import Node
from ..core.promote import fit_to
from ..recording.events import Matrix
from ..recording.summary import numbers

MAX_ITEMS = 64
"""Matrices with more numbers are not shown, hence not computed."""

FIRST_NODES = 256
"""Nodes of a run for which local derivatives are computed; a longer run has no more of them."""

Local = list[Any]
"""For each entry of ``node.next``: None, (rows, columns, matrix) or, for an op that works item by
item on one shape, (items, diagonal)."""


def jacobian(node: Node, grad: Any) -> Local | None:
    """The local derivatives of a built-in node, when they are small.

    Called before the node runs, for it may free what its formulas need. ``grad`` is the
    gradient of its (only) output; only its shape and type matter.
    """
    op = node.op
    if op is None or node.outputs != 1 or grad is None or not 0 < grad.size <= MAX_ITEMS:
        return None
    try:
        if op.pointwise and node.fit is None:
            if grad.size**2 > MAX_ITEMS:
                return None
            found = node.backward_arrays(np.ones_like(grad), True)
            return [(grad.size, each) for each in ((found,) if node.single else found)]
        return _by_rows(node, grad)
    except Exception:
        return None  # a stale or freed saved value: the engine is about to say so itself


def _by_rows(node: Node, grad: Any) -> Local | None:
    """One row of every matrix for each item of the output."""
    rows: list[list[Any]] = []
    for item in range(grad.size):
        unit = np.zeros_like(grad)
        unit.reshape(-1)[item] = 1
        found = node.backward_arrays(unit, True)
        found = (found,) if node.single else found
        if node.fit is not None:
            pairs = zip(found, node.fit, strict=True)
            found = tuple(x if meta is None else fit_to(x, meta) for x, meta in pairs)
        if all(each is None or each.size * grad.size > MAX_ITEMS for each in found):
            return None
        rows.append([None if each is None else each.ravel() for each in found])
    return [_stacked(column) for column in zip(*rows, strict=True)]


def _stacked(rows: tuple[Any, ...]) -> tuple[int, int, Any] | None:
    if rows[0] is None or rows[0].size * len(rows) > MAX_ITEMS:
        return None
    return len(rows), rows[0].size, np.stack(rows)


def matrix(found: Any) -> Matrix | None:
    """The event's matrix of one entry of a ``Local``."""
    if found is None:
        return None
    if len(found) == 3:
        rows, columns, array = found
        return Matrix(rows, columns, tuple(numbers(array.ravel().tolist())))
    items, diagonal = found
    full = np.zeros((items, items), diagonal.dtype)
    full.reshape(-1)[:: items + 1] = diagonal.ravel()
    return Matrix(items, items, tuple(numbers(full.ravel().tolist())))
