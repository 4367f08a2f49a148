"""``segment_reduce``: reductions of neighbouring rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..optable.refusals import not_implemented
from .compile import TENSORS as F
from .public import offer
from .tensor import Tensor

NAMES = {"sum": "sum", "prod": "prod", "mean": "mean", "max": "max", "min": "min", "amax": "max",
         "amin": "min"}  # fmt: skip
IMPROVE = (
    "Expected {} to be true, but got false.  (Could this error message be improved?  If so, please "
    "report an enhancement request to PyTorch.)"
)


@offer(method=False)
def segment_reduce(
    data: Tensor, reduce: str, *, lengths: Tensor | None = None, indices: Tensor | None = None,
    offsets: Tensor | None = None, axis: int = 0, unsafe: bool = False, initial: Any = None,
) -> Tensor:  # fmt: skip
    """The sum, mean, product, max or min of each segment of rows along ``axis``.

    Shapes: data (*lead, rows, *rest), lengths (*lead, segments) or offsets (*lead, segments + 1),
    where ``axis`` counts the leading dims; (*lead, segments, *rest).
    """
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    if lengths is None and offsets is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    if reduce not in NAMES:
        raise RuntimeError(
            f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}"
        )
    check_segments(data, lengths, offsets, axis, unsafe)
    chosen = None if offsets is not None else lengths
    start = None if initial is None else float(initial)
    return F.segment_reduce(data, chosen, offsets, NAMES[reduce], axis, start)


def check_segments(
    data: Tensor, lengths: Tensor | None, offsets: Tensor | None, axis: int, unsafe: bool
) -> None:
    """Whether the lengths fit the data.

    Raises:
        RuntimeError, NotImplementedError: PyTorch's texts.
    """
    name, given = ("offsets", offsets) if offsets is not None else ("lengths", lengths)
    assert given is not None
    sizes = given._data
    if axis != sizes.ndim - 1:
        raise RuntimeError(
            f"segment_reduce(): Expected axis to be the last dimension of {name} but got {axis}."
        )
    if data._data.ndim < sizes.ndim:
        raise RuntimeError(IMPROVE.format(f"data.dim() >= {name}_value.dim()"))
    if name == "lengths" and not unsafe:
        if (sizes < 0).any():
            raise RuntimeError("lengths contains negative value!")
        if (np.sum(sizes, -1) != data._data.shape[axis]).any():
            raise RuntimeError(
                "segment_reduce(): Expected all rows of lengths along axis to sum to "
                "data.size(lengths.dim()-1) when !unsafe."
            )
    if sizes.dtype.kind not in "iu":
        raise not_implemented(f"_segment_reduce_{name}_cpu_kernel1", sizes.dtype)
    if name == "offsets" and (np.diff(sizes, axis=-1) < 0).any():
        raise RuntimeError(IMPROVE.format("segment_length >= 0"))
