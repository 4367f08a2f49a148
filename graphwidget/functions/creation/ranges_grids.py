"""``arange``, ``linspace``, ``eye``, ``meshgrid`` and their kin."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np

from ...arrays import dtypes
from ...arrays.kernel_errors import not_implemented
from ...arrays.scalars import check_number_fits
from ...arrays.warnings import warn
from ...dispatch.offer import offer
from ...graph.tensor import Tensor
from ..shape import reshape_expand
from .factory_decorator import FACTORY, factory
from .nested_sequences import numpy_type

Array: TypeAlias = Any

_WIDE: dict[str, Any] = {"f": np.float64, "d": np.longdouble}


def fused_dtype(dtype: np.dtype[Any]) -> Any:
    """A type in which a product and a sum of numbers of ``dtype`` are rounded only at the end."""
    return _WIDE.get(dtype.char, dtype.type)


def linspace_array(first: Any, last: Any, steps: int, dtype: np.dtype[Any]) -> Array:
    """``steps`` numbers of a floating type from ``first`` to ``last``, each counted from the nearer
    end, as PyTorch's are."""
    wide, half = fused_dtype(dtype), steps // 2
    first, last = dtype.type(first), dtype.type(last)
    step = wide(dtype.type((last - first) / dtype.type(max(steps - 1, 1))))
    place = np.arange(steps).astype(wide)
    found = np.empty(steps, dtype)
    found[:half] = wide(first) + step * place[:half]
    found[half:] = wide(last) - step * place[: steps - half][::-1]
    return found


_LANES = 8


def arange_float32(start: Any, step: Any, count: int) -> np.ndarray:
    """``count`` float32 numbers from ``start``, ``step`` apart, as PyTorch computes them: eight at
    a time, of which the first is rounded and the others are counted from that.

    What does not fill two such rows at the end is counted from ``start``. (PyTorch also begins anew
    where each of several threads does, in more than 32,768 numbers; here there is one.)
    """
    wide: Any = fused_dtype(np.dtype(np.float64))
    start, step = wide(start), wide(step)
    whole = count - count % (2 * _LANES)
    numbers = (start + step * np.arange(count)).astype(np.float64)
    found: np.ndarray = numbers.astype(np.float32)
    rows = found[:whole].reshape(-1, _LANES)
    rows[:, 1:] = (rows[:, :1] + step * np.arange(1, _LANES)).astype(np.float64)
    return found


DEPRECATED_RANGE = (
    "torch.range is deprecated and will be removed in a future release because its behavior is "
    "inconsistent with Python's range builtin. Instead, use torch.arange, which produces values in "
    "[start, end)."
)
INDEXING = (
    "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument."
)


RANGE = FACTORY._replace(keeps_shape=True)


def as_number(value: Any) -> Any:
    """A 0-d tensor as its number."""
    return value.item() if isinstance(value, Tensor) else value


def count_steps(start: Any, end: Any, step: Any) -> float:
    """Return how many steps there are from start to end.

    Raises:
        RuntimeError: none, or no number of them (PyTorch's texts).
    """
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start:g} -> {end:g}")
    if (step > 0 and start > end) or (step < 0 and start < end):
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    return float((end - start) / step)


@factory(out=RANGE)
def arange(
    start: Any = None,
    end: Any = None,
    step: Any = 1,
    *,
    dtype: Any = None,
) -> np.ndarray:
    """Numbers from ``start`` (default 0) up to, without, ``end``: int64 if all three are integers.

    Shapes: (n,) with n = ⌈(end - start) / step⌉.

    Raises:
        RuntimeError: no such range.
    """
    if end is None:
        start, end = 0, start
    start, end, step = (as_number(each) for each in (0 if start is None else start, end, step))
    kind = any(isinstance(each, float) for each in (start, end, step))
    found = dtypes.default_numpy() if kind else np.dtype(np.int64)
    chosen = found if dtype is None else numpy_type(dtype)
    whole = kind and chosen == np.int64 and all(map(math.isfinite, (start, end, step)))
    if whole:  # PyTorch counts in this type, but in float64 for all others
        if step and not int(step):
            raise ValueError("step must be nonzero")
        start, end, step = int(start), int(end), int(step)
    count = math.ceil(count_steps(start, end, step))
    if chosen.kind == "b":
        raise not_implemented("arange_cpu", chosen)
    if chosen.char == "f" and (start, step) != (0, 1):
        return arange_float32(start, step, count)
    return spaced_array(start, step, count, chosen)


def spaced_array(start: Any, step: Any, count: int, dtype: np.dtype[Any]) -> np.ndarray:
    """start, start + step, ..., each computed on its own in float64 or int64."""
    wide = np.float64 if dtype.kind == "f" else np.int64
    numbers: np.ndarray = np.arange(count).astype(wide, copy=False)
    if step != 1:
        numbers = numbers * wide(step)
    if start:
        numbers = numbers + wide(start)
    return numbers.astype(dtype, copy=False)


