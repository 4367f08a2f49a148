"""``gradient``, ``diff`` and ``trapezoid``: slopes and integrals of functions given by samples.

The formulas of ``gradient`` are those of second order in the distances (B. Fornberg, Mathematics of
Computation 51, 1988, for unequal ones).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import dtypes
from ...dispatch.offer import offer
from ...eager.op_functions import TENSORS as F
from ...eager.promote import is_number
from ...graph.tensor import Tensor
from ...optable.out import POINTWISE
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
    if isinstance(given, Tensor) and given.dim():
        raise TypeError("the spacing is one tensor")  # the caller finds PyTorch's words
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


@offer(out=POINTWISE)
def diff(
    input: Tensor, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None
) -> Tensor:
    """The differences of neighbours along a dim, n times.

    Shapes: any; n fewer along ``dim``, after what is put before and behind.
    """
    ndim = input._data.ndim
    if not ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    joined = [each for each in (prepend, input, append) if each is not None]
    if n or len(joined) > 1:
        wrap_dim(dim, ndim)
    if any(each._data.ndim != ndim for each in joined):
        raise RuntimeError("diff expects prepend or append to be the same dimension as input")
    for each in joined:
        for place, (have, want) in enumerate(zip(each._data.shape, input._data.shape, strict=True)):
            if have != want and place != dim % ndim:
                raise RuntimeError(
                    "diff expects the shape of tensor to prepend or append to match that of input "
                    f"except along the differencing dimension; input.size({place}) = {want}, but "
                    f"got tensor.size({place}) = {have}"
                )
    if n == 0:
        return F.zeros_like(input.detach()).copy_(input)
    result = F.cat(joined, dim) if len(joined) > 1 else input
    for _ in range(min(n, result._data.shape[dim])):
        size = result._data.shape[dim]
        before, after = F.slice(result, dim, 0, size - 1, 1), F.slice(result, dim, 1, size, 1)
        kind = F.logical_xor if result._data.dtype == bool else F.sub
        result = kind(after, before)
    return result


def sample_spacing(y: Tensor, x: Tensor, dim: int, name: str) -> Tensor:
    """The distances of sample points, fit to be multiplied with the samples."""
    size = y._data.shape[dim]
    if x._data.ndim == 1:
        if x._data.size != size:
            raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
        shape = [1] * y._data.ndim
        shape[dim] = size
        x = view(x, *shape)
    elif x._data.ndim < y._data.ndim:
        x = view(x, *(1,) * (y._data.ndim - x._data.ndim), *x._data.shape)
    count = x._data.shape[dim]
    return F.sub(F.slice(x, dim, 1, count, 1), F.slice(x, dim, 0, count - 1, 1))


def neighbour_sums(y: Tensor, dim: int) -> Tensor:
    """The sums of neighbours."""
    size = y._data.shape[dim]
    return F.add(F.slice(y, dim, 0, size - 1, 1), F.slice(y, dim, 1, size, 1))


def no_bool_samples(name: str, y: Tensor, x: Tensor | None) -> None:
    """Refuse bools (PyTorch's texts)."""
    if y._data.dtype == bool or (x is not None and x._data.dtype == bool):
        told = "`y`" if x is None else "`x` or `y`"
        raise RuntimeError(f"{name}: received a bool input for {told}, but bool is not supported")


def sample_dim(y: Tensor, dim: int) -> int:
    """The dim counted from the start.

    Raises:
        IndexError: there is none.
    """
    if not y._data.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return wrap_dim(dim, y._data.ndim)


@offer("trapz", method=False)
def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float = 1, dim: int = -1) -> Tensor:
    """The integral along a dim by the trapezoidal rule, at points ``x`` or ``dx`` apart.

    Shapes: any; ``dim`` goes.
    """
    no_bool_samples("trapezoid", y, x)
    dim = sample_dim(y, dim)
    size = y._data.shape[dim]
    if not size:
        shape = tuple(n for d, n in enumerate(y._data.shape) if d != dim)
        return Tensor._wrap(np.zeros(shape, y._data.dtype))
    if x is not None:
        distances = sample_spacing(y, x, dim, "trapezoid")
        return F.div_number(F.sum_dim(F.mul(neighbour_sums(y, dim), distances), (dim,)), 2.0)
    ends = F.add(F.select(y, dim, 0), F.select(y, dim, size - 1))
    half = F.mul_number(ends, 0.5)
    inner = F.sub(F.sum_dim(y, (dim,)), half)
    return F.mul_number(inner, float(dx))


@offer(method=False)
def cumulative_trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: float = 1, dim: int = -1
) -> Tensor:
    """The running integral along a dim by the trapezoidal rule.

    Shapes: any; one fewer along ``dim``.
    """
    no_bool_samples("cumulative_trapezoid", y, x)
    place = sample_dim(y, dim)
    if x is not None:
        distances = sample_spacing(y, x, place, "cumulative_trapezoid")
        return F.div_number(F.cumsum(F.mul(neighbour_sums(y, place), distances), dim), 2.0)
    return F.cumsum(F.mul_number(neighbour_sums(y, place), dx / 2.0), dim)
