"""``softmax``, ``log_softmax`` and ``scaled_dot_product_attention``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...arrays import dtypes
from ...arrays.warnings import warn
from ...autograd.grad_mode import is_grad_enabled
from ...eager.op_functions import TENSORS as F
from ...eager.promote import check_broadcastable
from ...functions.creation.factory_decorator import new_leaf
from ...functions.linalg.products import matmul
from ...functions.pointwise import activations
from ...graph import runtime
from ...graph.tensor import Tensor
from .dropout import check_probability, dropout


def _get_softmax_dim(name: str, ndim: int, level: int) -> int:
    """The dim that PyTorch takes when none is given, with its warning."""
    warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include "
        "dim=X as an argument.",
    )
    return 0 if ndim in (0, 1, 3) else 1


def softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
) -> Tensor:
    """exp(input) over its sum along a dim."""
    dim = _get_softmax_dim("softmax", input.ndim, _stacklevel) if dim is None else dim
    return activations.softmax(input, dim, dtype=dtype)


def log_softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
) -> Tensor:
    """The logarithm of `softmax`, computed stably."""
    dim = _get_softmax_dim("log_softmax", input.ndim, _stacklevel) if dim is None else dim
    return activations.log_softmax(input, dim, dtype=dtype)


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None,
    dropout_p: float = 0.0, is_causal: bool = False, scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:  # fmt: skip
    """softmax(query key^T scale + mask) value.

    Args:
        query: (..., L, E).
        key: (..., S, E).
        value: (..., S, V).
        attn_mask: (..., L, S), broadcast: True where a query may look at a key, or numbers that are
            added to the scores.
        dropout_p: probability with which a weight is dropped (always: there is no ``training``).
        is_causal: a query looks at no key behind its own place.
        scale: 1 / sqrt(E) when not given.
        enable_gqa: key and value have fewer heads (dim -3), each of which serves several queries.

    Raises:
        RuntimeError: types that differ, or a mask together with ``is_causal``.
    """
    _check_inputs(query, key, value, attn_mask)
    if enable_gqa and any(query.size(-3) % each.size(-3) for each in (key, value)):
        raise RuntimeError("Number of heads in key and value must divide the number of heads in ")
    same = query._data.shape[:-2] == key._data.shape[:-2] == value._data.shape[:-2]
    fused = (same or enable_gqa) and _can_use_fused_kernel(
        query, key, value, attn_mask, dropout_p, is_causal
    )
    if attn_mask is not None and attn_mask._data.dtype == bool and query._data.dtype.kind in "iu":
        raise RuntimeError(
            f"value cannot be converted to type {INTEGERS[query._data.dtype.name]} without overflow"
        )
    if fused and not query._meta.floating:
        kind = dtypes.scalar_type(query._data.dtype)
        raise RuntimeError(f"expected scalar type Float but found {kind}")
    if fused:
        if attn_mask is not None:
            attn_mask = _to_additive_mask(attn_mask, query._data.dtype)
            check_broadcastable(
                attn_mask._data.shape, (*query._data.shape[:-1], key._data.shape[-2])
            )
        return F.flash_attention(query, key, value, attn_mask, dropout_p, is_causal, scale)
    if query._data.dtype == np.float16:  # computed in float32
        q, k, v = (F.to_copy(each, np.dtype(np.float32)) for each in (query, key, value))
        whole = _attention_math(q, k, v, attn_mask, dropout_p, is_causal, scale, enable_gqa)
        return F.to_copy(whole, np.dtype(np.float16))
    return _attention_math(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)


def _attention_math(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None, dropout_p: float,
    is_causal: bool, scale: float | None, enable_gqa: bool,
) -> Tensor:  # fmt: skip
    """Attention step by step, each an op."""
    if enable_gqa:
        key, value = (_repeat_heads(each, query) for each in (key, value))
    # the scale is shared between the operands, which keeps half precision from overflowing
    by = math.sqrt(1 / math.sqrt(query._data.shape[-1]) if scale is None else scale)
    scores = matmul(F.mul_number(query, by), F.mul_number(key.transpose(-2, -1), by))
    mask = _causal_mask(scores) if is_causal else attn_mask
    if mask is not None:
        scores = F.add(scores, _to_additive_mask(mask, query._data.dtype))
    weights = F.safe_softmax(scores, -1)
    return matmul(
        dropout(weights, check_probability(dropout_p)) if dropout_p > 0 else weights, value
    )


INTEGERS = {"int64": "int64_t", "int32": "int", "uint8": "uint8_t", "int16": "int16_t",
            "int8": "int8_t"}  # fmt: skip
"""PyTorch's names of integer types that -inf does not fit in."""


def _check_inputs(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> None:
    kinds = [dtypes.c_type(each._data.dtype) for each in (query, key, value)]
    if len(set(kinds)) > 1:
        raise RuntimeError(
            "Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{kinds[0]} key.dtype: {kinds[1]} and value.dtype: {kinds[2]} instead."
        )
    dims = [each._data.ndim for each in (query, key, value)]
    if min(dims) < 2:
        raise RuntimeError(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
            f"{dims[0]} key.dim: {dims[1]} and value.dim: {dims[2]} instead."
        )
    if mask is not None and mask._data.dtype not in (bool, np.float32, query._data.dtype):
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got "
            f"attn_mask.dtype: {dtypes.c_type(mask._data.dtype)} and  query.dtype: {kinds[0]} "
            "instead."
        )


def _can_use_fused_kernel(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout_p: float, causal: bool
) -> bool:
    """Return whether PyTorch takes its fused op, which keeps no weights: 4-d inputs with heads of
    one size and in one piece, no dropout and no gradient for the mask."""
    shapes = [each._data.shape for each in (query, key, value)]
    if dropout_p > 0 or any(len(shape) != 4 for shape in shapes) or (mask is not None and causal):
        return False
    if mask is not None and (mask.requires_grad and is_grad_enabled()):
        return False
    if mask is not None and mask._data.ndim not in (2, 4):
        return False
    if any(each._data.strides[-1] != each._data.itemsize for each in (query, key, value)):
        return False
    return len({shape[-1] for shape in shapes}) == 1 and all(0 not in shape for shape in shapes)


def _repeat_heads(heads: Tensor, query: Tensor) -> Tensor:
    """Each head as often as there are queries for it."""
    n, count, *rest = heads._data.shape
    times = query._data.shape[1] // count
    if times == 1:
        return heads
    spread = heads.unsqueeze(2).expand(n, count, times, *rest)
    return F.clone(spread).flatten(1, 2)


def _causal_mask(scores: Tensor) -> Tensor:
    rows, columns = scores._data.shape[-2:]
    return new_leaf(np.tri(rows, columns, dtype=bool))


def _to_additive_mask(mask: Tensor, dtype: Any) -> Tensor:
    """A mask as numbers to add: 0 or -inf for one of booleans."""
    if mask._data.dtype != bool:
        return mask
    if runtime.reading is None:
        return Tensor._wrap(np.where(mask._data, 0, -np.inf).astype(dtype))
    return hidden_as_numbers(mask.logical_not(), dtype)


def hidden_as_numbers(mask: Tensor, dtype: Any) -> Tensor:
    """-inf where a mask of booleans hides something, else 0. It is seen only by those who
    record a graph, who must see where the numbers come from."""
    if runtime.reading is None:
        return Tensor._wrap(np.where(mask._data, -np.inf, 0).astype(dtype))
    return F.to_copy(F.zeros_like(mask), dtype).masked_fill(mask, -math.inf)
