"""Softmax and its logarithm."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from ...arrays.blocks import halves_in_float32
from ...arrays.memory_order import as_array
from ..declare import Namespace, composite, op
from ..out import Out
from ..pointwise.common_kernels import Array, ones

F = Namespace()


FEW = 1e-6
"""A row of exponentials that sums to less than this is computed again, from its largest item on."""

PRINTED = 1000
"""An array of more items than this is not printed whole."""

SPAN = 1 << 18
"""Bytes of powers that are only summed to compute at a time."""


@cache
def _largest_exp_input(kind: str) -> float:
    """Items up to here may be handed to exp as they are: a sum of as many more has room."""
    return math.log(np.finfo(kind).max) / 2 if kind in "fd" else -math.inf


def _is_innermost(a: Array, dim: int) -> bool:
    """Return whether a dim's items lie side by side."""
    return dim in (-1, a.ndim - 1) and a.flags.c_contiguous and a.size > 0


def _sums(a: Array, dim: int) -> Array:
    """Sums along a dim, kept with size 1."""
    if not _is_innermost(a, dim):
        return np.add.reduce(a, dim, keepdims=True)
    count = a.shape[-1]
    return np.matmul(a.reshape(-1, count), ones(count, a.dtype.char)).reshape(*a.shape[:-1], 1)


@halves_in_float32(1)
def softmax(a: Array, dim: int) -> Array:
    """exp(a) / sum exp(a) along a dim, without overflow."""
    if not a.ndim or not a.size:
        return np.exp(a - a, out=...) if a.size else np.empty_like(a)
    # Where the items are of usual size the largest of each row need not be found and subtracted,
    # which takes as long as exp itself in short rows. Few items are rounded as PyTorch does it, so
    # that they print the same.
    if a.size > PRINTED and np.maximum.reduce(a, None) <= _largest_exp_input(a.dtype.char):
        powers = np.exp(a, out=..., order="C")
        total = _sums(powers, dim)
        if np.minimum.reduce(total, None) >= FEW:
            return np.divide(powers, total, out=powers)
    powers = np.subtract(a, np.maximum.reduce(a, dim, keepdims=True, initial=-np.inf), order="C")
    np.exp(powers, out=powers)
    return np.divide(powers, _sums(powers, dim), out=powers)


@halves_in_float32(2)
def softmax_backward(grad: Array, output: Array, dim: int) -> Array:
    """output (grad - sum grad output) along a dim."""
    if not output.ndim:
        return np.zeros_like(output)
    grad = as_array(grad)
    if _is_innermost(output, dim):
        along = np.vecdot(grad, output)[..., None]
    else:
        along = np.add.reduce(grad * output, dim, keepdims=True)
    result = np.subtract(grad, along, out=...)
    return np.multiply(result, output, out=result)


@halves_in_float32(1)
def log_softmax(a: Array, dim: int) -> Array:
    """a - log sum exp(a) along a dim, without overflow."""
    if not a.ndim or not a.size:
        return np.subtract(a, a, out=...) if a.size else np.empty_like(a)
    top = np.maximum.reduce(a, dim, keepdims=True, initial=-np.inf)
    result = np.subtract(a, top, out=..., order="C")
    total = _sums_of_exp(result, dim)
    return np.subtract(result, np.log(total, out=total), out=result)


def _sums_of_exp(a: Array, dim: int) -> Array:
    """Sums of exp(a) along a dim, kept with size 1; of large arrays some rows at a time, so that
    memory for the powers is taken once and stays in the cache."""
    if a.nbytes <= SPAN or not _is_innermost(a, dim):
        return _sums(np.exp(a, out=...), dim)
    rows = a.reshape(-1, a.shape[-1])
    most = max(1, SPAN // rows[0].nbytes)
    powers, total = np.empty_like(rows[:most]), np.empty((len(rows), 1), a.dtype)
    for start in range(0, len(rows), most):
        part = rows[start : start + most]
        total[start : start + most] = _sums(np.exp(part, out=powers[: len(part)]), 1)
    return total.reshape(*a.shape[:-1], 1)


@halves_in_float32(2)
def log_softmax_backward(grad: Array, output: Array, dim: int) -> Array:
    """grad - exp(output) sum grad along a dim."""
    if not output.ndim:
        return np.zeros_like(output)
    grad = as_array(grad)
    result = np.exp(output, out=...)
    np.multiply(result, _sums(grad, dim), out=result)
    return np.subtract(grad, result, out=result)


op("softmax(self, /, dim)", softmax, out=Out(history="ended"),
   d_self=lambda grad, result, dim: F.softmax_backward_data(grad, result, dim),
   public=False,
   text="softmax({self})", onnx="Softmax")

op("softmax_backward_data(grad_output, output, /, dim)", softmax_backward,
   d_grad_output=lambda grad, output, dim: F.softmax_backward_data(grad, output, dim),
   d_output=lambda grad, grad_output, output, dim:
       F.softmax_double_backward(grad, grad_output, output, dim),
   public=False,
   sign="softmax′", text="{output} · ({grad_output} − Σ {grad_output} · {output})", onnx=None)


@composite
def softmax_double_backward(grad: Any, grad_output: Any, output: Any, dim: Any) -> Any:
    """The derivative of softmax's derivative by softmax's result."""
    first = grad_output * grad - F.sum_dim(output * grad_output, (dim,), True) * grad
    return first - grad_output * F.sum_dim(output * grad, (dim,), True)


op("log_softmax(self, /, dim)", log_softmax, out=Out(history="ended"),
   d_self=lambda grad, result, dim: F.log_softmax_backward_data(grad, result, dim),
   public=False,
   sign="log softmax", text="log softmax({self})", onnx="LogSoftmax")

op("log_softmax_backward_data(grad_output, output, /, dim)", log_softmax_backward,
   d_grad_output=lambda grad, output, dim:
       grad - F.sum_dim(grad * F.exp(output), (dim,), True),
   d_output=lambda grad, grad_output, output, dim:
       -F.sum_dim(grad_output, (dim,), True) * F.exp(output) * grad,
   public=False,
   sign="log softmax′", text="{grad_output} − exp({output}) · Σ {grad_output}", onnx=None)
