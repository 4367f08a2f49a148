"""Kernels of padding with one number, and with the items at the border."""

from __future__ import annotations

import numpy as np

from ...arrays.memory_order import (
    Array,
    Shape,
    as_array,
    clone,
    keep_channels_last,
)
from ...arrays.scalars import scalar_array


def padding_by_dim(pad: Shape) -> list[tuple[int, int]]:
    """PyTorch's flat list (last dim first) as one pair for each dim, last dim last."""
    return [(pad[i], pad[i + 1]) for i in range(len(pad) - 2, -1, -2)]


@keep_channels_last
def constant_pad(a: Array, pad: Shape, value: float) -> Array:
    """More items at the ends of the last dims; negative numbers take items away."""
    a, sides = as_array(a), padding_by_dim(pad)
    if not any(pad):
        return clone(a)
    kept, inner = a.ndim - len(sides), [slice(None)] * a.ndim
    outer, shape = list(inner), list(a.shape)
    for dim, (before, after) in enumerate(sides, kept):
        shape[dim] += before + after
        inner[dim] = slice(max(-before, 0), a.shape[dim] - max(-after, 0))
        outer[dim] = slice(max(before, 0), shape[dim] - max(after, 0))
    result = np.zeros(shape, a.dtype)
    if value != 0:
        result[...] = scalar_array(value, a.dtype)
    result[tuple(outer)] = a[tuple(inner)]
    return result


def reflection_indices(size: int, before: int, after: int) -> Array:
    """Indices of a dim that is mirrored at its ends, which are not repeated."""
    places = np.abs(np.arange(-before, size + after))
    return size - 1 - np.abs(size - 1 - places)


def replication_indices(size: int, before: int, after: int) -> Array:
    """Indices of a dim whose ends are repeated."""
    return np.clip(np.arange(-before, size + after), 0, size - 1)


RULES = {"reflection": reflection_indices, "replication": replication_indices}


@keep_channels_last
def border_pad(a: Array, padding: Shape, rule: str) -> Array:
    """More items at the ends of the last dims, copied from inside by a rule."""
    sides = padding_by_dim(padding)
    for dim, (before, after) in enumerate(sides, a.ndim - len(sides)):
        a = a.take(RULES[rule](a.shape[dim], before, after), dim)
    return np.ascontiguousarray(a)


def border_pad_backward(grad: Array, a: Array, padding: Shape, rule: str) -> Array:
    """The gradient of what was padded: that of each item and of its copies."""
    sides = padding_by_dim(padding)
    grad = as_array(grad)
    for dim, (before, after) in enumerate(sides, a.ndim - len(sides)):
        whole = np.zeros((*grad.shape[:dim], a.shape[dim], *grad.shape[dim + 1 :]), grad.dtype)
        moved = np.moveaxis(whole, dim, 0)
        np.add.at(moved, RULES[rule](a.shape[dim], before, after), np.moveaxis(grad, dim, 0))
        grad = whole
    return grad
