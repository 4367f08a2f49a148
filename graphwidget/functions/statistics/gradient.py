"""``torch.gradient``: gradients of sampled functions by finite differences.

The formulas are those of second order in the distances (B. Fornberg, Mathematics of Computation 51,
1988, for unequal ones).
"""

from __future__ import annotations

from typing import Any

from ...arrays import dtypes
from ...dispatch.offer import offer
from ...eager.op_functions import TENSORS as F
from ...eager.promote import is_number
from ...graph.tensor import Tensor
from ..dims import check_distinct, wrap_dim
from ..shape.reshape_expand import view
from ..shape.select_diagonal import select

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
        even_gradient(input, wrap_dim(d, data.ndim), step, edge_order) if is_number(step)
        else uneven_gradient(input, wrap_dim(d, data.ndim), step, edge_order)
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


def slice_dim(input: Tensor, dim: int, start: int, end: int | None) -> Tensor:
    """A slice of a dim; places may count from its end."""
    size = input._data.shape[dim]
    stop = size if end is None else end % size if end < 0 else end
    return F.slice(input, dim, start % size if start < 0 else start, min(stop, size), 1)


def to_floats(input: Tensor) -> Tensor:
    """Integers as floats: these are differenced before, as PyTorch does it."""
    return input if input._meta.floating else F.to_copy(input, dtypes.default_numpy())


def even_gradient(input: Tensor, dim: int, step: Any, edge_order: int) -> Tensor:
    """Slopes for one distance between all neighbours."""

    def between(high: tuple[int, int | None], low: tuple[int, int | None]) -> Tensor:
        return to_floats(F.sub(slice_dim(input, dim, *high), slice_dim(input, dim, *low)))

    def times(place: int, number: float) -> Tensor:
        return F.mul_number(to_floats(slice_dim(input, dim, place, place + 1)), number)

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


def uneven_gradient(input: Tensor, dim: int, places: Tensor, edge_order: int) -> Tensor:
    """Slopes of samples at given coordinates.

    Raises:
        RuntimeError: not one coordinate for each sample.
    """
    size = input._data.shape[dim]
    if places._data.ndim != 1 or places._data.size != size:
        raise RuntimeError(
            f"{NAME} expected each spacing tensor to have one dimension of the size of its dim"
        )
    shape = [1] * input._data.ndim
    shape[dim] = -1

    def total(*parts: tuple[Tensor, tuple[int, int | None]]) -> Tensor:
        products = [F.mul(weights, slice_dim(input, dim, *range_)) for weights, range_ in parts]
        return F.add(F.add(products[0], products[1]), products[2])

    # each distance, sum and product that is used is a node of its own, as in PyTorch
    h = F.sub(slice_dim(places, 0, 1, None), slice_dim(places, 0, 0, -1))
    left, right = slice_dim(h, 0, 0, -1), slice_dim(h, 0, 1, None)
    centre = total(
        (view(-right / (left * (left + right)), *shape), (0, -2)),
        (view((right - left) / (left * right), *shape), (1, -1)),
        (view(left / (right * (left + right)), *shape), (2, None)),
    )
    if edge_order == 1:
        start = F.sub(slice_dim(input, dim, 1, 2), slice_dim(input, dim, 0, 1)) / select(h, 0, 0)
        end = F.sub(slice_dim(input, dim, -1, None), slice_dim(input, dim, -2, -1)) / select(
            h, 0, -1
        )
        return F.cat([start, centre, end], dim)

    def at(place: int) -> Tensor:
        return select(h, 0, place)

    start = total(
        (-(F.mul_number(at(0), 2.0) + at(1)) / (at(0) * (at(0) + at(1))), (0, 1)),
        ((at(0) + at(1)) / (at(0) * at(1)), (1, 2)),
        (-at(0) / (at(1) * (at(0) + at(1))), (2, 3)),
    )
    end = total(
        (at(-1) / (at(-2) * (at(-1) + at(-2))), (-3, -2)),
        (-(at(-1) + at(-2)) / (at(-1) * at(-2)), (-2, -1)),
        ((F.mul_number(at(-1), 2) + at(-2)) / (at(-1) * (at(-1) + at(-2))), (-1, None)),
    )
    return F.cat([start, centre, end], dim)
