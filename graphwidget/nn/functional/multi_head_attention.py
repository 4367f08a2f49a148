"""``multi_head_attention_forward``: attention of many heads, with its projections."""

from __future__ import annotations

import math
from typing import Any

from ...arrays.warnings import warn
from ...eager.op_functions import TENSORS as F
from ...functions.creation import factories
from ...functions.linalg.products import bmm, linear
from ...functions.pointwise.activations import softmax
from ...functions.shape.joins_splits import cat
from ...functions.shape.repeat_flip_pad import pad
from ...graph.tensor import Tensor
from .attention import scaled_dot_product_attention
from .dropout import dropout


def multi_head_attention_forward(
    query: Tensor, key: Tensor, value: Tensor, embed_dim_to_check: int, num_heads: int,
    in_proj_weight: Tensor | None, in_proj_bias: Tensor | None, bias_k: Tensor | None,
    bias_v: Tensor | None, add_zero_attn: bool, dropout_p: float, out_proj_weight: Tensor,
    out_proj_bias: Tensor | None, training: bool = True, key_padding_mask: Tensor | None = None,
    need_weights: bool = True, attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False, q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None, v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None, static_v: Tensor | None = None,
    average_attn_weights: bool = True, is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:  # fmt: skip
    """Compute ``nn.MultiheadAttention``.

    Args:
        query: (L, N, E), or (L, E).
        key, value: (S, N, E), or (S, E).
        in_proj_weight, in_proj_bias: (3E, E) and (3E,), of query, key and value one under another;
            with ``use_separate_proj_weight`` there are three weights instead.
        bias_k, bias_v: (1, 1, E), one more key and value for all.
        add_zero_attn: one more key and value of zeros.
        key_padding_mask: (N, S), or (S,): True (or -inf) for keys to be ignored.
        attn_mask: (L, S) or (N heads, L, S): True (or numbers that are added) for pairs that are
            masked out.
        need_weights: give the weights too, averaged over the heads or not.

    Returns:
        The output, of the query's shape, and the weights (N, L, S) or None.
    """
    batched = _is_batched(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        query, key, value = (each.unsqueeze(1) for each in (query, key, value))
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    length, count, embedding = query._data.shape
    padding = _canonical_mask(key_padding_mask, "key_padding_mask", query)
    mask, is_causal = _prepare_mask(attn_mask, key_padding_mask, query, is_causal, need_weights)
    _check_shapes(query, key, value, embed_dim_to_check, num_heads, use_separate_proj_weight)
    if use_separate_proj_weight:
        weights = (q_proj_weight, k_proj_weight, v_proj_weight)
        q, k, v = _in_projection(query, key, value, weights, in_proj_bias)
    else:
        q, k, v = _in_projection_packed(query, key, value, in_proj_weight, in_proj_bias)
    mask = _mask_to_3d(mask, (length, key._data.shape[0]), count * num_heads)
    if bias_k is not None and bias_v is not None:
        k, v = cat([k, bias_k.repeat(1, count, 1)]), cat([v, bias_v.repeat(1, count, 1)])
        mask, padding = (None if each is None else pad(each, (0, 1)) for each in (mask, padding))
    heads, size = count * num_heads, embedding // num_heads
    q = q.view(length, heads, size).transpose(0, 1)
    k = static_k if static_k is not None else _split_heads(k, heads, size)
    v = static_v if static_v is not None else _split_heads(v, heads, size)
    if add_zero_attn:
        zeros = factories.zeros((heads, 1, size), dtype=k.dtype)
        k, v = cat([k, zeros], 1), cat([v, zeros], 1)
        mask, padding = (None if each is None else pad(each, (0, 1)) for each in (mask, padding))
    mask = _merge_masks(mask, padding, count, num_heads, k._data.shape[1])
    dropout_p = dropout_p if training else 0.0
    if need_weights:
        mixed, given = _with_weights(q, k, v, mask, dropout_p, is_causal)
        flat = mixed.transpose(0, 1).reshape(length * count, embedding)
    else:
        mixed = _without_weights(q, k, v, mask, dropout_p, is_causal, (count, num_heads))
        flat, given = mixed.permute(2, 0, 1, 3).reshape(count * length, embedding), None
    out = linear(flat, out_proj_weight, out_proj_bias)
    out = out.view(length, count, out._data.shape[1])
    if given is not None:
        given = given.view(count, num_heads, length, k._data.shape[1])
        given = given.mean(dim=1) if average_attn_weights else given
    if batched:
        return out, given
    return out.squeeze(1), None if given is None else given.squeeze(0)


def _split_heads(a: Tensor, heads: int, size: int) -> Tensor:
    return a.view(a._data.shape[0], heads, size).transpose(0, 1)


def _with_weights(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, dropout_p: float, is_causal: bool
) -> tuple[Tensor, Tensor]:
    scaled = F.mul(q, math.sqrt(1.0 / q._data.shape[-1]))
    if is_causal and mask is None:
        raise AssertionError("FIXME: is_causal not implemented for need_weights")
    turned = k.transpose(-2, -1)
    scores = bmm(scaled, turned) if mask is None else mask.baddbmm(scaled, turned)
    weights = softmax(scores, dim=-1)
    if dropout_p > 0.0:
        weights = dropout(weights, p=dropout_p)
    return bmm(weights, v), weights


def _without_weights(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, dropout_p: float, is_causal: bool,
    batch: tuple[int, int],
) -> Tensor:  # fmt: skip
    if mask is not None:
        single = mask._data.shape[0] == 1
        mask = mask.unsqueeze(0) if single else mask.view(*batch, -1, k._data.shape[1])
    q, k, v = (each.view(*batch, *each._data.shape[1:]) for each in (q, k, v))
    return scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal)


def _prepare_mask(
    mask: Tensor | None, padding: Tensor | None, query: Tensor, is_causal: bool, need_weights: bool
) -> tuple[Tensor | None, bool]:
    """The mask as numbers, and whether attention is asked for the causal one by name instead."""
    if is_causal and mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module "
            "method `generate_square_subsequent_mask` to create this mask."
        )
    if is_causal and padding is None and not need_weights:
        return None, True
    if padding is not None and mask is not None and padding.dtype != mask.dtype:
        warn(
            "Support for mismatched key_padding_mask and attn_mask is deprecated. Use same type "
            "for both instead.",
        )
    return _canonical_mask(mask, "attn_mask", query), is_causal and padding is None


