"""Dropout: items, or whole channels, set to zero at random."""

from __future__ import annotations

import numpy as np

from ...core import random
from ...core.compile import TENSORS as F
from ...core.tensor import Tensor


def _check(p: float) -> None:
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _kept(like: np.ndarray, p: float) -> Tensor:
    """1 / (1 - p) with probability 1 - p, else 0, drawn in the order of ``like``'s memory."""
    order = sorted(range(like.ndim), key=lambda dim: -like.strides[dim])
    shape = tuple(like.shape[dim] for dim in order)
    drawn = random.coin(shape, like.dtype, 1 - p).transpose(np.argsort(order))
    if p < 1:
        np.divide(drawn, like.dtype.type(1 - p), drawn)
    return Tensor._wrap(drawn)


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Each item 0 with probability p, else divided by 1 - p; the input itself when not training.

    Raises:
        ValueError: p is no probability.
    """
    _check(p)
    if not training or p == 0 or not input._data.size:
        return input
    if not input._meta.floating:
        raise RuntimeError("result type Float can't be cast to the desired output type Long")
    noise = _kept(input._data, p) if p < 1 else Tensor._wrap(np.zeros((), input._data.dtype))
    return input.mul_(noise) if inplace else F.mul(input, noise)
