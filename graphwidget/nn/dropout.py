"""``Dropout`` and its kin as modules."""

from __future__ import annotations

from typing import ClassVar

from ..graph.tensor import Tensor
from . import functional
from .functional_layer import repr_options
from .module import Module
from .module_base import OwnMethods

__all__ = ["Dropout", "Dropout1d", "Dropout2d", "Dropout3d"]


class _DropoutNd(OwnMethods, Module):
    _own = ("forward",)
    _function: ClassVar[str]
    extra_repr = repr_options("p", "inplace")

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input; in training with parts of it zero and the rest scaled by 1 / (1 - p)."""
        drop = getattr(functional, self._function)
        return drop(input, self.p, self.training, self.inplace)  # type: ignore[no-any-return]


class Dropout(_DropoutNd):
    """Each item is zero with probability p (Hinton et al., 2012)."""

    _function = "dropout"


class Dropout1d(_DropoutNd):
    """Each channel of (N, C, L) or (C, L) is zero with probability p."""

    _function = "dropout1d"


class Dropout2d(_DropoutNd):
    """Each channel of (N, C, H, W) is zero with probability p."""

    _function = "dropout2d"


class Dropout3d(_DropoutNd):
    """Each channel of (N, C, D, H, W) is zero with probability p."""

    _function = "dropout3d"
