"""Losses with a margin as modules."""

from __future__ import annotations

from ..graph.tensor import Tensor
from .functional_layer import _FunctionalLayer
from .loss import _Loss, _PairLoss

__all__ = [
    "CosineEmbeddingLoss", "HingeEmbeddingLoss", "MarginRankingLoss",
    "TripletMarginLoss",

]  # fmt: skip


class _OfTwoInputs(_FunctionalLayer, _Loss):
    """The part of those of two inputs and a target."""

    _options = ("margin", "reduction")

    def __init__(
        self,
        margin: float = 0.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return self._call_function(input1, input2, target)


class MarginRankingLoss(_OfTwoInputs):
    """How far the first input is from ranking above the second (target 1) or below (-1)."""

    _function = "margin_ranking_loss"


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


class CosineEmbeddingLoss(_OfTwoInputs):
    """One minus the cosine of similar pairs, its excess over the margin of different ones."""

    _function = "cosine_embedding_loss"


class _OfTriplets(_FunctionalLayer, _Loss):
    """The part of those of an anchor, what is alike it, and what is not."""

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """The loss."""
        return self._call_function(anchor, positive, negative)


class TripletMarginLoss(_OfTriplets):
    """How much nearer than the margin the negative is to the anchor than the positive."""

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
