"""Kernels of ``multi_margin_loss`` and ``multilabel_margin_loss``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays.memory_order import as_array
from ..pointwise.common_kernels import Array
from .loss_kernels import MEAN, NONE, apply_loss_reduction


def _margin_violations(
    a: Array, target: Array, weight: Array | None, p: int, margin: float
) -> tuple[Array, Array, Array]:
    """For each sample and class by how much the margin to the target's class is missed, 0 for that
    class itself; the targets as columns, and a factor for each sample."""
    rows, column = np.atleast_2d(a), np.atleast_1d(target)[:, None]
    gap = a.dtype.type(margin) - np.take_along_axis(rows, column, 1) + rows
    np.fmax(gap, 0, out=gap)  # nan misses no margin
    np.put_along_axis(gap, column, 0, 1)
    factor = np.full((len(rows), 1), 1 / rows.shape[1], a.dtype)
    return gap, column, factor if weight is None else factor * weight[column]


def multi_margin(
    a: Array, target: Array, weight: Array | None, p: int, margin: float, reduction: int
) -> Array:
    """Mean over the classes of max(0, margin - a[target] + a) ** p, times the target's weight."""
    gap, _column, factor = _margin_violations(a, target, weight, p, margin)
    losses = np.add.reduce((gap if p == 1 else gap * gap) * factor, 1)
    return apply_loss_reduction(losses, reduction) if a.ndim > 1 else as_array(losses[0])


def multi_margin_backward(
    grad: Array, a: Array, target: Array, weight: Array | None, p: int, margin: float,
    reduction: int,
) -> Array:  # fmt: skip
    """The derivative of ``multi_margin``: what each class gets, the target's class loses."""
    gap, column, factor = _margin_violations(a, target, weight, p, margin)
    slope = ((gap > 0).astype(a.dtype) if p == 1 else 2 * gap) * factor
    np.put_along_axis(slope, column, -np.add.reduce(slope, 1, keepdims=True), 1)
    return _scale_by_grad(slope, grad, a, reduction)


def _scale_by_grad(slope: Array, grad: Array, a: Array, reduction: int) -> Array:
    """Slopes times the gradient of the loss."""
    grad = as_array(grad)
    if reduction == MEAN:
        grad = grad / len(slope)
    by_sample = grad.reshape(-1, 1) if reduction == NONE and a.ndim > 1 else grad
    return (slope * by_sample).reshape(a.shape)


def _listed_labels(a: Array, target: Array) -> tuple[Array, Array, Array]:
    """Rows, the classes listed for each before its first -1, and which of those count."""
    rows, listed = np.atleast_2d(a), np.atleast_2d(target)
    counted = np.logical_and.accumulate(listed >= 0, 1)
    return rows, np.where(counted, listed, 0), counted


def _multilabel_violations(rows: Array, listed: Array, counted: Array) -> tuple[Array, Array]:
    """By how much each class that is not listed comes too near to each that is: (N, C, C); and
    which classes are listed."""
    is_target = np.zeros(rows.shape, rows.dtype)
    for place in range(listed.shape[1]):
        chosen = counted[:, place]
        is_target[chosen, listed[chosen, place]] = 1
    chosen = np.take_along_axis(rows, listed, 1)
    gap = np.fmax(1 - chosen[:, :, None] + rows[:, None, :], 0)
    gap *= counted[:, :, None]
    gap *= (1 - is_target)[:, None, :]
    return gap, is_target


def multilabel_margin(a: Array, target: Array, reduction: int) -> tuple[Array, Array]:
    """Mean over the classes of max(0, 1 - a[listed] + a[other]), summed over both; and which are
    listed."""
    rows, listed, counted = _listed_labels(a, target)
    gap, is_target = _multilabel_violations(rows, listed, counted)
    losses = np.add.reduce(gap, (1, 2)) / a.dtype.type(rows.shape[1])
    found: Any = apply_loss_reduction(losses, reduction) if a.ndim > 1 else as_array(losses[0])
    return found, is_target.reshape(a.shape)


def multilabel_margin_backward(
    grad: Array, a: Array, target: Array, is_target: Array, reduction: int
) -> Array:
    """The derivative of ``multilabel_margin``."""
    rows, listed, counted = _listed_labels(a, target)
    near = (_multilabel_violations(rows, listed, counted)[0] > 0).astype(a.dtype)
    slope = np.add.reduce(near, 1)
    lost = np.add.reduce(near, 2)
    np.subtract.at(slope, (np.arange(len(rows))[:, None], listed), lost)
    return _scale_by_grad(slope / a.dtype.type(rows.shape[1]), grad, a, reduction)