@factory(out=RANGE)
def range(
    start: Any,
    end: Any = None,
    step: Any = 1,
    *,
    dtype: Any = None,
) -> np.ndarray:
    """Numbers from ``start`` up to, with, ``end`` (deprecated in PyTorch).

    Shapes: (n,) with n = ⌊(end - start) / step⌋ + 1.
    """
    warn(DEPRECATED_RANGE)
    if end is None:
        start, end = 0, start
    count = math.floor(count_steps(start, end, step)) + 1
    return spaced_array(start, step, count, numpy_type(dtype))


def check_ends(name: str, start: Any, end: Any) -> None:
    """Ends that are tensors must be 0-d (PyTorch's text)."""
    given = {
        what: each._data.ndim
        for what, each in (("start", start), ("end", end))
        if isinstance(each, Tensor)
    }
    if any(given.values()):
        sizes = " and ".join(f"{what} with {ndim} dimension(s)" for what, ndim in given.items())
        raise RuntimeError(
            f"{name} only supports 0-dimensional start and end tensors, but got {sizes}."
        )


@factory(out=RANGE)
def linspace(
    start: Any,
    end: Any,
    steps: int,
    *,
    dtype: Any = None,
) -> np.ndarray:
    """``steps`` numbers from ``start`` to ``end``, both included.

    Shapes: (steps,).

    Raises:
        RuntimeError: a negative number of steps.
    """
    check_ends("linspace", start, end)
    return linspace_data(as_number(start), as_number(end), steps, numpy_type(dtype))


def linspace_data(start: Any, end: Any, steps: int, dtype: np.dtype[Any]) -> np.ndarray:
    """Evenly spaced numbers, counted from the nearer end as PyTorch does."""
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    for number in (start, end) if steps else ():
        check_number_fits(number, dtype)
    if steps == 1:
        return np.array([start], dtype)
    if steps and dtype.kind == "b":
        raise not_implemented("linspace_cpu", dtype)
    kind = dtype if dtype.kind == "f" else np.dtype(np.float64)
    if kind is not dtype:  # integers take the ends as integers
        start, end = np.asarray((start, end)).astype(dtype)
    found: np.ndarray = linspace_array(start, end, steps, kind)
    return found.astype(dtype, copy=False)


@factory(out=FACTORY)
def eye(
    n: int,
    m: int | None = None,
    *,
    dtype: Any = None,
) -> np.ndarray:
    """The identity matrix of n rows and m (default n) columns.

    Raises:
        RuntimeError: negative sizes.
    """
    for name, size in (("n", n), ("m", n if m is None else m)):
        if size < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {size}")
    return np.eye(n, m, dtype=numpy_type(dtype))


def _triangle(upper: bool, row: int, col: int, offset: int, dtype: Any) -> np.ndarray:
    for name, size in (("row", row), ("col", col)):
        if size < 0:
            raise RuntimeError(f"{name} must be non-negative, got{size}")
    chosen = np.dtype(np.int64) if dtype is None else numpy_type(dtype)
    found = np.triu_indices(row, offset, col) if upper else np.tril_indices(row, offset, col)
    return np.stack(found).astype(chosen)


@factory()
def tril_indices(row: int, col: int, offset: int = 0, *, dtype: Any = None) -> np.ndarray:
    """Rows and columns (2 by how many there are) of a matrix's lower triangle, row by row."""
    return _triangle(False, row, col, offset, dtype)


@factory()
def triu_indices(row: int, col: int, offset: int = 0, *, dtype: Any = None) -> np.ndarray:
    """Rows and columns (2 by how many there are) of a matrix's upper triangle, row by row."""
    return _triangle(True, row, col, offset, dtype)


# Grids ----------------------------------------------------------------------------------------
@offer(method=False)
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Each 1-d tensor spread along a dim of its own over the grid of all.

    Args:
        indexing: "ij" for dims in the order of the tensors, "xy" with the first two exchanged.

    Raises:
        RuntimeError: no tensors, several dims or dtypes, another indexing.

    Warns:
        UserWarning: no indexing is given.
    """
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        tensors = tuple(tensors[0])
    if not tensors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    reshape_expand.check_tensors(tensors)
    if any(tensor.dtype is not tensors[0].dtype for tensor in tensors):
        raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    if indexing is None:
        warn(INDEXING)
    elif indexing not in ("ij", "xy"):
        raise RuntimeError(
            f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}'
        )
    for tensor in tensors:
        if tensor._data.ndim > 1:
            raise RuntimeError(
                f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {tensor!r}"
            )
    swap = indexing == "xy" and len(tensors) >= 2
    if swap:
        tensors = (tensors[1], tensors[0], *tensors[2:])
    shape = tuple(tensor._data.size for tensor in tensors)
    grids = []
    for dim, tensor in enumerate(tensors):
        sizes = tuple(size if other == dim else 1 for other, size in enumerate(shape))
        grids.append(reshape_expand.expand(reshape_expand.view(tensor, sizes), shape))
    if swap:
        grids[:2] = grids[1::-1]
    return tuple(grids)
