"""Checks of matrices that functions of linear algebra share: types, sizes, and LAPACK's info."""

from __future__ import annotations

import numpy as np

from ...arrays import dtypes
from ...arrays.kernel_errors import LinAlgError
from ...graph.tensor import Tensor


# Checks ------------------------------------------------------------------------------------------
def check_floating(name: str, A: Tensor, half: bool = False) -> None:
    """Linear algebra is of floating point tensors, float32 at least (``half``: the kernel says
    so itself).

    Raises:
        RuntimeError, NotImplementedError: PyTorch's texts.
    """
    kind = dtypes.scalar_type(A._data.dtype)
    if not A._meta.floating:
        raise RuntimeError(
            f"{name}: Expected a floating point or complex tensor as input. Got {kind}"
        )
    if A._data.dtype.itemsize < 4 and not half:
        raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {kind}")


def check_same_types(name: str, one: str, A: Tensor, two: str, B: Tensor) -> None:
    """Two operands, by their names in the error, of one type.

    Raises:
        RuntimeError: PyTorch's text.
    """
    if A._data.dtype != B._data.dtype:
        first, second = dtypes.scalar_type(A._data.dtype), dtypes.scalar_type(B._data.dtype)
        raise RuntimeError(
            f"{name}: Expected {one} and {two} to have the same dtype, but found {one} of type "
            f"{first} and {two} of type {second} instead"
        )


def check_matrix(name: str, A: Tensor, letter: str = "A") -> None:
    """Two dims at least.

    Raises:
        RuntimeError: PyTorch's text.
    """
    if A._data.ndim < 2:
        tensor = f"tensor {letter}".rstrip()
        raise RuntimeError(f"{name}: The input {tensor} must have at least 2 dimensions.")


def check_square(name: str, A: Tensor) -> None:
    """A batch of square matrices.

    Raises:
        RuntimeError: PyTorch's texts.
    """
    check_matrix(name, A)
    rows, columns = A._data.shape[-2:]
    if rows != columns:
        raise RuntimeError(
            f"{name}: A must be batches of square matrices, but they are {rows} by {columns} "
            "matrices"
        )


def check_info(name: str, info: Tensor, text: str, error: type[Exception] = LinAlgError) -> None:
    """Raise for the first matrix of a batch on which LAPACK failed.

    Raises:
        LinAlgError: PyTorch's text.
    """
    found = info._data
    if not found.any():
        return
    if not found.ndim:
        raise error(f"{name}: " + text.format(int(found)))
    first = int(np.flatnonzero(found)[0])
    number = int(found.reshape(-1)[first])
    raise error(f"{name}: (Batch element {first}): " + text.format(number))


def check_system(name: str, A: tuple[int, ...], b: tuple[int, ...]) -> None:
    """The shapes of square matrices and of the right sides of their equations, as PyTorch's older
    solvers ask for them.

    Raises:
        RuntimeError: PyTorch's texts.
    """
    rows, columns = A[-2:]
    if rows != columns:
        raise RuntimeError(
            f"A must be batches of square matrices, but they are {rows} by {columns} matrices"
        )
    if rows != b[-2]:
        raise RuntimeError(
            f"Incompatible matrix sizes for {name}: each A matrix is {rows} by {columns} "
            f"but each b matrix is {b[-2]} by {b[-1]}"
        )
