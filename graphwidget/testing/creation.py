"""Tensors of any values to test with: `make_tensor`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..arrays import dtypes
from ..arrays.finfo import finfo, iinfo
from ..arrays.warnings import warn
from ..functions.creation.factories import empty
from ..functions.random.random_tensors import randint
from ..graph.tensor import Tensor


def make_tensor(
    *shape: Any,
    dtype: dtypes.dtype,
    device: Any,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """A tensor of even random values in [low, high): [-9, 9) when not given, [-9, 10) of integers,
    and both values of bools.

    Args:
        noncontiguous: it is every second item of another tensor.
        exclude_zero: zeros become the smallest positive value.

    Raises:
        ValueError: options that exclude each other, or no such interval of the dtype.
        TypeError: an unknown dtype.
    """
    sizes = tuple(shape[0] if len(shape) == 1 and isinstance(shape[0], Sequence) else shape)
    if noncontiguous and memory_format is not None:
        raise ValueError(
            "The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got "
            f"noncontiguous={noncontiguous!r} and memory_format={memory_format!r}"
        )
    if not isinstance(dtype, dtypes.dtype):
        raise TypeError(
            f"The requested dtype '{dtype}' is not supported by torch.testing.make_tensor(). To "
            "request support, file an issue at: https://github.com/pytorch/pytorch/issues"
        )
    floating = dtype.is_floating_point
    if requires_grad and not floating:
        raise ValueError(
            "`requires_grad=True` is not supported for boolean and integral dtypes, but got "
            f"dtype={dtype!r}"
        )
    spread = noncontiguous and math.prod(sizes) > 1
    if spread:
        sizes = (*sizes[:-1], 2 * sizes[-1])
    first, last = _interval(dtype, low, high)
    if floating:
        made = _uniform(empty(sizes, dtype=dtype, device=device), first, last)
    else:
        made = randint(math.ceil(first), math.ceil(last), sizes, dtype=dtype, device=device)
    if spread:
        made = made[..., 1::2]
    elif memory_format is not None:
        made = made.clone(memory_format=memory_format)
    if exclude_zero:
        made[made == 0] = finfo(dtype).tiny if floating else 1
    return made.requires_grad_() if requires_grad else made


def _bounds(dtype: dtypes.dtype) -> tuple[float, float, float, float]:
    """The least value of a dtype and the end of its values, then the usual interval."""
    if dtype.is_floating_point:
        return finfo(dtype).min, finfo(dtype).max, -9, 9
    if dtype is dtypes.bool_:
        return 0, 2, 0, 2
    # the end of int64's is no int64 itself
    return iinfo(dtype).min, iinfo(dtype).max + (dtype is not dtypes.int64), -9, 10


def _interval(dtype: dtypes.dtype, low: float | None, high: float | None) -> tuple[float, float]:
    """The interval that is meant, as far as a dtype has its values."""
    least, end, usual_low, usual_high = _bounds(dtype)
    low = usual_low if low is None else low
    high = usual_high if high is None else high
    if math.isnan(low) or math.isnan(high):
        raise ValueError(f"`low` and `high` cannot be NaN, but got low={low!r} and high={high!r}")
    if low == high and dtype.is_floating_point:
        warn(
            "Passing `low==high` to `torch.testing.make_tensor` for floating or complex types is "
            "deprecated since 2.1 and will be removed in 2.3. Use `torch.full(...)` instead.",
            FutureWarning,
        )
    elif low >= high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    elif high < least or low >= end:
        raise ValueError(
            f"The value interval specified by `low` and `high` is [{low}, {high}), but {dtype} "
            f"only supports [{least}, {end})"
        )
    return min(max(low, least), end), min(max(high, least), end)


def _uniform(tensor: Tensor, low: float, high: float) -> Tensor:
    """Fill a tensor; an interval as wide as its dtype is drawn at half its width."""
    if high - low >= finfo(tensor.dtype).max:
        return tensor.uniform_(low / 2, high / 2).mul_(2)
    return tensor.uniform_(low, high)
