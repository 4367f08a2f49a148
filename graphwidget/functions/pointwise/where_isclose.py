"""``where``, ``isclose`` and ``is_nonzero``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import dtypes
from ...arrays.scalars import check_scalar_fits
from ...arrays.type_errors import broadcast_shape
from ...dispatch.offer import offer
from ...eager.numpy_errors import quiet_function
from ...eager.op_functions import TENSORS as F
from ...eager.promote import is_number, not_a_tensor_error, scalar_tensor
from ...graph.tensor import Tensor
from ...graph.version import counter_after_fill
from ...optable import TABLE


# Choices and comparisons -------------------------------------------------------------------------
@offer(method=False, out=True)
def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """input where condition, else other; with the condition alone, the indices where it holds.

    Raises:
        RuntimeError: the condition is neither bool nor uint8.
    """
    if input is None:
        return condition.nonzero(as_tuple=True)
    if condition._data.dtype != bool:
        if condition._data.dtype != np.uint8:
            raise RuntimeError(
                "where expected condition to be a boolean tensor, but got a tensor with dtype "
                f"{condition.dtype.word}"
            )
        condition = F.to_copy(condition, np.dtype(bool))
    if isinstance(input, Tensor):
        if isinstance(other, Tensor):
            return F.where(condition, input, other)
        if input._meta.floating and is_number(other):  # no number raises that
            check_scalar_fits(other, input._data.dtype)
            return F.where(condition, input, scalar_tensor(other, input._meta.dtype))
    dtype = dtypes.result_type(*(x._data if isinstance(x, Tensor) else x for x in (input, other)))
    for each in (input, other):
        if is_number(each):
            check_scalar_fits(each, dtype)
    operands = [scalar_tensor(x, dtype) if is_number(x) else x for x in (input, other)]
    return F.where(condition, *operands)


@offer()
@quiet_function
def isclose(
    input: Tensor,
    other: Tensor,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
) -> Tensor:
    """Whether items differ by at most ``atol + rtol |other|``.

    Shapes: of any shape each; they are broadcast together.

    Raises:
        RuntimeError: two dtypes, or a negative tolerance.
    """
    if not isinstance(other, Tensor):
        raise not_a_tensor_error(TABLE["eq"], (input, other))
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{input.dtype.word} did not match {other.dtype.word}")
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if not tolerance >= 0:
            raise RuntimeError(
                f"{name} must be greater than or equal to zero, but got {tolerance:g}"
            )
    a, b = input._data, other._data
    broadcast_shape((a.shape, b.shape))
    close, writes = a == b, 0  # PyTorch writes the rest into what was equal to begin with
    if equal_nan and input._meta.floating:
        close, writes = close | ((a != a) & (b != b)), 1
    if rtol or atol:
        kind = a if input._meta.floating else a.astype(dtypes.default_numpy())
        far = np.abs(kind - b)
        close = close | (np.isfinite(far) & (far <= atol + np.abs(rtol * b)))
        writes += 1
    out = Tensor._wrap(np.asarray(close))
    if writes:
        out._counter = counter_after_fill(writes)
    return out


@offer()
def is_nonzero(input: Tensor) -> bool:
    """Whether the only item is not 0.

    Shapes: one item, in any number of dims.

    Raises:
        RuntimeError: there are more, or none.
    """
    return bool(input)
