"""``repeat``, ``flip``, ``roll``, ``rot90``, ``tril``, ``triu``, ``diag_embed``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import memory_order
from ...arrays.memory_order import Array, Shape, clone, is_channels_last, to_channels_last
from ..declare import Namespace, composite, op
from .view_kernels import diagonal

F = Namespace()


def repeat(a: Array, repeats: Shape) -> Array:
    """The whole array so many times along each dim."""
    return np.asarray(np.tile(a, repeats), order="C")


def flip(a: Array, dims: Shape) -> Array:
    """The items of some dims in reverse."""
    return clone(np.flip(a, dims)) if a.ndim else a.copy()


def roll(a: Array, shifts: Shape, dims: Shape) -> Array:
    """Items moved along dims, those that leave at one end come in at the other."""
    if not a.ndim or not a.size:  # whatever the dims
        return a.copy()
    if not dims:
        return np.roll(a, shifts[0])
    moved = np.roll(np.ascontiguousarray(a), shifts, dims)
    return to_channels_last(moved) if is_channels_last(a) else moved


def rot90(a: Array, k: int, dims: Shape) -> Array:
    """Turned by k right angles in the plane of two dims."""
    first, second = dims
    if k % 4 == 1:
        return flip(a, (second,)).swapaxes(first, second)
    if k % 4 == 3:
        return flip(a, (first,)).swapaxes(first, second)
    return flip(a, dims) if k % 4 == 2 else np.array(a, order="C")


def refuse_vectors(name: str, a: Array) -> None:
    """There must be matrices.

    Raises:
        RuntimeError: PyTorch's text.
    """
    if a.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")


def tril(a: Array, diagonal: int = 0) -> Array:
    """The items on and below a diagonal of matrices, 0 above."""
    refuse_vectors("tril", a)
    return np.ascontiguousarray(np.tril(a, diagonal))


def triu(a: Array, diagonal: int = 0) -> Array:
    """The items on and above a diagonal of matrices, 0 below."""
    refuse_vectors("triu", a)
    return np.ascontiguousarray(np.triu(a, diagonal))


def diag_embed(a: Array, offset: int, dim1: int, dim2: int) -> Array:
    """The last dim on a diagonal of two new dims, 0 elsewhere."""
    size = a.shape[-1] + abs(offset)
    shape = list(a.shape[:-1])
    for dim in sorted((dim1 % (a.ndim + 1), dim2 % (a.ndim + 1))):
        shape.insert(dim, size)
    result = np.zeros(shape, a.dtype)
    if a.size:
        diagonal(result, offset, dim1, dim2)[...] = a
    return result


# Repetition and order ---------------------------------------------------------------------------
@composite
def repeat_backward(grad: Any, repeats: Any, shape: Any) -> Any:
    """The sum over the repetitions."""
    new = len(repeats) - len(shape)
    if 0 in repeats:
        return F.zeros_of(grad, shape)
    sizes: list[int] = []
    summed = list(range(new))
    for times, size in zip(repeats[new:], shape, strict=True):
        if times != 1:
            summed.append(new + len(sizes))
            sizes.append(times)
        sizes.append(size)
    split = len(sizes) > len(shape)
    spread = F.reshape(grad, (*repeats[:new], *sizes)) if split else grad
    return F.sum_dim(spread, tuple(summed), False) if summed else spread


op("zeros_of(self, /, shape)", memory_order.new_zeros, nograd=True,
   public=False, text="zeros", tex="0", onnx=None)

op("repeat(self, /, repeats)", repeat,
   d_self=lambda grad, repeats, self_shape: F.repeat_backward(grad, repeats, self_shape),
   text="{self} repeated {repeats}", tex=r"{self}", onnx="Tile")

op("flip(self, /, dims)", flip,
   d_self=lambda grad, dims: F.flip(grad, dims),
   text="{self} reversed along {dims}", tex=r"\operatorname{{flip}} {self}", onnx=None)

op("roll(self, /, shifts, dims=())", roll,
   d_self=lambda grad, shifts, dims: F.roll(grad, tuple(-shift for shift in shifts), dims),
   text="{self} rolled by {shifts}", tex=r"\operatorname{{roll}} {self}", onnx=None)

op("rot90(self, /, k=1, dims=(0, 1))", rot90,
   d_self=lambda grad, k, dims: F.rot90(grad, -k, dims),
   text="{self} turned {k} × 90°", tex=r"\operatorname{{rot90}} {self}", onnx=None)

# Triangles and diagonals --------------------------------------------------------------------------
op("tril(self, /, diagonal=0)", tril, inplace=True, overlap="anything",
   d_self=lambda grad, diagonal: F.tril(grad, diagonal),
   text="tril({self})", tex=r"\operatorname{{tril}} {self}", onnx="Trilu")

op("triu(self, /, diagonal=0)", triu, inplace=True, overlap="anything",
   d_self=lambda grad, diagonal: F.triu(grad, diagonal),
   text="triu({self})", tex=r"\operatorname{{triu}} {self}", onnx="Trilu")

op("diag_embed(self, /, offset=0, dim1=-2, dim2=-1)", diag_embed,
   d_self=lambda grad, offset, dim1, dim2: F.diagonal(grad, offset, dim1, dim2),
   text="matrices with {self} on the diagonal", tex=r"\operatorname{{diag}} {self}", onnx=None)
