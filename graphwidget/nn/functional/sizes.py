"""Arguments given once or per dim (kernel sizes, strides): expanded, checked, printed."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...graph.tensor import Tensor


def is_int(value: Any) -> bool:
    """Return whether it is an integer (and no bool), numpy's and 0-d tensors among them."""
    if isinstance(value, Tensor):
        return value._data.ndim == 0 and value._data.dtype.kind in "iu"
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def per_dim(value: Any, dims: int) -> tuple[int, ...]:
    """One number for each of ``dims`` dims, from a number or a sequence of one or of as many."""
    if is_int(value):
        return (int(value),) * dims
    found = tuple(map(operator.index, value))
    return found * dims if len(found) == 1 else found


def format_sizes(sizes: Any) -> str:
    """Sizes as PyTorch's messages write them: ``(2 x 3)``."""
    return "(" + " x ".join(map(str, sizes)) + ")"


def check_one_dim(name: str, input: Tensor) -> None:
    """RuntimeError unless the input is (N, C, L) or (C, L)."""
    if input._data.ndim not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {input._data.ndim}-dimensional tensor for "
            f"argument #1 'self' (while checking arguments for {name})"
        )


def check_pair(name: str, given: Any) -> None:
    """Refuse lists of numbers that are no pair of height and width.

    Raises:
        RuntimeError: PyTorch's text.
    """
    if isinstance(given, tuple | list) and len(given) != 2:
        raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(given)}")
