"""``torch.Size``: shapes as users see them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any, SupportsIndex, overload

import numpy as np


class Size(tuple[int, ...]):
    """A tensor's shape: a tuple of ints that prints as `torch.Size([2, 3])`."""

    __slots__ = ()

    def __new__(cls, sizes: Iterable[SupportsIndex] = ()) -> Size:
        made = super().__new__(cls, sizes)  # type: ignore[arg-type]
        for place, size in enumerate(made):
            if not isinstance(size, int):
                return cls._counted([*made], place)
        return made

    @classmethod
    def _counted(cls, sizes: list[Any], first: int) -> Size:
        """A Size of what is not all int: tensors are read, numpy's integers stay.

        Raises:
            TypeError: no integers, from a place on (PyTorch's text).
        """
        for place in range(first, len(sizes)):
            try:
                number = operator.index(sizes[place])
            except TypeError:
                kind = type(sizes[place]).__name__
                raise TypeError(
                    f"torch.Size() takes an iterable of 'int' (item {place} is '{kind}')"
                ) from None
            if not isinstance(sizes[place], np.integer):
                sizes[place] = number
        return tuple.__new__(cls, sizes)

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    __str__ = __repr__

    @staticmethod
    def of(shape: tuple[int, ...]) -> Size:
        """A Size of an array's shape, whose ints need no check."""
        return tuple.__new__(Size, shape)

    def numel(self) -> int:
        """The product of the sizes: the number of elements."""
        product = 1
        for size in self:
            product *= size
        return product

    @overload
    def __getitem__(self, index: SupportsIndex, /) -> int: ...
    @overload
    def __getitem__(self, index: slice, /) -> Size: ...
    def __getitem__(self, index: SupportsIndex | slice, /) -> int | Size:
        if isinstance(index, slice):
            return Size(tuple.__getitem__(self, index))
        return tuple.__getitem__(self, index)

    def __add__(self, other: tuple[int, ...], /) -> Size:  # type: ignore[override]
        if not isinstance(other, tuple):
            kind = type(other).__name__
            raise TypeError(f"can only concatenate tuple (not {kind}) to torch.Size")
        return Size(tuple.__add__(self, other))

    def __radd__(self, other: tuple[int, ...], /) -> Size:
        return Size(tuple.__add__(other, self))

    def __mul__(self, times: SupportsIndex, /) -> Size:
        return Size(tuple.__mul__(self, times))

    def __rmul__(self, times: SupportsIndex, /) -> Size:
        return Size(tuple.__mul__(self, times))

    def __reduce__(self) -> tuple[Callable[[tuple[int, ...]], Size], tuple[tuple[int, ...]]]:
        return size_of, (tuple(self),)


def size_of(sizes: tuple[int, ...]) -> Size:
    """A Size from its pickle, which cannot name the class: its public name is PyTorch's."""
    return Size(sizes)


Size.__module__ = "torch"  # what printing a type shows
