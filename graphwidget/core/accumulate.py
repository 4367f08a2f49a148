"""Adding a gradient to a leaf's ``.grad``."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..optable.zeros import Zeros
from . import errors, hot
from .overlap import check_overlap, is_dense
from .tensor import Tensor
from .version import bump, filled


def accumulate(variable: Tensor, grad: Any, create: bool, known: int = 0) -> None:
    """Add a gradient to ``variable.grad``.

    The first is taken over when nobody else has it and it lies in memory as promised, else copied
    so; later ones are added in place. Under create_graph both are recorded
    and out of place (PyTorch, accumulate_grad.h). ``known`` callers more refer to the gradient.

    Raises:
        RuntimeError: the leaf was written and is none any more, or what it has cannot be written.
    """
    if variable._node is not None or (variable._view is not None and variable.grad_fn is not None):
        raise RuntimeError("leaf variable has been moved into the graph interior")
    current = variable._grad
    if create and isinstance(grad, Tensor):
        made = hot.copied(grad) if current is None else hot.tensors.add(current, grad)
        if current is None and not obeys(made._data, variable._data):
            made._relay(promised(variable._data, made._data))
        variable._grad = made
    elif current is not None:
        if 0 in current._data.strides:  # the user's own buffer may be an expanded one
            check_overlap(current._data, [])
        try:
            np.add(current._data, grad, out=current._data)
        except ValueError as error:
            raise errors.not_written(error, current._data) from None
        bump(current, "backward")
    elif grad.__class__ is Zeros and not grad.flags.writeable and obeys(grad, variable._data):
        variable._grad = Tensor._wrap(grad)
        variable._grad._data = grad
    elif grad.__class__ is not np.ndarray:  # a numpy scalar
        variable._grad = Tensor._wrap(np.asarray(grad))
        if sys.getrefcount(grad) != ALONE + known:
            variable._grad._counter = filled()
    elif (
        sys.getrefcount(grad) == ALONE + known
        and is_whole(grad) and obeys(grad, variable._data)
    ):  # fmt: skip
        variable._grad = Tensor._wrap(grad)
    else:
        variable._grad = Tensor._wrap(promised(variable._data, grad))
        variable._grad._counter = filled()


# PyTorch promises that a leaf's gradient lies in memory as the leaf does where its items leave no
# gaps, else in C order.
def obeys(grad: np.ndarray, data: np.ndarray) -> bool:
    """Whether a gradient of a leaf lies in memory as promised, in the leaf's type."""
    if grad.dtype != data.dtype:
        return False
    if data.flags.c_contiguous or not is_dense(data):
        return bool(grad.flags.c_contiguous)
    return grad.strides == data.strides


def promised(data: np.ndarray, grad: Any) -> np.ndarray:
    """A copy of a gradient that lies in memory as promised."""
    found = np.empty_like(data, order="K" if is_dense(data) else "C")
    np.copyto(found, grad)
    return found


def is_whole(grad: Any) -> bool:
    """Whether a gradient owns its memory, or is the only view of an array that does."""
    if not grad.flags.writeable:
        return False
    base = grad.base
    if base is None:
        return bool(grad.flags.owndata)
    return (
        base.__class__ is np.ndarray and base.size == grad.size and base.flags.owndata
        and sys.getrefcount(base) == ALONE
    )  # fmt: skip


def _alone() -> int:
    """What ``accumulate`` counts when only its caller's variable refers to an array (the number
    differs between versions of Python)."""

    def count(grad: Any) -> int:
        return sys.getrefcount(grad)

    grad = np.empty(0)
    return count(grad)


ALONE = _alone()
hot.accumulate = accumulate
