"""``repeat``, ``flip``, ``roll``, ``tril``, ``pad`` and the like."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from ...absent import not_here
from ...arrays.kernel_errors import not_implemented
from ...dispatch.offer import offer
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from ..dims import checked_dims, shape_args, wrap_dim
from .reshape_expand import flatten


# Repetition ---------------------------------------------------------------------------------------
@offer(function=False)
def repeat(self: Tensor, *sizes: Any, repeats: Any = None) -> Tensor:
    """The whole tensor repeated along each dim.

    Raises:
        RuntimeError: fewer numbers than dims, or negative ones.
    """
    repeats = sizes if repeats is None else (repeats,)
    times, shape = shape_args(repeats), self._data.shape
    if len(times) < len(shape):
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of "
            "tensor"
        )
    sizes = (*(1,) * (len(times) - len(shape)), *shape)
    wanted = [n * size for n, size in zip(times, sizes, strict=True)]
    for size in wanted:
        if size < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {size}: {wanted}")
    return F.repeat(self, times)


@offer()
def tile(input: Tensor, *repeats: Any, dims: Any = None) -> Tensor:
    """The whole tensor repeated along each of the last dims.

    Shapes: any; each size times the number of its dim.
    """
    times = shape_args(repeats if dims is None else (dims,))
    return repeat(input, (*(1,) * (input._data.ndim - len(times)), *times))


@offer()
def repeat_interleave(
    input: Tensor, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Each item (each slice of a dim) repeated in a row; with one argument, the indices of
    which each comes so often.

    Shapes: any; the dim grows to the sum of the repeats, and without one the result is 1-d.

    Raises:
        RuntimeError: repeats that are negative or do not fit.
    """
    if repeats is None:
        counts = check_repeats(input)
        check_size(counts, output_size)
        return Tensor._wrap(np.repeat(np.arange(input._data.size), counts))
    if isinstance(repeats, int):
        result = _repeat_each(input, repeats, dim)
        size = result._data.shape[dim or 0]
        if output_size not in (None, size):
            raise RuntimeError(
                f"repeat_interleave: Invalid output_size, expected {size} but got {output_size}"
            )
        return result
    source = input
    if dim is None:
        source, dim = flatten(input), 0
    if not source._data.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    size = source._data.shape[wrap_dim(dim, source._data.ndim)]
    if repeats._data.ndim == 1 and repeats._data.size not in (1, size):
        raise RuntimeError(
            "repeats must have the same size as input along dim, but got repeats.size(0) = "
            f"{repeats._data.size} and input.size({dim}) = {size}"
        )
    counts = check_repeats(repeats)
    if counts.size == 1:
        counts = np.broadcast_to(counts.reshape(1), (size,))
    check_size(counts, output_size)
    return F.index_select(source, Tensor._wrap(np.repeat(np.arange(size), counts)), dim)


def check_size(counts: np.ndarray, output_size: int | None) -> None:
    """Refuse another size than that of the result.

    Raises:
        RuntimeError: PyTorch's text.
    """
    if output_size not in (None, int(counts.sum())):
        raise RuntimeError("allocated size does not match required size")


def check_repeats(repeats: Tensor) -> np.ndarray:
    """Check and return the number of repeats of each item."""
    data = repeats._data
    if data.ndim > 1:
        raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
    if data.dtype not in (np.int32, np.int64):
        raise not_implemented("repeat_interleave_cpu", data.dtype)
    if data.size and data.min() < 0:
        raise RuntimeError("repeats can not be negative")
    return data


def _repeat_each(input: Tensor, times: int, dim: int | None) -> Tensor:
    """Each slice repeated, as PyTorch records it: a spread view, copied and flattened."""
    if times < 0:
        raise RuntimeError("Repeats must be non-negative")
    source = flatten(input) if dim is None else input
    place = wrap_dim(dim or 0, source._data.ndim)
    shape = source._data.shape
    if not shape:
        wrap_dim(1, 0)  # there is no dim that might be spread
    spread = F.expand(
        F.unsqueeze(source, place + 1), (*shape[: place + 1], times, *shape[place + 1 :])
    )
    return F.view(
        F.clone_contiguous(spread), (*shape[:place], shape[place] * times, *shape[place + 1 :])
    )


# Order ------------------------------------------------------------------------------------------
@offer()
def flip(input: Tensor, *turned: Any, dims: Any = None) -> Tensor:
    """The items of some dims in reverse.

    Shapes: any; the result has the same.
    """
    given = turned if dims is None else (dims,)
    return F.flip(input, checked_dims(shape_args(given), input._data.ndim))


def int_args(numbers: Any) -> tuple[int, ...]:
    """One integer, or several, as a tuple."""
    several = isinstance(numbers, tuple | list)
    return tuple(index(each) for each in (numbers if several else (numbers,)))


