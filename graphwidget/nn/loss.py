"""Losses as modules: of distances, classes and probabilities."""

from __future__ import annotations

from typing import ClassVar

from ..graph.tensor import Tensor
from .functional.reduction import reduction_text
from .functional_layer import _FunctionalLayer
from .module import Module

__all__ = [
    "BCELoss", "BCEWithLogitsLoss", "CrossEntropyLoss", "GaussianNLLLoss", "HuberLoss",
    "KLDivLoss", "L1Loss", "MSELoss", "NLLLoss",
    "SmoothL1Loss",
]  # fmt: skip


class _Loss(Module):
    """The base: `reduction` is "mean", "sum" or "none"; the two older arguments say the same."""

    reduction: str

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__()
        if size_average is not None or reduce is not None:
            reduction = reduction_text(size_average, reduce, reduction)
        self.reduction = reduction


class _WeightedLoss(_Loss):
    """The base of those with a weight, which is a buffer."""

    weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class _PairLoss(_FunctionalLayer):
    """The part of those of an input and a target."""

    _options: ClassVar[tuple[str, ...]] = ("reduction",)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return self._call_function(input, target)


class MSELoss(_PairLoss, _Loss):
    """Squared differences."""

    _function = "mse_loss"


class L1Loss(_PairLoss, _Loss):
    """Absolute differences."""

    _function = "l1_loss"


class SmoothL1Loss(_PairLoss, _Loss):
    """Squared differences below beta, absolute ones above."""

    _function = "smooth_l1_loss"
    _options = ("reduction", "beta")

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        beta: float = 1.0,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta = beta


class HuberLoss(_PairLoss, _Loss):
    """Squared differences below delta, delta times absolute ones above."""

    _function = "huber_loss"
    _options = ("reduction", "delta")

    def __init__(
        self,
        reduction: str = "mean",
        delta: float = 1.0,
    ) -> None:
        if not isinstance(delta, float | int):
            kind = "<class 'torch.Tensor'>" if isinstance(delta, Tensor) else type(delta)
            raise TypeError(f"delta must be a float or int, got: {kind}")
        super().__init__(None, None, reduction)
        self.delta = delta


class CrossEntropyLoss(_PairLoss, _WeightedLoss):
    """Minus the log probability of the target class, from unnormalized scores (N, C, ...)."""

    _function = "cross_entropy"
    _options = ("weight", "ignore_index", "reduction", "label_smoothing")

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing


class NLLLoss(_PairLoss, _WeightedLoss):
    """Minus the log probability of the target class, from log probabilities (N, C, ...)."""

    _function = "nll_loss"
    _options = ("weight", "ignore_index", "reduction")

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index


class BCELoss(_PairLoss, _WeightedLoss):
    """Binary cross entropy of probabilities."""

    _function = "binary_cross_entropy"
    _options = ("weight", "reduction")


class BCEWithLogitsLoss(_PairLoss, _WeightedLoss):
    """Binary cross entropy of scores before the sigmoid."""

    _function = "binary_cross_entropy_with_logits"
    _options = ("weight", "pos_weight", "reduction")

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.register_buffer("pos_weight", pos_weight)
        self.pos_weight: Tensor | None


class KLDivLoss(_PairLoss, _Loss):
    """The Kullback-Leibler divergence of the target from log probabilities."""

    _function = "kl_div"
    _options = ("reduction", "log_target")

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        log_target: bool = False,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target


class GaussianNLLLoss(_FunctionalLayer, _Loss):
    """Minus the log likelihood of normal values, by mean and variance."""

    _function = "gaussian_nll_loss"
    _options = ("full", "eps", "reduction")

    def __init__(
        self,
        *,
        full: bool = False,
        eps: float = 1e-6,
        reduction: str = "mean",
    ) -> None:
        super().__init__(None, None, reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor) -> Tensor:
        """The loss."""
        return self._call_function(input, target, var)
