"""``torch.func``: ``jacrev``, ``jacfwd`` and ``hessian``."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..eager.op_functions import TENSORS as F
from ..graph.tensor import Tensor
from .derivatives import (
    Function,
    Inputs,
    Leaves,
    call_function,
    check_floats,
    check_tensors,
    gradients_or_zeros,
    record_inside,
    without_saved_hooks,
)
from .pytree import LEAF, tree_flatten, tree_unflatten


def jacrev(
    func: Function, argnums: int | tuple[int, ...] = 0, *, has_aux: bool = False,
    chunk_size: int | None = None, _preallocate_and_copy: bool = False,
) -> Function:  # fmt: skip
    """A function that gives the Jacobian of ``func``, row by row: a nest like the output of nests
    like the inputs, each of the output's shape and then the input's.

    Args:
        argnums: by which positional arguments; a tuple gives tuples.
        has_aux: ``func`` gives (output, aux) and the result is (Jacobian, aux).
        chunk_size: changes nothing here: rows are computed one at a time.
    """
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")
    return without_saved_hooks(jacobian_by_rows(func, argnums, has_aux))


def jacobian_by_rows(func: Function, argnums: int | tuple[int, ...], has_aux: bool) -> Function:
    """The Jacobian of ``func``, computed row by row."""

    @functools.wraps(func)
    def jacobian(*args: Any) -> Any:
        inputs = Inputs(args, argnums)
        name = "vjp(f, *primals)"
        output, aux = call_function(func, inputs, name, has_aux)
        outputs, spec = tree_flatten(output)
        check_floats(check_tensors(outputs, name))
        with record_inside():
            rows = [
                tree_unflatten(jacobian_rows(each, inputs.tensors), inputs.spec) for each in outputs
            ]
        found = inputs.finished(tree_unflatten(rows, spec) if spec != LEAF else rows[0])
        return (found, inputs.finished(aux)) if has_aux else found

    return jacobian


def jacobian_rows(output: Tensor, by: Leaves) -> Leaves:
    """The Jacobian of one output by each tensor."""
    data = output._data
    unit = np.eye(data.size, dtype=data.dtype).reshape(data.size, *data.shape)
    if not data.size:
        return [Tensor._wrap(np.zeros(data.shape + x._data.shape, x._data.dtype)) for x in by]
    found = gradients_or_zeros([output], by, [Tensor._wrap(unit)], rows=True)
    return [F.reshape(each, data.shape + x._data.shape) for each, x in zip(found, by, strict=True)]


def jacfwd(
    func: Function, argnums: int | tuple[int, ...] = 0, has_aux: bool = False, *,
    randomness: str = "error",
) -> Function:  # fmt: skip
    """The Jacobian of ``func``; computed as ``jacrev`` does, for there is no forward mode."""
    return jacobian_by_rows(func, argnums, has_aux)


def hessian(func: Function, argnums: int | tuple[int, ...] = 0) -> Function:
    """A function that gives the matrix of second derivatives of ``func``: the Jacobian of its
    Jacobian."""
    return jacfwd(jacrev(func, argnums), argnums)
