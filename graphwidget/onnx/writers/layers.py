"""Writes convolutions, normalisation, attention and LSTM layers as ONNX."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import OnnxExporterError
from .reductions import reduce
from .shapes import reshape, transpose
from .values import writes


@writes("convolution")
def _convolution(
    w: Any, input: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any,
    transposed: Any, output_padding: Any, groups: int,
) -> Any:  # fmt: skip
    dims = weight.rank - 2
    wide = [list(each) * dims if len(each) == 1 else list(each)
            for each in (stride, padding, dilation, output_padding)]  # fmt: skip
    alone = input.rank == dims + 1
    if alone:
        input = w("Unsqueeze", input, w.ints(0))
    named = {"strides": wide[0], "pads": wide[1] * 2, "dilations": wide[2], "group": groups,
             "kernel_shape": list(weight.shape[2:])}  # fmt: skip
    if transposed:
        found = w("ConvTranspose", input, weight, bias, output_padding=wide[3], **named)
    else:
        found = w("Conv", input, weight, bias, **named)
    return w("Squeeze", found, w.ints(0)) if alone else found


# Normalisation -----------------------------------------------------------------------------------
@writes("native_layer_norm")
def _layer_norm(w: Any, input: Any, weight: Any, bias: Any, normalized_shape: Any, eps: float,
               ) -> Any:  # fmt: skip
    axis = input.rank - len(normalized_shape)
    if weight is None:
        weight = w.constant(np.ones(normalized_shape, input.dtype))
    return w("LayerNormalization", input, weight, bias, outputs=3, axis=axis, epsilon=eps)


def standard(w: Any, x: Any, dims: Any, eps: float) -> tuple[Any, Any, Any]:
    """Items at mean 0 and variance 1 over dims; the mean and 1 / deviation."""
    mean = reduce(w, "ReduceMean", x, dims, True)
    off = x - mean
    off.sizes = x.sizes
    rstd = 1 / w("Sqrt", reduce(w, "ReduceMean", _off_squared(w, off), dims, True) + eps)
    return off * rstd, mean, rstd


def _off_squared(w: Any, off: Any) -> Any:
    found = off * off
    found.sizes = off.sizes
    return found


@writes("native_group_norm")
def _group_norm(w: Any, input: Any, weight: Any, bias: Any, N: int, C: int, HxW: int, group: int,
               eps: float) -> Any:  # fmt: skip
    x = w("Reshape", input, w.ints(0, group, -1), sizes=(None, group, None))
    found, mean, rstd = standard(w, x, (2,), eps)
    found = w("Reshape", found, w("Shape", input, dtype=np.int64), dtype=input.dtype)
    across = (C, *(1,) * (input.rank - 2))
    if weight is not None:
        found = found * reshape(w, weight, across)
    if bias is not None:
        found = found + reshape(w, bias, across)
    return [found, w("Squeeze", mean, w.ints(2)), w("Squeeze", rstd, w.ints(2))]


@writes("native_batch_norm")
def _batch_norm(w: Any, input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any,
               training: Any, momentum: float, eps: float) -> Any:  # fmt: skip
    count = input.size(1)
    across = (count, *(1,) * (input.rank - 2))
    if not training:
        ones, zeros = (w.constant(np.full(count, n, input.dtype)) for n in (1, 0))
        found = w("BatchNormalization", input, weight or ones, bias or zeros, running_mean,
                  running_var, epsilon=eps)  # fmt: skip
        return [found, None, None]
    if running_mean is not None:
        raise OnnxExporterError("batch norm that trains changes its buffers; call model.eval()")
    dims = [i for i in range(input.rank) if i != 1]
    found, mean, rstd = standard(w, input, dims, eps)
    if weight is not None:
        found = found * reshape(w, weight, across)
    if bias is not None:
        found = found + reshape(w, bias, across)
    return [found, w("Squeeze", mean, w.ints(*dims)), w("Squeeze", rstd, w.ints(*dims))]


# Attention, LSTM ---------------------------------------------------------------------------------
@writes("flash_attention")
def _attention(w: Any, query: Any, key: Any, value: Any, attn_mask: Any, dropout_p: Any,
              is_causal: Any, scale: Any) -> Any:  # fmt: skip
    if dropout_p:
        raise OnnxExporterError("attention with dropout draws random numbers")
    times = query.size(1) // key.size(1)
    if times != 1:  # heads of queries share heads of keys
        again = w.constant(np.repeat(np.arange(key.size(1), dtype=np.int64), times))
        key, value = (
            w("Gather", x, again, axis=1, sizes=(x.sizes[0], query.sizes[1], *x.sizes[2:]))
            for x in (key, value)
        )
    by = 1 / math.sqrt(query.size(-1)) if scale is None else scale
    scores = (query * by) @ transpose(w, key, -1, -2)
    if attn_mask is not None:
        scores = scores + attn_mask
    if is_causal:
        hidden = np.triu(np.full((query.size(-2), key.size(-2)), -np.inf, query.dtype), 1)
        scores = scores + w.constant(hidden)
    weights = w("Softmax", scores, axis=-1)
    if attn_mask is not None:  # all masked out: nan, which counts as nothing
        weights = w("Where", w("IsNaN", weights, dtype=bool), query.like(0), weights,
                    dtype=query.dtype)  # fmt: skip
    return [weights @ value, None]


def gates(w: Any, parts: Any, size: int) -> Any:
    """PyTorch's gates i f g o as ONNX orders them, i o f g, under one direction."""
    order = np.concatenate([np.arange(size) + k * size for k in (0, 3, 1, 2)])
    found = w("Gather", parts, w.constant(order.astype(np.int64)), axis=0)
    return w("Unsqueeze", found, w.ints(0))


@writes("mkldnn_rnn_layer")
def _lstm(
    w: Any, input: Any, weight0: Any, weight1: Any, weight2: Any, weight3: Any, hx_: Any, cx_: Any,
    reverse: Any, hidden_size: int, has_biases: Any, **rest: Any,
) -> Any:  # fmt: skip
    bias = None
    if has_biases:
        both = [gates(w, each, hidden_size) for each in (weight2, weight3)]
        bias = w("Concat", *both, axis=1)
    states = [w("Reshape", each, w.ints(1, -1, hidden_size)) for each in (hx_, cx_)]
    found = w("LSTM", input, gates(w, weight0, hidden_size), gates(w, weight1, hidden_size), bias,
              None, *states, outputs=3, hidden_size=hidden_size,
              direction="reverse" if reverse else None)  # fmt: skip
    last = [w("Reshape", each, w("Shape", start, dtype=np.int64), dtype=input.dtype)
            for each, start in zip(found[1:], (hx_, cx_), strict=True)]  # fmt: skip
    return [w("Squeeze", found[0], w.ints(1)), *last, None]
