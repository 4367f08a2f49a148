"""``torch.gradient``: slopes of sampled functions by finite differences.

The formulas are those of second order in the distances (B. Fornberg, Mathematics of Computation 51,
1988, for unequal ones).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import dtypes
from .compile import TENSORS as F
from .dims import check_distinct, wrap_dim
from .promote import is_number
from .public import offer
from .tensor import Tensor

NAME = "torch.gradient"


@offer(method=False)
def gradient(
    input: Tensor, *, spacing: Any = None, dim: Any = None, edge_order: int = 1
) -> tuple[Tensor, ...]:
    """The slopes of samples along each dim (or those given).

    Shapes: any; a result of the same for each dim.

    Args:
        spacing: the distance between samples: one number, one for each dim, or a tensor of
            coordinates for each dim.
        dim: a dim, or several; all by default.
        edge_order: 1 or 2, the order of the differences at both ends.

    Raises:
        RuntimeError: dims too small, or a spacing that does not fit (PyTorch's texts).
    """
    data = input._data
    given: Any = spacing if spacing is not None else 1
    many = isinstance(given, (list, tuple))
    if dim is None:
        dims = tuple(range(data.ndim))
        if many and len(given) != len(dims):
            raise RuntimeError(
                f"{NAME} expected spacing to be unspecified, a scalar, or a list of length equal "
                f"to 'self.dim() = {data.ndim}', since dim argument was not given, but got a list "
                f"of length {len(given)}"
            )
    else:
        dims = (dim,) if isinstance(dim, int) else tuple(dim)
        if many and len(given) != len(dims):
            raise RuntimeError(
                f"{NAME} expected spacing to be unspecified, a scalar or it's spacing and dim "
                f"arguments to have the same length, but got a spacing argument of length "
                f"{len(given)} and a dim argument of length {len(dims)}."
            )
    check_gradient(input, dims, edge_order)
    steps = tuple(given) if many else (given,) * len(dims)
    return tuple(
        even(input, wrap_dim(d, data.ndim), step, edge_order) if is_number(step)
        else uneven(input, wrap_dim(d, data.ndim), step, edge_order)
        for d, step in zip(dims, steps, strict=True)
    )  # fmt: skip


def check_gradient(input: Tensor, dims: tuple[int, ...], edge_order: int) -> None:
    """What can be differenced.

    Raises:
        RuntimeError, IndexError: PyTorch's texts.
    """
    shape = input._data.shape
    if dtypes.of(input._data.dtype) is dtypes.uint8:
        raise RuntimeError("torch.gradient does not support uint8 input.")
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    places = [wrap_dim(dim, len(shape)) for dim in dims]
    check_distinct(tuple(places))
    if any(shape[place] < edge_order + 1 for place in places):
        raise RuntimeError(
            "torch.gradient expected each dimension size to be at least edge_order+1"
        )


def part(input: Tensor, dim: int, start: int, end: int | None) -> Tensor:
    """A slice of a dim; places may count from its end."""
    size = input._data.shape[dim]
    stop = size if end is None else end % size if end < 0 else end
    return F.slice(input, dim, start % size if start < 0 else start, min(stop, size), 1)


def even(input: Tensor, dim: int, step: Any, edge_order: int) -> Tensor:
    """Slopes for one distance between all neighbours."""
    if not input._meta.floating:
        input = F.to_copy(input, dtypes.default_numpy())

    def between(high: tuple[int, int | None], low: tuple[int, int | None]) -> Tensor:
        return F.sub(part(input, dim, *high), part(input, dim, *low))

    def times(place: int, number: float) -> Tensor:
        return F.mul_number(part(input, dim, place, place + 1), number)

    size = input._data.shape[dim]
    centre = F.div_number(between((2, None), (0, -2)), step)
    if edge_order == 1:
        start = F.div_number(between((1, 2), (0, 1)), step)
        end = F.div_number(between((-1, None), (-2, -1)), step)
    else:  # the parts in PyTorch's order
        parts = times(2, 0.5), times(1, 2.0), times(0, -1.5)
        start = F.div_number(F.sub(F.add(parts[2], parts[1]), parts[0]), step)
        parts = times(size - 3, 0.5), times(size - 2, 2.0), times(size - 1, 1.5)
        end = F.div_number(F.add(F.sub(parts[2], parts[1]), parts[0]), step)
    return F.cat([start, F.div_number(centre, 2), end], dim)


def uneven(input: Tensor, dim: int, places: Tensor, edge_order: int) -> Tensor:
    """Slopes of samples at given coordinates.

    Raises:
        RuntimeError: not one coordinate for each sample.
    """
    x = places._data
    size = input._data.shape[dim]
    if x.ndim != 1 or x.size != size:
        raise RuntimeError(
            f"{NAME} expected each spacing tensor to have one dimension of the size of its dim"
        )
    shape = [1] * input._data.ndim
    shape[dim] = -1

    def weights(numbers: np.ndarray) -> Tensor:
        kind = x.dtype if x.dtype.kind == "f" else dtypes.default_numpy()
        return Tensor._wrap(np.asarray(numbers, kind).reshape(shape))

    def total(*parts: tuple[np.ndarray, tuple[int, int | None]]) -> Tensor:
        found: Tensor | None = None
        for numbers, range_ in parts:
            each = F.mul(weights(numbers), part(input, dim, *range_))
            found = each if found is None else F.add(found, each)
        assert found is not None
        return found

    h = np.diff(x)
    first, second = h[:-1], h[1:]
    both = first + second
    centre = total(
        (-second / (first * both), (0, -2)),
        ((second - first) / (first * second), (1, -1)),
        (first / (second * both), (2, None)),
    )
    if edge_order == 1:
        ends = [
            F.div(F.sub(part(input, dim, i + 1, i + 2), part(input, dim, i, i + 1)),
                  weights(h[i : i + 1]))
            for i in (0, size - 2)
        ]  # fmt: skip
        return F.cat([ends[0], centre, ends[1]], dim)
    a, b = h[:1], h[1:2]
    c, d = h[-2:-1], h[-1:]
    start = total((-(2 * a + b) / (a * (a + b)), (0, 1)), ((a + b) / (a * b), (1, 2)),
                  (-a / (b * (a + b)), (2, 3)))  # fmt: skip
    end = total((d / (c * (c + d)), (size - 3, size - 2)),
                (-(c + d) / (c * d), (size - 2, size - 1)),
                ((2 * d + c) / (d * (c + d)), (size - 1, size)))  # fmt: skip
    return F.cat([start, centre, end], dim)
