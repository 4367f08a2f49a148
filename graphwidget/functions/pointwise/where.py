"""``where``: items of one operand or of the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import dtypes
from ...arrays.scalars import check_scalar_fits
from ...dispatch.offer import offer
from ...eager.op_functions import TENSORS as F
from ...eager.promote import is_number, scalar_tensor
from ...graph.tensor import Tensor


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
