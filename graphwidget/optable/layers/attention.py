"""Scaled dot product attention."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..declare import ARRAYS, Namespace, composite, op
from ..pointwise.common_kernels import Array
from . import attention_kernels as kernels

F = Namespace()

REFUSED = "aten::_scaled_dot_product_flash_attention_for_cpu_backward"

op("flash_attention(query, key, value, attn_mask=None, /, dropout_p, is_causal, scale)"
   " -> output; logsumexp",
   lambda query, key, value, mask, dropout_p, is_causal, scale:
       kernels.flash_attention(query, key, value, mask, is_causal, scale),
   node="ScaledDotProductFlashAttentionForCpuBackward0",
   d_query__key__value=lambda grad, query, key, value, output, logsumexp, attn_mask, dropout_p,
                              is_causal, scale:
       F.flash_attention_backward(
           grad, query, key, value, output, logsumexp, attn_mask, is_causal, scale
       ),
   public=False, sign="attention", text="softmax({query} {key}ᵀ · scale) {value}",
   tex=r"\operatorname{{softmax}}({query} {key}^T) {value}", onnx="Attention")


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


ARRAYS.__dict__["flash_attention_backward"] = kernels.flash_attention_backward

op("flash_attention_gradient(grad_output, query, key, value, output, logsumexp, attn_mask=None, /, "
   "is_causal, scale, which)",
   lambda *given: kernels.flash_attention_backward(*given[:-1])[given[-1]],
   node="NotImplemented",
   d_grad_output=lambda grad: F.without_derivative(REFUSED),
   d_query=lambda grad: F.without_derivative(REFUSED),
   d_key=lambda grad: F.without_derivative(REFUSED),
   d_value=lambda grad: F.without_derivative(REFUSED),
   d_output=lambda grad: F.without_derivative(REFUSED),
   public=False, sign="attention′", text="attention′({grad_output})", tex=r"{grad_output}",
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
   public=False, sign="softmax", text="softmax({self})",
   tex=r"\operatorname{{softmax}} {self}", onnx=None)
