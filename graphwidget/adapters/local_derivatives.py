"""Local derivatives in numbers: the Jacobian of one small node, by the node's own formula.

What the formula needs is copied when the node starts, for the node may free it and the program
may overwrite it; the formula itself runs later, while draining.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from operator import attrgetter
from typing import Any

import numpy as np
from numpy import ndarray

from ..eager.promote import fit_to
from ..graph.node import Node
from ..graph.saved_hooks import Packed, PackedIndices
from ..recording.events import Matrix
from ..recording.summary import Captured, numbers

MAX_ITEMS = 64
"""Matrices with more numbers are not shown, hence not computed."""

MAX_SAVED = 256
"""Nodes that saved larger arrays have larger matrices."""

FIRST_NODES = 256
"""Nodes of a run for which local derivatives are computed; a longer run has no more of them."""

Copied = tuple[Any, Any, tuple[Any, ...], tuple[Any, ...]]
"""A node's class, what its gradients are fitted to, copies of its saved arrays, its metadata."""


def copied(node: Any) -> Copied | None:
    """Return copies of what the node's formula needs; None if its matrices are too large to be
    shown, or its saved tensors are freed."""
    cls = node.__class__
    saved, metadata = _getters(cls)
    arrays: list[Any] = []
    if saved is not None:
        for array in saved(node):
            if array.__class__ is not ndarray:
                if array is None or array.__class__ is Packed:
                    return None  # freed, or in the keeping of the user's hooks, not to be called
                array = array._data
            if array is None or array.size > MAX_SAVED:  # None: an operand that was left out
                return None
            arrays.append((array.dtype, array.shape, array.tobytes()))
    if metadata is None:
        return cls, node.fit, tuple(arrays), ()
    others = metadata(node)
    for each in others:
        if each.__class__ is PackedIndices:
            return None
    return cls, node.fit, tuple(arrays), others


@cache
def _getters(cls: Any) -> tuple[Callable[[Any], Any] | None, Callable[[Any], Any] | None]:
    """Functions from a node to its saved slots and to its metadata, as tuples."""
    return _tuple_of("saved_", cls.saves), _tuple_of("p_", cls.op.metadata(cls.targets))


def _tuple_of(prefix: str, names: tuple[str, ...]) -> Callable[[Any], Any] | None:
    if not names:
        return None
    get = attrgetter(*(prefix + name for name in names))
    return get if len(names) > 1 else lambda node: (get(node),)


class _Saved:
    """Stands for a saved tensor that was never written."""

    __slots__ = ("_data",)
    _counter = None

    def __init__(self, data: Any) -> None:
        self._data = data


def matrices(taken: Copied, grad: Captured) -> list[Matrix | None] | None:
    """The local derivatives, one for each entry of ``node.next``, when they are small.

    ``grad`` is the gradient of the node's output; only its shape and type matter.
    """
    dtype, shape, _content = grad
    try:
        return _matrices(taken, dtype, shape)
    except TypeError:  # metadata that has no hash
        return _matrices.__wrapped__(taken, dtype, shape)


@lru_cache(maxsize=64)  # many nodes do the same in every iteration of a loop, with the same data
def _matrices(taken: Copied, dtype: Any, shape: tuple[int, ...]) -> list[Matrix | None] | None:
    cls, fit, arrays, metadata = taken
    node = cls.__new__(cls)
    node.fit = fit
    for name, (kind, size, content) in zip(cls.saves, arrays, strict=True):
        array = np.frombuffer(content, kind).reshape(size)
        if name in cls.op.outputs:
            setattr(node, "saved_" + name, array)
            setattr(node, "counter_" + name, None)
        else:
            setattr(node, "saved_" + name, _Saved(array))
    for name, value in zip(cls.op.metadata(cls.targets), metadata, strict=True):
        setattr(node, "p_" + name, value)
    try:
        with np.errstate(all="ignore"):
            return _jacobian(node, np.zeros(shape, dtype))
    except Exception:
        return None  # a formula that wants more than what was copied: no matrix is shown


def _jacobian(node: Node, zero: Any) -> list[Matrix | None] | None:
    """One row of every matrix for each item of the output."""
    if not 0 < zero.size <= MAX_ITEMS:
        return None
    assert node.op is not None
    if node.op.pointwise and node.fit is None:
        if zero.size**2 > MAX_ITEMS:
            return None
        found = node.backward_arrays(zero + zero.dtype.type(1), True)
        return [_diagonal(each) for each in ((found,) if node.single else found)]
    rows: list[list[Any]] = []
    for item in range(zero.size):
        unit = zero.copy()
        unit.reshape(-1)[item] = 1
        found = node.backward_arrays(unit, True)
        found = (found,) if node.single else found
        if node.fit is not None:
            pairs = zip(found, node.fit, strict=True)
            found = tuple(x if meta is None else fit_to(x, meta) for x, meta in pairs)
        if all(each.size * zero.size > MAX_ITEMS for each in found):
            return None
        rows.append([each.ravel() for each in found])
    return [_matrix(np.stack(column)) for column in zip(*rows, strict=True)]


def _diagonal(slope: Any) -> Matrix | None:
    """The matrix of an op that works item by item."""
    full = np.zeros((slope.size, slope.size), slope.dtype)
    full.reshape(-1)[:: slope.size + 1] = slope.ravel()
    return _matrix(full)


def _matrix(full: Any) -> Matrix | None:
    if full.size > MAX_ITEMS:
        return None
    return Matrix(full.shape[0], full.shape[1], tuple(numbers(full.ravel().tolist())))
