"""LSTM layers whose times are one op, as PyTorch hands float32 ones to oneDNN."""

from __future__ import annotations

from typing import Any

from ..declare import ARRAYS, Namespace, composite, op
from . import lstm_kernels as kernels

F = Namespace()

op("mkldnn_rnn_layer(input, weight0, weight1, weight2, weight3, hx_, cx_, /, reverse, batch_sizes, "
   "mode, hidden_size, num_layers, has_biases, bidirectional, batch_first, train)"
   " -> result0, result1, result2, result3", kernels.lstm,
   d_input__weight0__weight1__weight2__weight3__hx___cx_=lambda grads, input, weight0, weight1,
       weight2, weight3, hx_, cx_, result0, result1, result2, result3, reverse, batch_sizes, mode,
       hidden_size, num_layers, has_biases, bidirectional, batch_first, train:
           F.lstm_backward(grads, input, weight0, weight1, hx_, cx_, result0, result3, reverse,
                           weight2 if has_biases else None, weight3),
   public=False, sign="LSTM", text="LSTM({input})", tex=r"\operatorname{{LSTM}} {input}",
   onnx="LSTM")


@composite
def lstm_backward(
    grads: Any, input: Any, weight: Any, again: Any, hx: Any, cx: Any, hidden: Any, kept: Any,
    reverse: Any, bias: Any, bias2: Any,
) -> Any:  # fmt: skip
    """The derivatives by input, both weights, both biases and the first states, with a graph: the
    layer is computed again, time by time, and gone through backwards."""
    order = kernels.time_order(input.shape[0], reverse)
    size, tape, state = hx.shape[-1], {}, (hx, cx)
    for time in order:
        h, c = state
        x = F.select(input, 0, time)
        total = F.mm(x, F.t(weight)) + F.mm(h, F.t(again))
        if bias is not None:
            total = total + bias + bias2
        i, f, g, o = (F.slice(total, 1, at * size, (at + 1) * size, 1) for at in range(4))
        i, f, g, o = F.sigmoid(i), F.sigmoid(f), F.tanh(g), F.sigmoid(o)
        cell = f * c + i * g
        bent = F.tanh(cell)
        tape[time] = (x, h, c, i, f, g, o, bent)
        state = (o * bent, cell)
    flow, inside, found = grads[1], grads[2], {}
    sums: Any = None
    for time in reversed(order):
        x, h, c, i, f, g, o, bent = tape[time]
        flow = flow + F.select(grads[0], 0, time)
        inside = inside + flow * o * (1 - bent * bent)
        slopes = F.cat([
            inside * g * i * (1 - i), inside * c * f * (1 - f), inside * i * (1 - g * g),
            flow * bent * o * (1 - o),
        ], 1)  # fmt: skip
        turned = F.t(slopes)
        now = (F.mm(turned, x), F.mm(turned, h), F.sum_dim(slopes, (0,), False))
        sums = now if sums is None else tuple(a + b for a, b in zip(sums, now, strict=True))
        found[time] = F.mm(slopes, weight)
        flow, inside = F.mm(slopes, again), inside * f
    by_input = F.stack([found[time] for time in range(input.shape[0])], 0)
    by_bias = None if bias is None else sums[2]
    return by_input, sums[0], sums[1], by_bias, by_bias, flow, inside


ARRAYS.__dict__["lstm_backward"] = kernels.lstm_backward
