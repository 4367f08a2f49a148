"""``torch.nn.functional.pad`` in all its modes."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Sequence

from ...dispatch.offer import offer
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor

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
        mode: ``constant``, or copies from inside: ``reflect``, ``replicate``, ``circular``.
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
    if mode == "circular":
        return circular_pad(input, sizes)
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


def circular_pad(input: Tensor, sizes: tuple[int, ...]) -> Tensor:
    """The tensor as one period of a periodic one, recorded as PyTorch does: copies into slices."""
    count, shape = len(sizes) // 2, list(input._data.shape)
    sides = {len(shape) - 1 - i: (sizes[2 * i], sizes[2 * i + 1]) for i in builtins.range(count)}
    wide = list(shape)
    for dim, (before, after) in sides.items():
        if before > shape[dim] or after > shape[dim]:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        wide[dim] += before + after
        if wide[dim] < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
    out = F.zeros_of(input, tuple(wide))
    inner, source = out, input
    for dim, (before, after) in sides.items():
        inner = F.slice(inner, dim, at_least_0(before), wide[dim] - at_least_0(after), 1)
        source = F.slice(source, dim, at_least_0(-before), shape[dim] - at_least_0(-after), 1)
    inner.copy_(source)
    for dim in sorted(sides):
        before, after = sides[dim]
        if before > 0:
            end = wide[dim] - at_least_0(after)
            F.slice(out, dim, 0, before, 1).copy_(F.slice(out, dim, end - before, end, 1))
        if after > 0:
            begin = at_least_0(before)
            F.slice(out, dim, wide[dim] - after, wide[dim], 1).copy_(
                F.slice(out, dim, begin, begin + after, 1)
            )
    return out


def at_least_0(size: int) -> int:
    """The size, or 0."""
    return size if size > 0 else 0
