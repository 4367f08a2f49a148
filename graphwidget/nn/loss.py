"""Losses as modules."""

from __future__ import annotations

from ..core.tensor import Tensor
from . import functional
from .module import Module


class MSELoss(Module):
    """The mean (or "sum", or with "none" the tensor) of squared differences."""

    def __init__(
        self, size_average: None = None, reduce: None = None, reduction: str = "mean"
    ) -> None:
        super().__init__()
        self.reduction = reduction

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return functional.mse_loss(input, target, reduction=self.reduction)