@offer()
def roll(input: Tensor, shifts: Any, dims: Any = ()) -> Tensor:
    """Items moved along dims (without dims: in C order of all), in again at the other end.

    Shapes: any; the result has the same.

    Raises:
        RuntimeError: not one shift for each dim.
    """
    steps, along = int_args(shifts), int_args(() if dims is None else dims)
    if not steps:
        raise RuntimeError("`shifts` required")
    if len(along) != len(steps) and (along or len(steps) != 1):
        raise RuntimeError(
            f"shifts and dimensions must align. shifts: {len(steps)}, dims:{len(along)}"
        )
    for dim in along if input._data.size else ():
        if not input._data.ndim:
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        wrap_dim(dim, input._data.ndim)
    return F.roll(input, steps, along)


# Triangles --------------------------------------------------------------------------------------
@offer(out=True)
def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """The items on and below a diagonal, 0 above.

    Shapes: (..., m, n); the result has the same.
    """
    return F.tril(input, diagonal)


@offer(out=True)
def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """The items on and above a diagonal, 0 below.

    Shapes: (..., m, n); the result has the same.
    """
    return F.triu(input, diagonal)


UNSUPPORTED = """Padding size {size} is not supported for {ndim}D input tensor.
Supported combinations for non-constant padding:
  - 2D or 3D input: padding size = 2 (pads last dimension)
  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)
  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"""


def pad(
    input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None
) -> Tensor:
    """More items at the ends of the last dims.

    Args:
        pad: for the last dim before and after, then for the one before it, ...; negative numbers
            take items away.
        mode: ``constant``, or copies from inside: ``reflect``, ``replicate``.
        value: for ``constant``; 0 by default.

    Raises:
        RuntimeError, NotImplementedError: as PyTorch's.
    """
    sizes = tuple(operator.index(size) for size in pad)
    if len(sizes) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    ndim = input._data.ndim
    if len(sizes) > 2 * ndim:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got "
            f"padding length {len(sizes)} and input of dimension {ndim}"
        )
    if mode == "constant":
        return constant_pad_nd(input, sizes, 0 if value is None else float(value))
    if value not in (None, 0):
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    count = len(sizes) // 2
    if not (1 <= count <= 3 and ndim in (count + 1, count + 2)):
        raise NotImplementedError(UNSUPPORTED.format(size=len(sizes), ndim=ndim))
    if mode == "circular" or count == 3:
        raise NotImplementedError(not_here(f"torch.nn.functional.pad of {count} dims, {mode=}"))
    if mode not in ("reflect", "replicate"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if 0 in input._data.shape[ndim - count - 1 :]:
        raise RuntimeError(
            f"Expected {count + 1}D or {count + 2}D (batch mode) tensor with possibly 0 batch size "
            f"and other non-zero dimensions for input, but got: {list(input._data.shape)}"
        )
    if mode == "reflect":
        check_reflection(input, sizes)
    rule = {"reflect": "reflection", "replicate": "replication"}[mode]
    padded: Tensor = getattr(F, f"{rule}_pad{count}d")(input, sizes)
    return padded


@offer(method=False)
def constant_pad_nd(input: Tensor, pad: Sequence[int], value: float = 0) -> Tensor:
    """More items of one value at the ends of the last dims.

    Shapes: any; each padded size grows by its two numbers.
    """
    sizes, shape = tuple(map(operator.index, pad)), input._data.shape
    if len(sizes) % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {len(sizes)}")
    if len(sizes) > 2 * len(shape):
        raise RuntimeError(
            "Length of pad should be no more than twice the number of dimensions of the input. Pad "
            f"length is {len(sizes)}while the input has {len(shape)}dimensions."
        )
    for i in range(0, len(sizes), 2):
        before, after = sizes[i : i + 2]
        size = shape[-1 - i // 2]
        if size + builtins.min(before, 0) + builtins.min(after, 0) < 0:
            raise RuntimeError("narrow(): length must be non-negative.")
    return F.constant_pad_nd(input, sizes, value)


def check_reflection(input: Tensor, sizes: tuple[int, ...]) -> None:
    """A mirror image is smaller than what is mirrored.

    Raises:
        RuntimeError: PyTorch's text.
    """
    shape = input._data.shape
    for i in range(0, len(sizes), 2):
        dim = len(shape) - 1 - i // 2
        before, after = sizes[i : i + 2]
        if builtins.max(before, after) >= shape[dim]:
            raise RuntimeError(
                f"Argument #{4 + i}: Padding size should be less than the corresponding input "
                f"dimension, but got: padding ({before}, {after}) at dimension {dim} of input "
                f"{list(shape)}"
            )
