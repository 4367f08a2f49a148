"""``Flatten`` and ``Unflatten``."""

from __future__ import annotations

from typing import Any

from ..graph.tensor import Tensor
from .functional_layer import repr_options
from .module import Module

__all__ = ["Flatten", "Unflatten"]


class Flatten(Module):
    """The dims from `start_dim` to `end_dim` as one."""

    extra_repr = repr_options("start_dim", "end_dim")

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        """The input in its new shape."""
        return input.flatten(self.start_dim, self.end_dim)


class Unflatten(Module):
    """One dim as several, of the sizes given.

    Raises:
        TypeError: the sizes are no tuple or list of ints.
    """

    extra_repr = repr_options("dim", "unflattened_size")

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        if not isinstance(unflattened_size, tuple | list):
            raise TypeError(
                "unflattened_size must be a tuple of ints, but found type "
                f"{type(unflattened_size).__name__}"
            )
        for place, size in enumerate(unflattened_size):
            if not isinstance(size, int):
                raise TypeError(
                    "unflattened_size must be tuple of ints, but found element of type "
                    f"{type(size).__name__} at pos {place}"
                )
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        """The input in its new shape."""
        return input.unflatten(self.dim, self.unflattened_size)
