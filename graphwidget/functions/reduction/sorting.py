"""``sort``, ``topk``, ``median``, ``mode``, ``searchsorted`` and ``isin``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...arrays import dtypes
from ...dispatch.offer import offer
from ...dispatch.out import NamedResult, make_result_type
from ...eager.op_functions import TENSORS as F
from ...eager.promote import is_number
from ...graph.tensor import Tensor
from ..dims import checked_dim, wrap_dim
from .reductions import checked_nonempty_dim, returns_tuple

# Order -------------------------------------------------------------------------------------------
SORT = make_result_type("sort", "values", "indices")


@offer(out=True)
def sort(
    input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool | None = None
) -> Any:
    """The items sorted along a dim, and where they stood; equal items keep their order.

    Shapes: any; both results have the same.
    """
    record = F.sort if stable is None else F.sort_stable
    return SORT(
        returns_tuple(record)(input, dim=checked_dim(dim, input.ndim), descending=descending)
    )


@offer()
def argsort(
    input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False
) -> Tensor:
    """The indices that sort along a dim; equal items keep their order.

    Shapes: any; the result has the same.
    """
    return F.argsort(input, wrap_dim(dim, input.ndim), descending)


TOPK = make_result_type("topk", "values", "indices")


@offer(out=True)
def topk(
    input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> Any:  # fmt: skip
    """The k largest (or smallest) items along a dim, and where they stood.

    Shapes: any; both results have k along ``dim``.

    Raises:
        RuntimeError: there are fewer.
    """
    place = wrap_dim(dim, input.ndim)
    if not 0 <= k <= (input._data.shape[place] if input.ndim else 1):
        raise RuntimeError("selected index k out of range")
    if input._data.dtype == bool:
        raise RuntimeError("topk does not support bool dtypes on CPU")
    return TOPK(returns_tuple(F.topk)(input, k=k, dim=dim, largest=largest, sorted=sorted))


def _median(name: str, result: type[NamedResult]) -> Callable[..., Any]:
    def function(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
        if dim is None:
            return getattr(F, name)(input)
        dim = checked_nonempty_dim("median", input, dim)
        return result(getattr(F, name + "_dim")(input, dim=dim, keepdim=keepdim))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        "The middle item (the lower of two), of all; along a dim, a pair of values and indices. "
        + ("nan wins." if name == "median" else "nan is passed over.")
    )
    return function


median = offer(out=True)(_median("median", make_result_type("median", "values", "indices")))
nanmedian = offer(out=True)(
    _median("nanmedian", make_result_type("nanmedian", "values", "indices"))
)

MODE = make_result_type("mode", "values", "indices")


@offer(out=True)
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> Any:
    """The most frequent items along a dim (the smallest of several), and where the last stood."""
    dim = checked_nonempty_dim("mode", input, dim)
    return MODE(returns_tuple(F.mode)(input, dim=dim, keepdim=keepdim))


# Searching ---------------------------------------------------------------------------------------
def as_tensor(value: Any, like: Tensor | None = None) -> Tensor:
    """A number as a 0-d tensor; a tensor as it is."""
    if isinstance(value, Tensor):
        return value
    if not is_number(value):
        raise TypeError(f"expected a Tensor or a number, got {type(value).__name__}")
    typed = dtypes.number_dtype(value)
    if like is not None:
        typed = dtypes.result_type(like._data, value)
    return Tensor._wrap(np.asarray(value, typed))


@offer(method=False, out=True)
def searchsorted(
    sorted_sequence: Tensor,
    input: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """Return the places where values would be inserted into sorted rows (one row for all values, or
    one for each row).

    Raises:
        RuntimeError: sizes, types or options that do not fit (PyTorch's texts).
    """
    values = as_tensor(input, sorted_sequence)
    rows, given = sorted_sequence._data.shape, values._data.shape
    if side is not None and side not in ("left", "right"):
        raise RuntimeError(
            f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}"
        )
    if right and side == "left":
        raise RuntimeError(
            "torch.searchsorted(): side and right can't be set to opposites, got side of left "
            "while right was True"
        )
    if len(rows) != 1 and rows[:-1] != given[:-1]:
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 "
            "dimensions of boundaries tensor and input value tensor must match, but we got "
            f"boundaries tensor {list(rows)} and input value tensor {list(given)}"
        )
    if sorter is not None:
        sorted_sequence = sorted_sequence.gather(-1, sorter)
    if sorted_sequence._data.dtype != values._data.dtype:
        common = dtypes.of(dtypes.promote_types(sorted_sequence._data.dtype, values._data.dtype))
        sorted_sequence = sorted_sequence.to(common)
    found = np.int32 if out_int32 else np.int64
    return F.searchsorted(sorted_sequence, values, right or side == "right", np.dtype(found))


@offer(method=False, out=True)
def isin(
    elements: Any = None, test_elements: Any = None, *, assume_unique: bool = False,
    invert: bool = False, element: Any = None, test_element: Any = None,
) -> Tensor:  # fmt: skip
    """Return whether each element is among the test elements; of either there may be one only, a
    number (then called ``element`` and ``test_element``).

    Shapes: any; the result is like ``elements``.
    """
    elements = element if elements is None else elements
    test_elements = test_element if test_elements is None else test_elements
    given = as_tensor(elements), as_tensor(test_elements)
    for each in given:
        if each._data.dtype == bool:
            raise RuntimeError("Unsupported input type encountered for isin(): Bool")
    return F.isin(*given, invert)
