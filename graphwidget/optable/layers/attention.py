"""Scaled dot product attention: its kernels and ops.

query ``(..., L, E)``, key ``(..., S, E)``, value ``(..., S, V)``; the leading dims broadcast. What
is kept of the weights is the logarithm of each query's sum (``logsumexp``), from which backward
computes them again: they are the largest thing about attention.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from ...arrays.memory_order import as_array, empty_like
from ..declare import ARRAYS, Namespace, composite, op
from ..pointwise.common_kernels import Array


@cache
def _causal_mask(queries: int, keys: int) -> Array:
    """Return where a key comes after its query."""
    return np.arange(keys) > np.arange(queries)[:, None]


def _scores(
    query: Array, key: Array, mask: Array | None, is_causal: bool, scale: float | None
) -> Array:
    """query key^T scale, plus the mask; -inf for what is masked out."""
    by = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = np.matmul(query * query.dtype.type(by), key.swapaxes(-1, -2))
    if mask is not None:
        np.add(scores, mask, scores)
    if is_causal:
        np.copyto(scores, -np.inf, where=_causal_mask(*scores.shape[-2:]))
    return scores


def _repeat_heads(heads: Array, query: Array) -> Array:
    """The heads of keys or values, each as often as there are heads of queries that it serves."""
    times = query.shape[1] // heads.shape[1]
    return heads if times == 1 else np.repeat(heads, times, 1)


def flash_attention(
    query: Array, key: Array, value: Array, mask: Array | None, is_causal: bool,
    scale: float | None,
) -> tuple[Array, Array]:  # fmt: skip
    """softmax(query key^T scale + mask) value; zeros for a query whose keys are all masked out."""
    key, value = _repeat_heads(key, query), _repeat_heads(value, query)
    scores = _scores(query, key, mask, is_causal, scale)
    top = np.maximum.reduce(scores, -1, keepdims=True, initial=-np.inf)
    masked = mask is not None
    if masked:
        np.copyto(top, 0, where=np.isneginf(top))
    np.subtract(scores, top, scores)
    np.exp(scores, scores)
    total = np.add.reduce(scores, -1, keepdims=True)
    if masked:
        np.copyto(total, 1, where=total == 0)
    np.divide(scores, total, scores)
    out = empty_like(query, query.dtype)  # with the query's layout, as PyTorch's
    return np.matmul(scores, value, out=out), np.add(top, np.log(total))[..., 0]


def flash_backward(
    grad: Array, query: Array, key: Array, value: Array, output: Array, logsumexp: Array,
    mask: Array | None, is_causal: bool, scale: float | None,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """The derivatives of attention by query, key and value."""
    grad = as_array(grad)
    served = query.shape[1] // key.shape[1]
    key, value = _repeat_heads(key, query), _repeat_heads(value, query)
    weights = _scores(query, key, mask, is_causal, scale)
    np.subtract(weights, logsumexp[..., None], weights)
    np.exp(weights, weights)
    slope = np.matmul(grad, value.swapaxes(-1, -2))
    np.subtract(slope, np.vecdot(grad, output)[..., None], slope)
    np.multiply(slope, weights, slope)
    by = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    np.multiply(slope, query.dtype.type(by), slope)
    return (
        matmul_nlhe(slope, key),
        _sum_repeated_heads(matmul_nlhe(slope.swapaxes(-1, -2), query), served),
        _sum_repeated_heads(matmul_nlhe(weights.swapaxes(-1, -2), grad), served),
    )


def _sum_repeated_heads(grad: Array, served: int) -> Array:
    """The sum of what ``served`` heads of queries give to the head that serves them."""
    if served == 1:
        return grad
    n, heads, count, size = grad.shape
    out = np.empty((n, count, heads // served, size), grad.dtype).swapaxes(1, 2)
    return np.add.reduce(grad.reshape(n, heads // served, served, count, size), 2, out=out)


def matmul_nlhe(a: Array, b: Array) -> Array:
    """a b, laid out like (N, L, H, E), as PyTorch's gradients of attention are."""
    batch, heads, count = a.shape[:-1]
    out = np.empty((batch, count, heads, b.shape[-1]), b.dtype).swapaxes(1, 2)
    return np.matmul(a, b, out=out)


F = Namespace()

REFUSED = "aten::_scaled_dot_product_flash_attention_for_cpu_backward"

op("flash_attention(query, key, value, attn_mask=None, /, dropout_p, is_causal, scale)"
   " -> output; logsumexp",
   lambda query, key, value, mask, dropout_p, is_causal, scale:
       flash_attention(query, key, value, mask, is_causal, scale),
   node="ScaledDotProductFlashAttentionForCpuBackward0",
   d_query__key__value=lambda grad, query, key, value, output, logsumexp, attn_mask, dropout_p,
                              is_causal, scale:
       F.flash_attention_backward(
           grad, query, key, value, output, logsumexp, attn_mask, is_causal, scale
       ),
   public=False, sign="attention", text="softmax({query} {key}ᵀ · scale) {value}", onnx="Attention")


@composite
def flash_attention_backward(
    grad: Any, query: Any, key: Any, value: Any, output: Any, logsumexp: Any, mask: Any,
    is_causal: Any, scale: Any,
) -> Any:  # fmt: skip
    """The derivatives by query, key and value. Recorded, each is an op that PyTorch does not
    differentiate again."""
    return tuple(
        F.flash_attention_gradient(
            grad, query, key, value, output, logsumexp, mask, is_causal, scale, which
        )
        for which in range(3)
    )


ARRAYS.__dict__["flash_attention_backward"] = flash_backward

op("flash_attention_gradient(grad_output, query, key, value, output, logsumexp, attn_mask=None, /, "
   "is_causal, scale, which)",
   lambda *given: flash_backward(*given[:-1])[given[-1]],
   node="NotImplemented",
   d_grad_output=lambda grad: F.without_derivative(REFUSED),
   d_query=lambda grad: F.without_derivative(REFUSED),
   d_key=lambda grad: F.without_derivative(REFUSED),
   d_value=lambda grad: F.without_derivative(REFUSED),
   d_output=lambda grad: F.without_derivative(REFUSED),
   public=False, sign="attention′", text="attention′({grad_output})",
   onnx=None)


# Attention whose weights are wanted, or dropped, is made of smaller ops ---------------------------
def safe_softmax(a: Array, dim: int) -> Array:
    """softmax, with zeros where all of a row is -inf."""
    top = np.maximum.reduce(a, dim, keepdims=True, initial=-np.inf)
    empty = np.isneginf(top)
    powers = np.exp(np.subtract(a, np.where(empty, a.dtype.type(0), top), order="C"))
    total = np.add.reduce(powers, dim, keepdims=True)
    np.copyto(total, 1, where=empty)
    return np.divide(powers, total, powers)


op("safe_softmax(self, /, dim)", safe_softmax, node="SafeSoftmaxBackward0",
   d_self=lambda grad, result, dim: F.softmax_backward_data(grad, result, dim),
   public=False, sign="softmax", text="softmax({self})", onnx=None)