# Checks -------------------------------------------------------------------------------------------
def _is_batched(
    query: Tensor, key: Tensor, value: Tensor, padding: Tensor | None, mask: Tensor | None,
    num_heads: int,
) -> bool:  # fmt: skip
    """Return whether there is a dim of samples; dims that do not fit are refused."""
    dims = query._data.ndim
    if dims not in (2, 3):
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {dims}-D query tensor"
        )
    word = "batched" if dims == 3 else "unbatched"
    if key._data.ndim != dims or value._data.ndim != dims:
        raise AssertionError(
            f"For {word} ({dims}-D) `query`, expected `key` and `value` to be {dims}-D but found "
            f"{key._data.ndim}-D and {value._data.ndim}-D tensors respectively"
        )
    if padding is not None and padding._data.ndim != dims - 1:
        raise AssertionError(
            f"For {word} ({dims}-D) `query`, expected `key_padding_mask` to be `None` or "
            f"{dims - 1}-D but found {padding._data.ndim}-D tensor instead"
        )
    if mask is not None and mask._data.ndim not in (2, 3):
        raise AssertionError(
            f"For {word} ({dims}-D) `query`, expected `attn_mask` to be `None`, 2-D or 3-D but "
            f"found {mask._data.ndim}-D tensor instead"
        )
    if dims == 2 and mask is not None and mask._data.ndim == 3:
        expected = (num_heads, query._data.shape[0], key._data.shape[0])
        if mask._data.shape != expected:
            raise AssertionError(
                f"Expected `attn_mask` shape to be {expected} but got {mask.size()}"
            )
    return dims == 3


