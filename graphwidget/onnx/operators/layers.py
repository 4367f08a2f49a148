"""Writes products, layers, normalisation, attention and activations as ONNX."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import OnnxExporterError
from .pointwise import later
from .reductions import reduce
from .register import writes
from .shapes import reshape, transpose


@writes("mm", "bmm", "mv", "dot", "vdot")
def _matmul(w: Any, self: Any, other: Any) -> Any:
    return self @ other


@writes("ger")
def _ger(w: Any, self: Any, other: Any) -> Any:
    return w("Unsqueeze", self, w.ints(1)) * w("Unsqueeze", other, w.ints(0))


@writes("addmm", "addmm.scaled")
def _addmm(w: Any, self: Any, mat1: Any, mat2: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    if self.floating and beta:
        return w("Gemm", mat1, mat2, self, alpha=float(alpha), beta=float(beta))
    return scaled_sum(w, self, mat1 @ mat2, beta, alpha)


def scaled_sum(w: Any, self: Any, product: Any, beta: Any, alpha: Any) -> Any:
    """beta self + alpha product; nothing of ``self`` where beta is 0."""
    product = product if alpha == 1 else product * alpha
    if not beta:
        return product
    return (self if beta == 1 else self * beta) + product


@writes("addmv", "baddbmm")
def _addmv(w: Any, self: Any, mat: Any, vec: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    return scaled_sum(w, self, mat @ vec, beta, alpha)


def scaled(product: Any) -> Any:
    """beta self + alpha times a product of the other two."""
    return lambda w, self, a, b, beta=1, alpha=1: scaled_sum(w, self, product(w, a, b), beta, alpha)


writes("addr")(scaled(_ger))


@writes("addbmm")
def _addbmm(w: Any, self: Any, a: Any, b: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    total = w("ReduceSum", a @ b, w.ints(0), keepdims=0)
    return scaled_sum(w, self, total, beta, alpha)


@writes("linalg_cross")
def _cross(w: Any, self: Any, other: Any, dim: int = -1) -> Any:
    rank = max(self.rank, other.rank)
    at = dim % rank - rank  # from the end, for both

    def turned(x: Any, order: tuple[int, ...]) -> Any:
        return w("Gather", x, w.ints(*order), axis=at)

    a, b, c, d = (turned(x, order) for x, order in (
        (self, (1, 2, 0)), (other, (2, 0, 1)), (self, (2, 0, 1)), (other, (1, 2, 0)),
    ))  # fmt: skip
    return a * b - c * d


@writes("linalg_det")
def _det(w: Any, A: Any) -> Any:
    return w("Det", A)


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


@writes("weight_norm_interface")
def _weight_norm(w: Any, v: Any, g: Any, dim: int) -> Any:
    dims = [i for i in range(v.rank) if i != dim % v.rank]
    return [v * (g / reduce(w, "ReduceL2", v, dims, True)), None]


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


# Activations -------------------------------------------------------------------------------------
@writes("leaky_relu", "leaky_relu.written")
def _leaky_relu(w: Any, self: Any, negative_slope: float = 0.01) -> Any:
    return w("LeakyRelu", self, alpha=float(negative_slope))


@writes("prelu_kernel")
def _prelu(w: Any, self: Any, weight: Any) -> Any:
    return w("Where", self > 0, self, self * weight, dtype=self.dtype)


@writes("threshold", "threshold.written")
def _threshold(w: Any, self: Any, threshold: Any, value: Any) -> Any:
    return w("Where", self <= threshold, self.like(value), self, dtype=self.dtype)


@writes("softshrink")
def _softshrink(w: Any, self: Any, lambd: float = 0.5) -> Any:
    return w("Shrink", self, lambd=float(lambd), bias=float(lambd))


@writes("hardshrink")
def _hardshrink(w: Any, self: Any, lambd: float = 0.5) -> Any:
    return w("Shrink", self, lambd=float(lambd), bias=0.0)


@writes("hardsigmoid")
def _hardsigmoid(w: Any, self: Any) -> Any:
    return w("HardSigmoid", self, alpha=1 / 6, beta=0.5)


@writes("hardswish")
def _hardswish(w: Any, self: Any) -> Any:
    return w("HardSwish", self)


@writes("elu", "elu.written")
def _elu(w: Any, self: Any, alpha: float = 1.0, scale: Any = 1, input_scale: Any = 1) -> Any:
    if scale == 1 and input_scale == 1:
        return w("Elu", self, alpha=float(alpha))
    if input_scale == 1:
        return w("Selu", self, alpha=float(alpha), gamma=float(scale))
    below = (w("Exp", self * input_scale) - 1) * alpha * scale
    return w("Where", self <= 0, below, self * scale, dtype=self.dtype)


@writes("celu", "celu.written")
def _celu(w: Any, self: Any, alpha: float = 1.0) -> Any:
    return w("Celu", self, alpha=float(alpha))


@writes("gelu")
def _gelu(w: Any, self: Any, approximate: str = "none") -> Any:
    if approximate == "none":
        return [self * (w("Erf", self * math.sqrt(0.5)) + 1) * 0.5, None]
    inner = (self + self * self * self * 0.044715) * math.sqrt(2 / math.pi)
    return [self * (w("Tanh", inner) + 1) * 0.5, None]


@writes("softplus")
def _softplus(w: Any, self: Any, beta: float = 1.0, threshold: float = 20.0) -> Any:
    bent = w("Softplus", self * beta) / beta
    return w("Where", self * beta > threshold, self, bent, dtype=self.dtype)


@writes("mish")
def _mish(w: Any, self: Any) -> Any:
    return self * w("Tanh", w("Softplus", self))


@writes("log_sigmoid")
def _log_sigmoid(w: Any, self: Any) -> Any:
    return [-w("Softplus", -self), None]


@writes("glu")
def _glu(w: Any, self: Any, dim: int = -1) -> Any:
    a, b = w("Split", self, outputs=2, axis=dim % self.rank,
             num_outputs=2 if w.opset >= 18 else None)  # fmt: skip
    return a * w("Sigmoid", b)


@writes("grid_sampler_2d")
def _grid_sampler(w: Any, input: Any, grid: Any, interpolation_mode: int, padding_mode: int,
                 align_corners: Any) -> Any:  # fmt: skip
    mode = ("bilinear", "nearest", "bicubic")[interpolation_mode]
    mode = mode.removeprefix("bi") if w.opset >= 20 else mode
    return w("GridSample", input, grid, mode=mode,
             padding_mode=("zeros", "border", "reflection")[padding_mode],
             align_corners=int(bool(align_corners)))  # fmt: skip


@writes("col2im")
def _col2im(w: Any, self: Any, output_size: Any, kernel_size: Any, dilation: Any, padding: Any,
           stride: Any) -> Any:  # fmt: skip
    return w(later(w, "Col2Im"), self, w.ints(*output_size), w.ints(*kernel_size),
             dilations=list(dilation), pads=list(padding) * 2, strides=list(stride))  # fmt: skip
