"""Reads ONNX's convolution, pooling, normalisation, LSTM and loss."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..nodes import F, Node, constant, known, reads


def _first(found: Any) -> Any:
    return found[0] if isinstance(found, (tuple, list)) else found


def padded(x: Any, pads: list[int], value: float) -> Any:
    """With a number of copies of a value before and behind each dim; all starts come first."""
    n = len(pads) // 2
    if not any(pads):
        return x
    flat = tuple(p for i in reversed(range(n)) for p in (pads[i], pads[i + n]))
    return F.constant_pad_nd(x, flat, value)


def pads_of(node: Node, sizes: Any, kernel: Any, stride: Any, dilation: Any) -> list[int]:
    """All starts, then all ends."""
    auto, n = node.get("auto_pad", "NOTSET"), len(kernel)
    if auto in ("NOTSET", ""):
        return list(node.get("pads", [0] * 2 * n))
    if auto == "VALID":
        return [0] * 2 * n
    starts, ends = [], []
    for size, k, s, d in zip(sizes, kernel, stride, dilation, strict=True):
        total = max((-(-size // s) - 1) * s + d * (k - 1) + 1 - size, 0)
        less, more = total // 2, total - total // 2
        starts.append(less if auto == "SAME_UPPER" else more)
        ends.append(more if auto == "SAME_UPPER" else less)
    return starts + ends


@reads("Conv")
def _conv(node: Node, x: Any, weight: Any, bias: Any = None) -> Any:
    kernel = known(weight)[2:]
    n = len(kernel)
    stride, dilation = node.get("strides", [1] * n), node.get("dilations", [1] * n)
    pads = pads_of(node, known(x)[2:], kernel, stride, dilation)
    even = pads[:n] == pads[n:]
    x = x if even else padded(x, pads, 0.0)
    return F.convolution(x, weight, bias, tuple(stride), tuple(pads[:n]) if even else (0,) * n,
                         tuple(dilation), False, (0,) * n, node.get("group", 1))  # fmt: skip


@reads("GlobalAveragePool", "GlobalMaxPool")
def _global(node: Node, x: Any) -> Any:
    dims = tuple(range(2, x.ndim))
    return (F.mean_dim if "Average" in node.type else F.amax)(x, dims, True)


def _across(operand: Any, rank: int) -> Any:
    return F.reshape(operand, (-1, *(1,) * (rank - 2)))


def _standard(x: Any, dims: tuple[int, ...], eps: float) -> Any:
    """Mean 0 and variance 1 over dims; the mean and 1 / deviation."""
    mean = F.mean_dim(x, dims, True)
    off = F.sub(x, mean)
    spread = F.add(F.mean_dim(F.mul(off, off), dims, True), constant(x.dtype.type(eps)))
    rstd = F.reciprocal(F.sqrt(spread))
    return F.mul(off, rstd), mean, rstd


@reads("BatchNormalization", training_mode=0)
def _batch_norm(node: Node, x: Any, scale: Any, bias: Any, mean: Any, var: Any) -> Any:
    eps = constant(x.dtype.type(node.get("epsilon", 1e-5)))
    mean, var, scale, bias = (_across(each, x.ndim) for each in (mean, var, scale, bias))
    return F.add(F.mul(F.div(F.sub(x, mean), F.sqrt(F.add(var, eps))), scale), bias)


@reads("InstanceNormalization")
def _instance_norm(node: Node, x: Any, scale: Any, bias: Any) -> Any:
    found, _, _ = _standard(x, tuple(range(2, x.ndim)), node.get("epsilon", 1e-5))
    return F.add(F.mul(found, _across(scale, x.ndim)), _across(bias, x.ndim))


@reads("LayerNormalization")
def _layer_norm(node: Node, x: Any, scale: Any, bias: Any = None) -> Any:
    axis = node.get("axis", -1) % x.ndim
    found, mean, rstd = _standard(x, tuple(range(axis, x.ndim)), node.get("epsilon", 1e-5))
    found = F.mul(found, scale)
    return [found if bias is None else F.add(found, bias), mean, rstd][: len(node.outputs)]


@reads("LSTM", activations=None, clip=None, input_forget=0, layout=0)
def _lstm(node: Node, x: Any, weight: Any, again: Any, bias: Any = None, lengths: Any = None,
          h0: Any = None, c0: Any = None, peepholes: Any = None) -> Any:  # fmt: skip
    if lengths is not None or peepholes is not None:
        raise ValueError("sequences of several lengths and peepholes are not known here")
    size, (times, batch, _) = known(again)[-1], known(x)
    which = node.get("direction", "forward")
    directions = ["forward", "reverse"] if which == "bidirectional" else [which]
    zeros = constant(np.zeros((batch, size), x.dtype))
    outputs, last_h, last_c = [], [], []
    for d, direction in enumerate(directions):
        w, r = F.select(weight, 0, d), F.select(again, 0, d)
        offset = None if bias is None else _bias(F.select(bias, 0, d), size)
        h, c = (zeros if start is None else F.select(start, 0, d) for start in (h0, c0))
        steps = {}
        for t in range(times)[:: -1 if direction == "reverse" else 1]:
            total = F.add(F.mm(F.select(x, 0, t), F.t(w)), F.mm(h, F.t(r)))
            total = total if offset is None else F.add(total, offset)
            i, o, f, g = (F.slice(total, 1, k * size, (k + 1) * size, 1) for k in range(4))
            c = F.add(F.mul(F.sigmoid(f), c), F.mul(F.sigmoid(i), F.tanh(g)))
            h = steps[t] = F.mul(F.sigmoid(o), F.tanh(c))
        outputs.append(F.stack([steps[t] for t in range(times)], 0))
        last_h.append(h)
        last_c.append(c)
    results = [F.stack(outputs, 1), F.stack(last_h, 0), F.stack(last_c, 0)]
    return results[: len(node.outputs)]


def _bias(both: Any, size: int) -> Any:
    """The sum of the two biases of one direction."""
    return F.add(*(F.slice(both, 0, k * 4 * size, (k + 1) * 4 * size, 1) for k in (0, 1)))


@reads("NegativeLogLikelihoodLoss")
def _nll(node: Node, x: Any, target: Any, weight: Any = None) -> Any:
    sizes = known(x)
    flat = x if len(sizes) == 2 else F.reshape(
        F.permute(x, (0, *range(2, len(sizes)), 1)), (-1, sizes[1]))  # fmt: skip
    reduction = ("none", "mean", "sum").index(node.get("reduction", "mean"))
    ignored = node.get("ignore_index", -100)
    places = F.to_copy(F.reshape(target, (-1,)), np.dtype(np.int64))
    loss = _first(F.nll_loss(flat, places, weight, reduction, ignored))
    return F.reshape(loss, known(target)) if not reduction else loss
