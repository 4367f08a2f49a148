"""Losses and distances as layers."""

from __future__ import annotations

from typing import ClassVar

from ..graph.tensor import Tensor
from . import functional
from .functional.regression_losses import reduction_text
from .module import Module
from .module_utils import _FunctionalLayer

__all__ = [
    "BCELoss", "BCEWithLogitsLoss", "CosineSimilarity",
    "CrossEntropyLoss", "HingeEmbeddingLoss", "HuberLoss", "KLDivLoss",
    "L1Loss", "MSELoss", "NLLLoss", "PairwiseDistance", "SmoothL1Loss",
    "TripletMarginLoss",
]  # fmt: skip


class CosineSimilarity(Module):
    """The cosine of the angle between vectors along a dim."""

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """The similarity."""
        return functional.cosine_similarity(x1, x2, self.dim, self.eps)


class PairwiseDistance(Module):
    """The p-norm of the differences of vectors along the last dim."""

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """The distance."""
        return functional.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


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


class HingeEmbeddingLoss(_PairLoss, _Loss):
    """Distances of similar pairs (target 1), and what different ones (-1) lack to the margin."""

    _function = "hinge_embedding_loss"
    _options = ("margin", "reduction")

    def __init__(
        self,
        margin: float = 1.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin


class TripletMarginLoss(_FunctionalLayer, _Loss):
    """Triplet margin loss: the positive is to be nearer to the anchor than the negative."""

    _function = "triplet_margin_loss"
    _options = ("margin", "p", "eps", "swap", "reduction")

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        if margin <= 0:
            raise ValueError(
                f"TripletMarginLoss: expected margin to be greater than 0, got {margin} instead"
            )
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """The loss."""
        return self._call_function(anchor, positive, negative)
