"""Writes derivatives that are ops of the table as ONNX: gradients in static graphs have them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .reductions import reduce
from .register import writes
from .shapes import LAST


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
