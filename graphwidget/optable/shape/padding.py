"""``pad``: with one number, or by the items at the border."""

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
from ..declare import Namespace, op

F = Namespace()


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


op("constant_pad_nd(self, /, pad, value=0)", constant_pad,
   node="ConstantPadNdBackward0",
   d_self=lambda grad, pad: F.constant_pad_nd(grad, tuple(-size for size in pad), 0),
   sign="pad", text="{self} with {pad} more items", onnx="Pad")


def declare_border_pad(rule: str, count: int) -> None:
    """Padding of the last ``count`` dims with items from inside, and its derivative."""
    name, node = f"{rule}_pad{count}d", f"{rule.capitalize()}Pad{count}D"
    op(f"{name}(self, /, padding)",
       lambda a, padding: border_pad(a, padding, rule), refuses=f"{name}: bool",
       node=f"{node}Backward0",
       d_self=lambda grad, self, padding: getattr(F, f"{name}_backward")(grad, self, padding),
       public=False,
       sign="pad", text="{self} with {padding} more items",
       onnx="Pad")
    op(f"{name}_backward(grad_output, self, /, padding)",
       lambda grad, a, padding: border_pad_backward(grad, a, padding, rule),
       node=f"{node}BackwardBackward0",
       d_grad_output=lambda grad, padding: getattr(F, name)(grad, padding),
       d_self=lambda grad: F.zeros_like(grad),
       public=False,
       sign="pad'", text="{grad_output}, added inside", onnx=None)


for _rule in RULES:
    for _count in (1, 2):
        declare_border_pad(_rule, _count)
