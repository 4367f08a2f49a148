"""The node ``AccumulateGrad``: it adds a gradient to a leaf's ``.grad``.

The class itself stands in ``graph/node.py``, because tensors and nodes refer to it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..arrays.memory_order import check_overlap, is_dense, real_strides
from ..arrays.warnings import warn_once
from ..eager.promote import check_broadcastable
from ..graph import errors, runtime
from ..graph.base import dtype_of_grad
from ..graph.input_buffers import ONE_REFERENCE, differentiable_copy, owns_memory
from ..graph.tensor import Tensor
from ..graph.version import bump, counter_for_grad
from ..optable.pointwise.copies import ZeroArray

LAYOUT = (
    "grad and param do not obey the gradient layout contract. This is not an error, but may "
    "impair performance.\ngrad.sizes() = {}, strides() = {}\nparam.sizes() = {}, strides() = {}"
)
OTHER_SHAPE = (
    "got a gradient of shape {} for a leaf of shape {}: its data were replaced by data of another "
    "shape after they were used"
)


def accumulate(variable: Tensor, grad: Any, create: bool, known: int = 0, sums: int = 0) -> None:
    """Add a gradient to a leaf's ``.grad``, to which other threads may add meanwhile.

    The first is taken over when nothing else refers to it and it lies in memory as promised, else
    copied so; later ones are added in place. Under create_graph both are recorded and out of place
    (PyTorch, accumulate_grad.h). ``known`` is how many callers more than usual hold the gradient:
    they are not somebody else. ``sums`` is how often it was written: the version of what is taken
    over.

    Raises:
        RuntimeError: the leaf was written and is none any more, its data were replaced by data of
            another shape, or what it has cannot be written.
    """
    if variable._node is not None or (variable._view is not None and variable.grad_fn is not None):
        raise RuntimeError("leaf variable has been moved into the graph interior")
    create = create and isinstance(grad, Tensor)
    shape = (grad._data if create else grad).shape
    if shape != variable._data.shape:
        raise RuntimeError(OTHER_SHAPE.format(list(shape), list(variable._data.shape)))
    if variable._grad is None:
        own = variable._hooks is None
        dtype = variable._data.dtype if own or create else dtype_of_grad(variable, grad.dtype)
        if create:
            made = first_differentiable_grad(variable, grad)
        elif is_unwritten_zeros(grad) and follows_layout_contract(grad, variable._data, dtype):
            made = Tensor._wrap(grad)
            made._data = grad
        else:
            data = np.asarray(grad)
            taken = sys.getrefcount(grad) == known + (
                ONE_REFERENCE if data is not grad else ONE_REFERENCE + 1
            )
            taken = taken and follows_layout_contract(data, variable._data, dtype)
            if not taken or (data is grad and not owns_memory(data)):
                data, sums = copy_in_layout(variable._data, grad, dtype), 1  # `copy_`
            made = Tensor._wrap(data, variable._meta if own and not data.ndim else None)
            made._counter = counter_for_grad(sums)
        # Nothing is called within this line, so no other thread comes in between.
        variable._grad = made if variable._grad is None else variable._grad
        if variable._grad is made:
            return
    with runtime.lock:
        if create:
            variable._grad = made = runtime.tensors.add(variable._grad, grad)
            if made._data.strides != variable._data.strides:
                warn_of_layout(made._data, variable._data)
        else:
            add_in_place(variable, variable._grad, grad)


def is_unwritten_zeros(grad: Any) -> bool:
    """Return whether a gradient is zeros that were never written."""
    return grad.__class__ is ZeroArray and not grad.flags.writeable


def first_differentiable_grad(variable: Tensor, grad: Tensor) -> Tensor:
    """A leaf's first gradient under create_graph: it has a history of its own."""
    made: Tensor = differentiable_copy(grad)
    dtype = dtype_of_grad(variable, made._data.dtype)
    if not follows_layout_contract(made._data, variable._data, dtype):
        made._replace_memory(copy_in_layout(variable._data, made._data, dtype))
    return made


def add_in_place(variable: Tensor, current: Tensor, grad: Any) -> None:
    """Write a sum into what a leaf has.

    Raises:
        RuntimeError: it cannot be written, or has another shape (PyTorch's texts).
    """
    strides = current._data.strides
    if 0 in strides:  # the user's own buffer may be an expanded one
        check_overlap(current._data, [])
    try:
        np.add(current._data, grad, out=current._data)
    except ValueError as error:
        check_broadcastable(np.shape(grad), current._data.shape)
        raise errors.read_only_error(error, current._data) from None
    bump(current, "backward")
    gaps = current._data.base is not None and not current._data.flags.forc
    if gaps or strides != variable._data.strides:
        warn_of_layout(current._data, variable._data)


# PyTorch promises that a leaf's gradient lies in memory as the leaf does where its items leave no
# gaps, else in C order.
def follows_layout_contract(grad: np.ndarray, data: np.ndarray, dtype: np.dtype[Any]) -> bool:
    """Return whether a gradient of a leaf lies in memory as promised, in the type that is
    wanted."""
    if grad.dtype != dtype or grad.ndim != data.ndim:
        return False
    if not data.ndim:  # there is one layout only
        return True
    if grad.size == 1:  # an expanded number has no strides
        return any(grad.strides)
    if not grad.size:  # only one that was expanded does not
        return grad.base is None or not getattr(grad.base, "size", 1)
    if data.flags.c_contiguous or not is_dense(data):
        return bool(grad.flags.c_contiguous)
    return grad.strides == data.strides


def copy_in_layout(data: np.ndarray, grad: Any, dtype: np.dtype[Any]) -> np.ndarray:
    """A copy of a gradient that lies in memory as promised, in the type that is wanted."""
    found = np.empty_like(data, dtype, order="K" if is_dense(data) else "C")
    np.copyto(found, grad)
    return found


def warn_of_layout(grad: np.ndarray, data: np.ndarray) -> None:
    """Warn of a sum of gradients that does not lie in memory as promised: the user's own ``.grad``
    did not. PyTorch does not mind the strides of dims of size 1."""
    steps, promised = (
        [step // each.itemsize for step in real_strides(each)] for each in (grad, data)
    )
    if is_dense(data):
        dims = zip(grad.shape, steps, promised, strict=False)
        wrong = any(size != 1 and step != promise for size, step, promise in dims)
    else:
        wrong = not grad.flags.c_contiguous
    if wrong:
        warn_once(LAYOUT.format(list(grad.shape), steps, list(data.shape), promised))


# Clears .grad, for zero_grad of modules and optimizers -------------------------------------------


def clear_gradients(parameters: Iterable[Any], set_to_none: bool) -> None:
    """Clear gradients, as `zero_grad` of modules and optimizers does."""
    for parameter in parameters:
        if parameter.grad is None:
            continue
        if set_to_none:
            parameter.grad = None
        else:
            if parameter.grad.grad_fn is not None:
                parameter.grad.detach_()
            else:
                parameter.grad.requires_grad_(False)
            parameter.grad.zero_()
