"""Large arrays computed part by part, so that what kernels have in between stays in the cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np

from .memory_order import Array, empty_in, memory_order

PART = 1 << 16
"""Items of a part."""


def in_floats(count: int) -> Callable[[Callable[..., Array]], Callable[..., Array]]:
    """Make a kernel of ``count`` arrays compute halves in floats, as PyTorch does: there
    exponentials have room, and what comes in between is not rounded."""

    def wrap(function: Callable[..., Array]) -> Callable[..., Array]:
        @wraps(function)
        def kernel(*args: Any, **params: Any) -> Array:
            dtype = args[count - 1].dtype
            if dtype.char != "e":
                return function(*args, **params)
            wide = [np.asarray(each, np.float32) for each in args[:count]]
            return function(*wide, *args[count:], **params).astype(dtype)

        return kernel

    return wrap


def by_parts(
    function: Callable[..., Array], arrays: Sequence[Array], *rest: Any, out: Any = ...,
    **params: Any,
) -> Array:  # fmt: skip
    """What a function of arrays of one shape and type writes into ``out``, which is made where it
    is not given; halves are floats meanwhile. PyTorch's order in memory: the first array's that
    knows one."""
    last = arrays[-1]
    order = memory_order(last.shape, *arrays)
    out = empty_in(order, last.shape, last.dtype) if out is ... else out
    work = np.float32 if last.dtype.char == "e" else last.dtype
    count = len(arrays)
    parts = np.nditer(  # type: ignore[call-overload]
        [each.transpose(order) for each in (*arrays, out)],
        ["external_loop", "buffered"], [["readonly"]] * count + [["writeonly"]],
        [np.dtype(work)] * (count + 1), "C", "same_kind", buffersize=PART,
    )  # fmt: skip
    with parts:
        for each in parts:
            function(*each[:count], *rest, out=each[count], **params)
    return out


def in_parts(count: int) -> Callable[[Callable[..., Array]], Callable[..., Array]]:
    """Make a kernel of ``count`` arrays, which writes into ``out``, compute large ones part by
    part, and halves in floats."""

    def wrap(function: Callable[..., Array]) -> Callable[..., Array]:
        at_once = in_floats(count)(function)

        @wraps(function)
        def kernel(*args: Any, **params: Any) -> Array:
            last = args[count - 1]
            if last.size <= PART:
                plain = last.dtype.char != "e"
                return function(*args, **params) if plain else at_once(*args, **params)
            arrays = args[:count]
            if all(each.shape == last.shape and each.dtype == last.dtype for each in arrays):
                return by_parts(function, arrays, *args[count:], **params)
            return at_once(*args, **params)

        return kernel

    return wrap
