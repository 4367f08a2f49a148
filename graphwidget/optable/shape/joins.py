"""``cat``, ``stack``, ``repeat``, ``flip`` and the like: kernels and ops."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import memory_order
from ...arrays.memory_order import (
    Array,
    Shape,
    as_array,
    clone,
    is_channels_last,
    to_channels_last,
)
from ..declare import Namespace, composite, op
from ..out import JOINED
from .views import diagonal


def common_type(arrays: list[Array]) -> Any:
    """The type that arrays promote to as PyTorch promotes: integers do not widen floats."""
    floats = [a.dtype for a in arrays if a.dtype.kind == "f"]
    return np.result_type(*(floats or [a.dtype for a in arrays]))


def stack(arrays: list[Array], dim: int) -> Array:
    """Joined along a new dim."""
    arrays = [as_array(a) for a in arrays]
    shape = arrays[0].shape
    at = dim if dim >= 0 else dim + len(shape) + 1
    if at < len(shape) and all(is_channels_last(a) for a in arrays):
        return cat(arrays, at).reshape(*shape[:at], len(arrays), *shape[at:])
    spread = (*shape[:at], 1, *shape[at:])
    return concatenate([a.reshape(spread) for a in arrays], at, arrays)


def cat(arrays: list[Array], dim: int) -> Array:
    """Joined along a dim, with the channels innermost in memory where they are so in all; PyTorch
    lets empty 1-d tensors pass."""
    parts = [a for a in arrays if a.shape != (0,)]
    found = concatenate(parts, dim, arrays) if parts else concatenate(arrays, 0, arrays)
    return to_channels_last(found) if all(is_channels_last(a) for a in arrays) else found


def concatenate(parts: list[Array], dim: int, typed: list[Array]) -> Array:
    """Joined along a dim, in the common type of ``typed``."""
    first = parts[0].dtype
    if all(a.dtype is first for a in typed):
        return np.ascontiguousarray(np.concatenate(parts, dim))
    dtype = common_type(typed)
    return np.ascontiguousarray(np.concatenate(parts, dim, dtype=dtype, casting="unsafe"))


def block_corners(shapes: Any) -> list[tuple[int, int, int, int]]:
    """Return where each matrix of a block diagonal begins and ends, in rows and columns."""
    found, row, column = [], 0, 0
    for shape in shapes:
        height, width = (1, 1, *shape)[-2:]
        found.append((row, row + height, column, column + width))
        row, column = row + height, column + width
    return found


def block_diag(arrays: list[Array], _dtype: Any) -> Array:
    """Matrices on the diagonal of a matrix of the given type, 0 elsewhere."""
    places = block_corners([a.shape for a in arrays])
    shape = places[-1][1], places[-1][3]
    result = np.zeros(shape, _dtype)
    for a, (top, bottom, left, right) in zip(arrays, places, strict=True):
        result[top:bottom, left:right] = a
    return result


F = Namespace()


@composite
def cat_backward(grad: Any, shapes: Any, dim: Any) -> Any:
    """The part of the gradient that belongs to each joined tensor."""
    parts, start = [], 0
    for shape in shapes:
        if shape == (0,):
            parts.append(F.zeros_of(grad, shape))
        else:
            parts.append(F.slice(grad, dim, start, start + shape[dim], 1))
            start += shape[dim]
    return parts


op("cat(*tensors, /, dim=0)", cat, out=JOINED,
   d_tensors=lambda grad, _tensors_shape, dim: F.cat_backward(grad, _tensors_shape, dim),
   text="cat({tensors})", onnx="Concat")


@composite
def unstacked(grad: Any, dim: Any) -> Any:
    """Split a gradient at each place of a dim."""
    return [F.select(grad, dim, place) for place in range(grad.shape[dim])]


op("stack(*tensors, /, dim=0)", stack, out=JOINED,
   d_tensors=lambda grad, dim: F.unstacked(grad, dim),
   text="stack({tensors})", onnx=None)


@composite
def block_diag_backward(grad: Any, shapes: Any) -> Any:
    """Each block of the gradient, in its tensor's shape: PyTorch squeezes the last dim of those
    of vectors and numbers, and the engine sums what is left of the first."""
    blocks = []
    for shape, place in zip(shapes, block_corners(shapes), strict=True):
        top, bottom, left, right = place
        block = F.slice(F.slice(grad, 0, top, bottom, 1), 1, left, right, 1)
        for _ in range(2 - len(shape)):
            block = F.squeeze_dim(block, -1)
        if block.shape != shape:
            block = F.view(F.sum_dim(block, (0,), True), shape)
        blocks.append(block)
    return blocks


op("block_diag(*tensors, /, _dtype)", block_diag,
   d_tensors=lambda grad, _tensors_shape: F.block_diag_backward(grad, _tensors_shape),
   text="block_diag({tensors})", onnx=None)


def repeat(a: Array, repeats: Shape) -> Array:
    """The whole array repeated along each dim."""
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


def refuse_vectors(name: str, a: Array) -> None:
    """Raise an error unless there are matrices.

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
   public=False, text="zeros", onnx=None)

op("repeat(self, /, repeats)", repeat,
   d_self=lambda grad, repeats, self_shape: F.repeat_backward(grad, repeats, self_shape),
   text="{self} repeated {repeats}", onnx="Tile")

op("flip(self, /, dims)", flip,
   d_self=lambda grad, dims: F.flip(grad, dims),
   text="{self} reversed along {dims}", onnx=None)

op("roll(self, /, shifts, dims=())", roll,
   d_self=lambda grad, shifts, dims: F.roll(grad, tuple(-shift for shift in shifts), dims),
   text="{self} rolled by {shifts}", onnx=None)

# Triangles and diagonals --------------------------------------------------------------------------
op("tril(self, /, diagonal=0)", tril, inplace=True, overlap="anything",
   d_self=lambda grad, diagonal: F.tril(grad, diagonal),
   text="tril({self})", onnx="Trilu")

op("triu(self, /, diagonal=0)", triu, inplace=True, overlap="anything",
   d_self=lambda grad, diagonal: F.triu(grad, diagonal),
   text="triu({self})", onnx="Trilu")

op("diag_embed(self, /, offset=0, dim1=-2, dim2=-1)", diag_embed,
   d_self=lambda grad, offset, dim1, dim2: F.diagonal(grad, offset, dim1, dim2),
   text="matrices with {self} on the diagonal", onnx=None)
