"""``addmm`` and ``baddbmm``, also in place."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ...arrays import dtypes
from ...arrays.kernel_errors import not_implemented
from ...dispatch.offer import METHODS, offer
from ...eager.inplace import write
from ...eager.op_functions import TENSORS as F
from ...graph.tensor import Tensor
from ...optable import TABLE
from ..dims import wrap_dim_nonempty
from ..indexing.getitem import check_expand


def no_bools(kernel: str, tensor: Tensor) -> None:
    """Refuse products of bools.

    Raises:
        NotImplementedError: PyTorch's text.
    """
    if tensor._data.dtype == bool and (tensor._data.size or kernel == "dot"):
        raise not_implemented(kernel, tensor._data.dtype)


def check_broadcasts(input: Tensor, shape: tuple[int, ...]) -> None:
    """Check that what is added broadcasts to the product's shape.

    Raises:
        RuntimeError: it does not (PyTorch's text).
    """
    if input._data.shape not in (shape, shape[1:]):
        check_expand(input._data, shape)


def check_same_types(input: Tensor, one: Tensor, two: Tensor) -> None:
    """Check that three matrices have one type.

    Raises:
        RuntimeError: they do not (PyTorch's text).
    """
    if input._meta.dtype is one._meta.dtype is two._meta.dtype:
        return
    for name, each in (("self", input), ("mat1", one)):
        if each._data.dtype != two._data.dtype:
            raise RuntimeError(
                f"{name} and mat2 must have the same dtype, but got "
                f"{dtypes.scalar_type(each._data.dtype)} and {dtypes.scalar_type(two._data.dtype)}"
            )


ShapeCheck = Callable[[Tensor, tuple[int, ...]], None]
"""Check of the tensor that a product of a shape is added to."""


def check_fits_self(input: Tensor, shape: tuple[int, ...]) -> None:
    """Check that a product fits the tensor that it is written into.

    Raises:
        RuntimeError: it does not (PyTorch's text).
    """
    if input._data.shape != shape:
        raise RuntimeError(
            f"Bad in-place call: input tensor size {list(input._data.shape)} and output tensor "
            f"size {list(shape)} should match"
        )


def check_written_type(kind: np.dtype[Any], made: np.dtype[Any]) -> None:
    """Check that what is written has the type of the tensor that it is written into.

    Raises:
        RuntimeError: it does not (PyTorch's text).
    """
    if kind != made:
        raise RuntimeError(
            f"Bad in-place call: input tensor dtype {dtypes.c_type(kind)} and output tensor dtype "
            f"{dtypes.c_type(made)} should match"
        )


def check_addmm(
    input: Tensor, mat1: Tensor, mat2: Tensor, fits: ShapeCheck = check_broadcasts
) -> None:
    """PyTorch's checks of ``addmm``: first the types, then the sizes."""
    check_same_types(input, mat1, mat2)
    a, b = mat1._data.shape, mat2._data.shape
    for name, shape in (("mat1", a), ("mat2", b)):
        if len(shape) != 2:
            raise RuntimeError(f"{name} must be a matrix, got {len(shape)}-D tensor")
    if a[1] != b[0]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({a[0]}x{a[1]} and {b[0]}x{b[1]})"
        )
    fits(input, (a[0], b[1]))
    no_bools("addmm_impl_cpu_", input)


@offer(out=True)
def addmm(
    input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1
) -> Tensor:
    """beta input + alpha mat1 @ mat2."""
    check_addmm(input, mat1, mat2)
    if beta == 1 and alpha == 1:
        return F.addmm(input, mat1, mat2)
    return F.addmm_scaled(input, mat1, mat2, beta, alpha)


def check_baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, fits: ShapeCheck | None = None
) -> None:
    """PyTorch's checks of ``baddbmm``."""
    a, b = batch1._data.shape, batch2._data.shape
    wrap_dim_nonempty(0, len(a))
    shape = a[0], a[wrap_dim_nonempty(1, len(a))], b[wrap_dim_nonempty(2, len(b))]
    check_broadcasts(input, shape)
    given = [each._data.dtype for each in (input, batch1, batch2)]
    if given[0] != given[1]:
        raise RuntimeError(
            "Input dtypes must be the same, got: input {}, batch1: {}, batch2: {}".format(
                *map(dtypes.c_type, given)
            )
        )
    check_batches(batch1, batch2)
    if a[0] != b[0] or a[2] != b[1]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{a[0]}, {a[2]}] but "
            f"got: [{b[0]}, {b[1]}]."
        )
    if fits is not None:
        fits(input, shape)
        check_written_type(given[0], given[2])
    no_bools("baddbmm", input)
    if given[1] != given[2]:
        raise RuntimeError(
            f"expected scalar type {dtypes.scalar_type(given[1])} but found "
            f"{dtypes.scalar_type(given[2])}"
        )


def check_batches(*batches: Tensor) -> None:
    """Check that both operands are batches of matrices."""
    for number, each in enumerate(batches, 1):
        if each._data.ndim != 3:
            raise RuntimeError(f"batch{number} must be a 3D tensor")


@offer(out=True)
def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1
) -> Tensor:
    """beta input + alpha times the products of two batches of matrices."""
    check_baddbmm(input, batch1, batch2)
    return F.baddbmm(input, batch1, batch2, beta, alpha)


def _inplace_method(
    key: str, check: Callable[..., None], fits: ShapeCheck = check_fits_self
) -> Callable[..., Tensor]:
    def method(
        self: Tensor, one: Tensor, two: Tensor, *, beta: float = 1, alpha: float = 1
    ) -> Tensor:
        check(self, one, two, fits)
        return write(TABLE[key], self, (one, two), {"beta": beta, "alpha": alpha})

    shown = inspect.signature(method)
    named = zip(shown.parameters.values(), (*TABLE[key].inputs, "beta", "alpha"), strict=True)
    parameters = [parameter.replace(name=name) for parameter, name in named]
    method.__signature__ = shown.replace(parameters=parameters)  # type: ignore[attr-defined]
    method.__name__ = method.__qualname__ = key.partition(".")[0] + "_"
    method.__doc__ = f"``{key.partition('.')[0]}``, written into this tensor."
    return method


METHODS.update(
    addmm_=_inplace_method("addmm.scaled", check_addmm),
    baddbmm_=_inplace_method("baddbmm", check_baddbmm),
)
