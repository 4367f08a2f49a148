"""Decorators of kernels: large arrays in blocks that fit the cache, halves computed as floats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np

from .memory_order import Array, empty_in_order, memory_order

BLOCK = 1 << 16
"""Items of a block."""


def halves_in_float32(count: int) -> Callable[[Callable[..., Array]], Callable[..., Array]]:
    """Decorate a kernel of ``count`` arrays to compute float16 in float32, as PyTorch does: there
    exponentials have room, and intermediate results are not rounded."""

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


def apply_in_blocks(
    function: Callable[..., Array], arrays: Sequence[Array], *rest: Any, out: Any = ...,
    **params: Any,
) -> Array:  # fmt: skip
    """Call a function that writes into ``out`` (new memory by default) block by block of arrays of
    one shape and type, halves as floats. The result's order in memory is PyTorch's: that of the
    first array that has one."""
    last = arrays[-1]
    order = memory_order(last.shape, *arrays)
    out = empty_in_order(order, last.shape, last.dtype) if out is ... else out
    work = np.float32 if last.dtype.char == "e" else last.dtype
    count = len(arrays)
    parts = np.nditer(  # type: ignore[call-overload]
        [each.transpose(order) for each in (*arrays, out)],
        ["external_loop", "buffered"], [["readonly"]] * count + [["writeonly"]],
        [np.dtype(work)] * (count + 1), "C", "same_kind", buffersize=BLOCK,
    )  # fmt: skip
    with parts:
        for each in parts:
            function(*each[:count], *rest, out=each[count], **params)
    return out


def in_blocks(count: int) -> Callable[[Callable[..., Array]], Callable[..., Array]]:
    """Decorate a kernel of ``count`` arrays, which writes into ``out``, to compute large ones in
    blocks, and halves in floats."""

    def wrap(function: Callable[..., Array]) -> Callable[..., Array]:
        at_once = halves_in_float32(count)(function)

        @wraps(function)
        def kernel(*args: Any, **params: Any) -> Array:
            last = args[count - 1]
            if last.size <= BLOCK:
                plain = last.dtype.char != "e"
                return function(*args, **params) if plain else at_once(*args, **params)
            arrays = args[:count]
            if all(each.shape == last.shape and each.dtype == last.dtype for each in arrays):
                return apply_in_blocks(function, arrays, *args[count:], **params)
            return at_once(*args, **params)

        return kernel

    return wrap
