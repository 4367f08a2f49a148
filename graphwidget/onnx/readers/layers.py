"""Reads ONNX's convolution, pooling, normalisation, LSTM and losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..nodes import F, Node, constant, known, reads


def _first(found: Any) -> Any:
    return found[0] if isinstance(found, (tuple, list)) else found


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


def padded(x: Any, pads: list[int], value: float) -> Any:
    """With a number of copies of a value before and behind each dim; all starts come first."""
    n = len(pads) // 2
    if not any(pads):
        return x
    flat = tuple(p for i in reversed(range(n)) for p in (pads[i], pads[i + n]))
    return F.constant_pad_nd(x, flat, value)


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


def _training_batch_norm(node: Node, x: Any, scale: Any, bias: Any, mean: Any, var: Any) -> Any:
    """By the batch's own statistics, which are mixed into the running ones."""
    dims = (0, *range(2, x.ndim))
    kind = x.dtype.type
    found, now, _ = _standard(x, dims, node.get("epsilon", 1e-5))
    off = F.sub(x, now)
    spread = F.mean_dim(F.mul(off, off), dims, True)
    y = F.add(F.mul(found, _across(scale, x.ndim)), _across(bias, x.ndim))
    keep = node.get("momentum", 0.9)
    mixed = [
        F.add(F.mul(old, constant(kind(keep))),
              F.mul(F.reshape(new, (-1,)), constant(kind(1 - keep))))
        for old, new in ((mean, now), (var, spread))
    ]  # fmt: skip
    return [y, *mixed]


@reads("GroupNormalization")
def _group_norm(node: Node, x: Any, scale: Any, bias: Any) -> Any:
    count, sizes = node.get("num_groups"), known(x)
    grouped = F.reshape(x, (sizes[0], count, -1))
    found = F.reshape(_standard(grouped, (2,), node.get("epsilon", 1e-5))[0], sizes)
    if node.opset < 21:  # one number for each group
        each = sizes[1] // count
        scale, bias = (F.reshape(F.expand(F.reshape(a, (count, 1)), (count, each)), (-1,))
                       for a in (scale, bias))  # fmt: skip
    return F.add(F.mul(found, _across(scale, x.ndim)), _across(bias, x.ndim))


@reads("LRN")
def _local_response(node: Node, x: Any) -> Any:
    count, kind = node.get("size"), x.dtype.type
    before, sizes = (count - 1) // 2, known(x)
    flat = F.reshape(F.mul(x, x), (sizes[0], 1, sizes[1], -1))
    wide = F.constant_pad_nd(flat, (0, 0, before, count - 1 - before), 0.0)
    total = F.convolution(wide, constant(np.ones((1, 1, count, 1), x.dtype)), None, (1, 1), (0, 0),
                          (1, 1), False, (0, 0), 1)  # fmt: skip
    by = constant(kind(node.get("alpha", 1e-4) / count))
    scale = F.add(F.mul(F.reshape(total, sizes), by), constant(kind(node.get("bias", 1.0))))
    return F.div(x, F.pow(scale, constant(kind(node.get("beta", 0.75)))))


@reads("BatchNormalization")
def _batch_norm(node: Node, x: Any, scale: Any, bias: Any, mean: Any, var: Any) -> Any:
    if node.get("training_mode", 0):
        return _training_batch_norm(node, x, scale, bias, mean, var)
    if len(node.outputs) > 1:
        raise ValueError("its older outputs are not known here")
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


