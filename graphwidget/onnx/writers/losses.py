"""Writes losses (each item's, their mean or their sum) and derivatives as ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np

from .reductions import reduce
from .shapes import LAST
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


@writes("huber_loss")
def _huber_loss(w: Any, self: Any, target: Any, reduction: int = 1, delta: float = 1.0) -> Any:
    off = w("Abs", self - target)
    found = w("Where", off <= delta, off * off * 0.5, (off - 0.5 * delta) * delta, dtype=off.dtype)
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


# Writes derivatives that are ops of the table as ONNX --------------------------------------------


@writes("tanh_backward")
def _tanh_backward(w: Any, grad_output: Any, output: Any) -> Any:
    return grad_output * (1 - output * output)


@writes("sigmoid_backward")
def _sigmoid_backward(w: Any, grad_output: Any, output: Any) -> Any:
    return grad_output * (1 - output) * output


@writes("threshold_backward")
def _threshold_backward(w: Any, grad_output: Any, self: Any, threshold: Any) -> Any:
    return w("Where", self <= threshold, grad_output.like(0), grad_output, dtype=grad_output.dtype)


@writes("softmax_backward_data")
def _softmax_backward(w: Any, grad_output: Any, output: Any, dim: int) -> Any:
    product = grad_output * output
    product.sizes = output.sizes
    return product - output * reduce(w, "ReduceSum", product, dim, True)


@writes("log_softmax_backward_data")
def _log_softmax_backward(w: Any, grad_output: Any, output: Any, dim: int) -> Any:
    return grad_output - w("Exp", output) * reduce(w, "ReduceSum", grad_output, dim, True)


@writes("mse_loss_backward")
def _mse_loss_backward(w: Any, grad_output: Any, self: Any, target: Any, reduction: int) -> Any:
    factor = 2.0 / max(int(np.prod(self.shape)), 1) if reduction == 1 else 2.0
    return (self - target) * factor * grad_output


@writes("select_backward")
def _select_backward(w: Any, grad_output: Any, shape: Any, dim: int, index: int) -> Any:
    at = dim % len(shape)
    part = w("Unsqueeze", grad_output, w.ints(at))
    return surrounded(w, part, shape, at, index % shape[at], index % shape[at] + 1)


@writes("slice_backward")
def _slice_backward(w: Any, grad_output: Any, shape: Any, dim: int, start: Any, end: Any, step: int,
                   ) -> Any:  # fmt: skip
    at = dim % len(shape)
    places = np.arange(shape[at])[slice(start, None if end == LAST else end, step)]
    if len(places) and step == 1:
        return surrounded(w, grad_output, shape, at, int(places[0]), int(places[-1]) + 1)
    zeros = w("Expand", grad_output.like(0), w.ints(*shape))
    view = [1] * len(shape)
    view[at] = -1
    index = w.constant(places.reshape(view).astype(np.int64))
    full = w("Expand", index, w.ints(*(len(places) if i == at else n for i, n in enumerate(shape))))
    return w("ScatterElements", zeros, full, grad_output, axis=at)


def surrounded(w: Any, part: Any, shape: Any, dim: int, start: int, end: int) -> Any:
    """A part with zeros before and after it along a dim."""
    pads = [0] * (2 * len(shape))
    pads[dim], pads[dim + len(shape)] = start, shape[dim] - end
    return w("Pad", part, w.ints(*pads), part.like(0))
