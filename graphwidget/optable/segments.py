"""Reductions of segments: neighbouring rows along a dim, as many each as lengths or offsets say."""

from __future__ import annotations

import math

import numpy as np

from .declare import Namespace, op
from .kernels import Array

F = Namespace()

REDUCE = {"sum": np.add, "mean": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}
EMPTY = {"sum": 0.0, "mean": math.nan, "prod": 1.0, "max": -math.inf, "min": math.inf}
"""What PyTorch says of a segment without rows."""


def segments(
    a: Array, lengths: Array | None, offsets: Array | None, axis: int
) -> tuple[Array, Array]:
    """How many rows each segment has, those of all leading dims in turn, and where in the flat rows
    of ``a`` they stand."""
    if offsets is not None:
        counts, first = np.diff(offsets, axis=-1), offsets[..., :-1]
    else:
        counts = np.asarray(lengths)
        first = np.cumsum(counts, -1) - counts
    lead = math.prod(a.shape[:axis])
    first = first.reshape(lead, -1) + np.arange(lead)[:, None] * a.shape[axis]
    counts, first = counts.reshape(-1), first.reshape(-1)
    ends = np.cumsum(counts)
    return counts, np.repeat(first - (ends - counts), counts) + np.arange(counts.sum())


def rows_of(a: Array, axis: int) -> Array:
    """All rows, those of all leading dims in turn."""
    return a.reshape(math.prod(a.shape[: axis + 1]), *a.shape[axis + 1 :])


def reduced(how: str, rows: Array, counts: Array, initial: float | None) -> Array:
    """The reduction of each segment of rows that lie one after another."""
    start = initial if initial is not None else EMPTY[how]
    found = np.full((len(counts), *rows.shape[1:]), start, rows.dtype)
    full = counts > 0
    if not full.any():
        return found
    starts = (np.cumsum(counts) - counts)[full]
    values = REDUCE[how].reduceat(rows, starts)
    if initial is not None:
        values = REDUCE[how](values, rows.dtype.type(initial))
    if how == "mean":
        values /= counts[full].reshape(-1, *(1,) * (rows.ndim - 1)).astype(rows.dtype)
    found[full] = values
    return found


def segment_reduce(
    data: Array, lengths: Array | None, offsets: Array | None, reduce: str, axis: int,
    initial: float | None,
) -> Array:  # fmt: skip
    """(*lead, segments, *rest) of (*lead, rows, *rest)."""
    counts, places = segments(data, lengths, offsets, axis)
    found = reduced(reduce, rows_of(data, axis)[places], counts, initial)
    each = counts.size // max(math.prod(data.shape[:axis]), 1)
    return found.reshape(*data.shape[:axis], each, *data.shape[axis + 1 :])


def others(rows: Array, counts: Array, initial: float | None) -> Array:
    """The product of the other rows of each one's segment."""
    out, end = np.empty_like(rows), 0
    start = rows.dtype.type(1 if initial is None else initial)
    for count in counts[counts > 0].tolist():
        part = rows[end : end + count]
        for row in range(count):
            out[end + row] = np.multiply.reduce(np.delete(part, row, 0), 0) * start
        end += count
    return out


def segment_reduce_backward(
    grad: Array, result: Array, data: Array, lengths: Array | None, offsets: Array | None,
    reduce: str, axis: int, initial: float | None,
) -> Array:  # fmt: skip
    """The gradient of the rows. Largest rows that are equal share theirs where it is positive, and
    each one has it whole where it is not: PyTorch divides what is above 0 only."""
    counts, places = segments(data, lengths, offsets, axis)
    rows = rows_of(data, axis)[places]
    flow = np.repeat(rows_of(np.asarray(grad), axis), counts, 0)
    if reduce == "mean":
        shares = np.repeat(counts, counts).reshape(-1, *(1,) * (rows.ndim - 1))
        flow = flow / shares.astype(rows.dtype)
    elif reduce == "prod":
        own = np.repeat(rows_of(result, axis), counts, 0)
        alone = (rows == 0) | np.isnan(rows)
        slopes = np.divide(own, rows, out=np.zeros_like(rows), where=~alone)
        if alone.any():
            slopes = np.where(alone, others(rows, counts, initial), slopes)
        flow = flow * slopes
    elif reduce != "sum":
        chosen = (rows == np.repeat(rows_of(result, axis), counts, 0)) | np.isnan(rows)
        ties = reduced("sum", chosen.astype(rows.dtype), counts, None)
        shares = np.where(flow > 0, np.maximum(np.repeat(ties, counts, 0), 1), 1)
        flow = np.where(chosen, flow / shares, 0)
    out = np.zeros_like(rows_of(data, axis))
    out[places] = flow
    return out.reshape(data.shape)


op("segment_reduce(data, lengths=None, offsets=None, /, reduce, axis, initial)", segment_reduce,
   refuses="_segment_reduce_cpu: bool integer",
   d_data=lambda grad, data, lengths, offsets, result, reduce, axis, initial:
       F.segment_reduce_backward(grad, result, data, lengths, offsets, reduce, axis, initial),
   public=False, sign="segments", text="{reduce} of segments of {data}",
   tex=r"\operatorname{{{reduce}}} {data}", onnx=None)

op("segment_reduce_backward(grad_output, output, data, lengths=None, offsets=None, /, reduce, "
   "axis, initial)", segment_reduce_backward, node="NotImplemented",
   d_grad_output=lambda grad: F.underivable("_segment_reduce_backward"),
   d_output=lambda grad: F.underivable("_segment_reduce_backward"),
   d_data=lambda grad: F.underivable("_segment_reduce_backward"),
   public=False, sign="segments′", text="slopes · {grad_output}", tex=r"{grad_output}", onnx=None)
