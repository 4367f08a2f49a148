"""``Softmax``, ``LogSoftmax`` and their kin as modules, and ``PReLU``."""

from __future__ import annotations

from typing import Any

from ..functions.creation.factories import empty
from ..graph.tensor import Tensor
from . import functional, init
from .functional_layer import _FunctionalLayer, repr_options
from .module import Module
from .parameter import Parameter

__all__ = ["GLU", "LogSoftmax", "PReLU", "Softmax", "Softmax2d", "Softmin"]


class _AlongDim(_FunctionalLayer, Module):
    """The part of those that are softmax of something, or something of softmax."""

    extra_repr = repr_options("dim")

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        found: Tensor = getattr(functional, self._function)(input, self.dim, _stacklevel=5)
        return found


class Softmax(_AlongDim):
    """exp(x) over its sum along a dim."""

    _function = "softmax"


class LogSoftmax(_AlongDim):
    """The logarithm of `Softmax`."""

    _function = "log_softmax"


class Softmin(_AlongDim):
    """`Softmax` of −x."""

    _function = "softmin"


class Softmax2d(Module):
    """`Softmax` over the channels of images, (N, C, H, W) or (C, H, W).

    Raises:
        ValueError: another number of dims.
    """

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() not in (3, 4):
            raise ValueError(
                f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead"
            )
        return functional.softmax(input, -3, _stacklevel=5)


class GLU(Module):
    """The first half of x along a dim times the sigmoid of the second (Dauphin et al., 2017)."""

    extra_repr = repr_options("dim")

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return functional.glu(input, self.dim)


class PReLU(Module):
    """x where it is positive, else a learnt weight (one, or one for each channel) times x."""

    extra_repr = repr_options("num_parameters")

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Start with `init` everywhere."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        return functional.prelu(input, self.weight)