def _check_shapes(
    query: Tensor, key: Tensor, value: Tensor, wanted: int, num_heads: int, apart: bool
) -> None:
    embedding = query._data.shape[-1]
    if embedding != wanted:
        raise AssertionError(f"was expecting embedding dimension of {wanted}, but got {embedding}")
    if embedding % num_heads:
        raise AssertionError(f"embed_dim {embedding} not divisible by num_heads {num_heads}")
    if apart and key._data.shape[:2] != value._data.shape[:2]:
        raise AssertionError(
            f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}"
        )
    if not apart and key._data.shape != value._data.shape:
        raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")


def _canonical_mask(mask: Tensor | None, name: str, query: Tensor) -> Tensor | None:
    """A mask of booleans (True is masked out) as numbers to add."""
    if mask is None or mask._meta.floating:
        return mask
    if mask._data.dtype != bool:
        raise AssertionError(f"only bool and floating types of {name} are supported")
    return F.masked_fill(factories.zeros_like(mask, dtype=query.dtype), mask, float("-inf"))


def _mask_to_3d(mask: Tensor | None, two: tuple[int, int], heads: int) -> Tensor | None:
    if mask is None:
        return None
    if mask._data.ndim == 2:
        if mask._data.shape != two:
            raise RuntimeError(
                f"The shape of the 2D attn_mask is {mask.shape}, but should be {two}."
            )
        return mask.unsqueeze(0)
    if mask._data.shape != (heads, *two):
        raise RuntimeError(
            f"The shape of the 3D attn_mask is {mask.shape}, but should be {(heads, *two)}."
        )
    return mask


def _merge_masks(
    mask: Tensor | None, padding: Tensor | None, count: int, num_heads: int, keys: int
) -> Tensor | None:
    """Both masks in one, for each head of each sample."""
    if padding is None:
        return mask
    if padding._data.shape != (count, keys):
        shape = tuple(padding._data.shape)
        place, wanted = (0, count) if shape[0] != count else (1, keys)
        raise AssertionError(
            f"Expected key_padded_mask.shape[{place}] to be {wanted}, but got {shape[place]}"
        )
    spread = padding.view(count, 1, 1, keys).expand(-1, num_heads, -1, -1)
    merged = spread.reshape(count * num_heads, 1, keys)
    return merged if mask is None else F.add(mask, merged)


# Projections --------------------------------------------------------------------------------------
def _in_projection_packed(
    query: Tensor, key: Tensor, value: Tensor, weight: Any, bias: Tensor | None
) -> tuple[Tensor, Tensor, Tensor]:
    """Query, key and value, projected by one weight: in one product where they are one tensor."""
    size = query._data.shape[-1]
    if key is not value:
        weights = weight.chunk(3)
        biases = (None, None, None) if bias is None else bias.chunk(3)
        given = (query, key, value)
        q, k, v = (linear(a, w, b) for a, w, b in zip(given, weights, biases, strict=True))
        return q, k, v
    if query is key:
        q, k, v = _project_together(query, weight, bias, size, 3)
        return q, k, v
    own, rest = weight.split([size, size * 2])
    own_bias, rest_bias = (None, None) if bias is None else bias.split([size, size * 2])
    first = linear(query, own, own_bias)
    k, v = _project_together(key, rest, rest_bias, size, 2)
    return first, k, v


def _project_together(
    a: Tensor, weight: Tensor, bias: Tensor | None, size: int, parts: int
) -> tuple[Tensor, ...]:
    """Several projections of one tensor by one product, each contiguous."""
    found = linear(a, weight, bias).unflatten(-1, (parts, size))
    found = found.unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
    return tuple(found[part] for part in range(parts))


def _in_projection(
    query: Tensor, key: Tensor, value: Tensor, weights: Any, bias: Tensor | None
) -> tuple[Tensor, Tensor, Tensor]:
    for name, weight in zip("qkv", weights, strict=True):
        if weight is None:
            raise AssertionError(f"use_separate_proj_weight is True but {name}_proj_weight is None")
    biases = (None, None, None) if bias is None else bias.chunk(3)
    given = (query, key, value)
    q, k, v = (linear(a, w, b) for a, w, b in zip(given, weights, biases, strict=True))
    return q, k, v
