"""Writes losses as ONNX: each item's, their mean (reduction 1) or their sum (2)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .reductions import reduce
from .values import writes


def joined(w: Any, losses: Any, reduction: int) -> Any:
    """The losses, their mean or their sum, over all dims."""
    if not reduction:
        return losses
    losses.sizes = None
    return reduce(w, "ReduceMean" if reduction == 1 else "ReduceSum", losses)


@writes("mse_loss")
def _mse_loss(w: Any, self: Any, target: Any, reduction: int = 1) -> Any:
    off = self - target
    return joined(w, off * off, reduction)


@writes("smooth_l1_loss")
def _smooth_l1_loss(w: Any, self: Any, target: Any, reduction: int = 1, beta: float = 1.0) -> Any:
    off = w("Abs", self - target)
    if not beta:
        return joined(w, off, reduction)
    found = w("Where", off < beta, off * off * (0.5 / beta), off - 0.5 * beta, dtype=off.dtype)
    return joined(w, found, reduction)


@writes("binary_cross_entropy")
def _binary_cross_entropy(w: Any, self: Any, target: Any, weight: Any, reduction: int = 1) -> Any:
    logs = [w("Max", w("Log", each), self.like(-100)) for each in (self, 1 - self)]
    found = (target - 1) * logs[1] - target * logs[0]
    return joined(w, found if weight is None else found * weight, reduction)


@writes("binary_cross_entropy_with_logits")
def _binary_cross_entropy_with_logits(w: Any, self: Any, target: Any, weight: Any, pos_weight: Any,
                                     reduction: int = 1) -> Any:  # fmt: skip
    bent = w("Log", w("Exp", -w("Abs", self)) + 1) + w("Max", -self, self.like(0))
    if pos_weight is not None:
        bent = bent * ((pos_weight - 1) * target + 1)
    found = (1 - target) * self + bent
    return joined(w, found if weight is None else found * weight, reduction)


@writes("nll_loss", "nll_loss2d")
def _nll_loss(w: Any, self: Any, target: Any, weight: Any, reduction: int, ignore_index: int,
             ) -> Any:  # fmt: skip
    alone = self.rank == 1
    if alone:
        self, target = (w("Unsqueeze", each, w.ints(0)) for each in (self, target))
    found = w("NegativeLogLikelihoodLoss", self, target.cast(np.int64), weight,
              reduction=("none", "mean", "sum")[reduction], ignore_index=ignore_index)  # fmt: skip
    if alone and not reduction:
        found = w("Squeeze", found, w.ints(0))
    return [found, None]