def _steps(node: Node, x: Any) -> tuple[Any, list[str]]:
    """The input with times first, and the directions; the activations are the usual ones.

    Raises:
        ValueError: they are not.
    """
    usual = {"LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"], "RNN": ["Tanh"]}
    named = node.get("activations")
    if (named and named != usual[node.type] * (len(named) // len(usual[node.type]))) or node.get(
        "clip"
    ) is not None:
        raise ValueError("activations other than the usual ones are not known here")
    which = node.get("direction", "forward")
    both = ["forward", "reverse"] if which == "bidirectional" else [which]
    return (F.transpose(x, 0, 1) if node.get("layout", 0) else x), both


def _lstm_step(wx: Any, r: Any, rb: Any, h: Any, c: Any, size: int, peep: Any) -> Any:
    total = F.add(F.add(wx, F.mm(h, F.t(r))), rb)
    i, o, f, g = (F.slice(total, 1, k * size, (k + 1) * size, 1) for k in range(4))
    if peep is not None:
        pi, po, pf = (F.slice(peep, 0, k * size, (k + 1) * size, 1) for k in range(3))
        i, f = F.add(i, F.mul(pi, c)), F.add(f, F.mul(pf, c))
    c = F.add(F.mul(F.sigmoid(f), c), F.mul(F.sigmoid(i), F.tanh(g)))
    o = o if peep is None else F.add(o, F.mul(po, c))
    return F.mul(F.sigmoid(o), F.tanh(c)), c


def _gru_step(wx: Any, r: Any, rb: Any, h: Any, c: Any, size: int, after: Any) -> Any:
    def part(x: Any, k: int, dim: int = 1) -> Any:
        return F.slice(x, dim, k * size, (k + 1) * size, 1)

    ones = constant(np.ones((), h.dtype.type))
    gates = [F.add(F.mm(h, F.t(part(r, k, 0))), part(rb, k, 0)) for k in (0, 1)]
    z, reset = (F.sigmoid(F.add(part(wx, k), gates[k])) for k in (0, 1))
    if after:
        inner = F.mul(reset, F.add(F.mm(h, F.t(part(r, 2, 0))), part(rb, 2, 0)))
    else:
        inner = F.add(F.mm(F.mul(reset, h), F.t(part(r, 2, 0))), part(rb, 2, 0))
    new = F.tanh(F.add(part(wx, 2), inner))
    return F.add(F.mul(F.sub(ones, z), new), F.mul(z, h)), c


def _rnn_step(wx: Any, r: Any, rb: Any, h: Any, c: Any, size: int, rest: Any) -> Any:
    return F.tanh(F.add(F.add(wx, F.mm(h, F.t(r))), rb)), c


@reads("LSTM", "GRU", "RNN")
def _recurrent(node: Node, x: Any, weight: Any, again: Any, bias: Any = None, lengths: Any = None,
               h0: Any = None, c0: Any = None, peep: Any = None) -> Any:  # fmt: skip
    if lengths is not None and set(node.ints(lengths)) != {
        known(x)[1 if node.get("layout") else 0]
    }:
        raise ValueError("sequences of several lengths are not known here")
    step, gates = {"LSTM": (_lstm_step, 4), "GRU": (_gru_step, 3), "RNN": (_rnn_step, 1)}[node.type]
    x, both = _steps(node, x)
    size, (times, batch, _) = known(again)[-1], known(x)
    ends: list[Any] = []
    outputs = []
    for d, which in enumerate(both):
        w, r = F.select(weight, 0, d), F.select(again, 0, d)
        zeros = constant(np.zeros((batch, size), x.dtype))
        whole = (
            constant(np.zeros(2 * gates * size, x.dtype)) if bias is None else F.select(bias, 0, d)
        )
        wb, rb = (F.slice(whole, 0, k * gates * size, (k + 1) * gates * size, 1) for k in (0, 1))
        at = 1 if node.get("layout", 0) else 0
        h = zeros if h0 is None else F.select(h0, at, d)
        c = zeros if c0 is None else F.select(c0, at, d)
        extra = node.get("linear_before_reset", 0) if node.type == "GRU" else (
            None if peep is None else F.select(peep, 0, d))  # fmt: skip
        found = {}
        for t in range(times)[:: -1 if which == "reverse" else 1]:
            wx = F.add(F.mm(F.select(x, 0, t), F.t(w)), wb)
            h, c = step(wx, r, rb, h, c, size, extra)
            found[t] = h
        outputs.append(F.stack([found[t] for t in range(times)], 0))
        ends.append((h, c))
    results = [F.stack(outputs, 1), *(F.stack([each[k] for each in ends], 0) for k in (0, 1))]
    if node.get("layout", 0):
        results = [
            F.permute(results[0], (2, 0, 1, 3)),
            *(F.transpose(e, 0, 1) for e in results[1:]),
        ]
    return results[: len(node.outputs)]


@reads("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
def _nll(node: Node, x: Any, target: Any, weight: Any = None) -> Any:
    scores = F.log_softmax(x, 1) if node.type.startswith("Softmax") else x
    sizes = known(x)
    flat = scores if len(sizes) == 2 else F.reshape(
        F.permute(scores, (0, *range(2, len(sizes)), 1)), (-1, sizes[1]))  # fmt: skip
    reduction = ("none", "mean", "sum").index(node.get("reduction", "mean"))
    ignored = node.get("ignore_index", -100)
    places = F.to_copy(F.reshape(target, (-1,)), np.dtype(np.int64))
    loss = _first(F.nll_loss(flat, places, weight, reduction, ignored))
    loss = F.reshape(loss, known(target)) if not reduction else loss
    return [loss, scores][: len(node.outputs)]
