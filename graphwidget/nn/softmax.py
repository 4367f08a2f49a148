"""Activations along a dim, and the one that is learnt."""

from __future__ import annotations

from typing import Any

from ..core.factories import empty
from ..core.tensor import Tensor
from . import functional, init
from .module import Module
from .parameter import Parameter


class Softmax(Module):
    """exp(x) over its sum along a dim."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """The input through the activation."""
        return functional.softmax(input, self.dim, _stacklevel=5)

    def extra_repr(self) -> str:
        """The dim."""
        return f"dim={self.dim}"


class LogSoftmax(Module):
    """The logarithm of `Softmax`."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """The input through the activation."""
        return functional.log_softmax(input, self.dim, _stacklevel=5)

    def extra_repr(self) -> str:
        """The dim."""
        return f"dim={self.dim}"


class Softmin(Module):
    """`Softmax` of −x."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """The input through the activation."""
        return functional.softmin(input, self.dim, _stacklevel=5)

    def extra_repr(self) -> str:
        """The dim."""
        return f"dim={self.dim}"


class Softmax2d(Module):
    """`Softmax` over the channels of images, (N, C, H, W) or (C, H, W).

    Raises:
        ValueError: another number of dims.
    """

    def forward(self, input: Tensor) -> Tensor:
        """The input through the activation."""
        if input.dim() not in (3, 4):
            raise ValueError(
                f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead"
            )
        return functional.softmax(input, -3, _stacklevel=5)


class GLU(Module):
    """The first half of x along a dim times the sigmoid of the second (Dauphin et al., 2017)."""

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """The input through the activation."""
        return functional.glu(input, self.dim)

    def extra_repr(self) -> str:
        """The dim."""
        return f"dim={self.dim}"


class PReLU(Module):
    """x where it is positive, else a learnt weight (one, or one for each channel) times x."""

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
        """The input through the activation."""
        return functional.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """How many weights."""
        return f"num_parameters={self.num_parameters}"
