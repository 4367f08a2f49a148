"""Checks of dims and shapes as users give them: negative, several, with a -1."""

from __future__ import annotations

from operator import index
from typing import Any

ZERO_DIM_SLICE = "slice() cannot be applied to a 0-dim tensor."


def wrap_dim(dim: int, ndim: int) -> int:
    """A dim counted from the start.

    Raises:
        IndexError: out of range (PyTorch's text).
        TypeError: not an integer.
    """
    size = ndim or 1
    if not -size <= dim < size:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-size}, {size - 1}], "
            f"but got {dim})"
        )
    return dim % size


def wrap_dim_nonempty(dim: int, ndim: int) -> int:
    """A dim counted from the start, of a tensor that must have some.

    Raises:
        IndexError: out of range, or a 0-d tensor (PyTorch's texts).
    """
    if not ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return wrap_dim(dim, ndim)


def checked_dim(dim: int, ndim: int) -> int:
    """A dim as the user gave it, which is what nodes keep, after the check of ``wrap_dim``."""
    wrap_dim(dim, ndim)
    return dim


def wrap_dims(dim: Any, ndim: int) -> tuple[int, ...]:
    """One or several dims counted from the start; an empty choice means all."""
    dims = tuple(dim) if isinstance(dim, (tuple, list)) else (index(dim),)
    found = tuple([wrap_dim(d, ndim) for d in dims]) or tuple(range(ndim))
    check_distinct(found)
    return found if ndim else ()


def checked_dims(dims: Any, ndim: int) -> tuple[int, ...]:
    """Several dims as the user gave them, after the checks of ``wrap_dims``."""
    result = tuple(dims) if isinstance(dims, (tuple, list)) else (index(dims),)
    check_distinct(tuple([wrap_dim(dim, ndim) for dim in result]))
    return result


def check_distinct(dims: tuple[int, ...]) -> None:
    """Refuse a dim that is named twice.

    Raises:
        RuntimeError: PyTorch's text.
    """
    if len(set(dims)) != len(dims):
        twice = next(d for d in dims if dims.count(d) > 1)
        raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")


def shape_args(args: tuple[Any, ...]) -> tuple[int, ...]:
    """``(2, 3)`` or ``((2, 3),)`` as a shape."""
    if len(args) == 1 and isinstance(args[0], (tuple, list)):
        args = tuple(args[0])
    return tuple([index(size) for size in args])


def infer_shape(shape: tuple[int, ...], numel: int) -> tuple[int, ...]:
    """A shape with its -1 filled in.

    Raises:
        RuntimeError: it does not have ``numel`` items (PyTorch's texts).
    """
    known, missing = 1, None
    for i, size in enumerate(shape):
        if size == -1:
            if missing is not None:
                raise RuntimeError("only one dimension can be inferred")
            missing = i
        elif size < 0:
            raise RuntimeError(
                f"invalid shape dimension {size} at index {i} of shape {list(shape)}"
            )
        else:
            known *= size
    fits = known == numel if missing is None else (known > 0 and numel % known == 0)
    if missing is not None and known == 0 and numel == 0:
        raise RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified "
            "dimension size -1 can be any value and is ambiguous"
        )
    if not fits:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
    if missing is None:
        return shape
    return (*shape[:missing], numel // known, *shape[missing + 1 :])
