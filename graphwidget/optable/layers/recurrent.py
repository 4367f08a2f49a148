"""LSTM layers (Hochreiter and Schmidhuber, 1997), all times in one op; packed sequences.

The gates i, f, g, o of all times lie in one array (T, N, 4 H). What depends on one time alone is
computed for all times at once; the loops do what depends on the time before.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ...arrays.memory_order import as_array
from ..declare import ARRAYS, Namespace, composite, op
from ..pointwise.common_kernels import Array, Shape, ones


@lru_cache(16)
def _tanh_gate_scales(hidden: int, kind: str) -> tuple[Array, Array]:
    """Factors and summands that make all gates one tanh: sigmoid(x) = tanh(x / 2) / 2 + 1 / 2."""
    scale = np.full(4 * hidden, 0.5, kind)
    scale[2 * hidden : 3 * hidden] = 1
    return scale, 1 - scale


def time_order(steps: int, reverse: bool) -> range:
    """The times in the order in which they are computed."""
    return range(steps - 1, -1, -1) if reverse else range(steps)


def lstm(
    input: Array, weight: Array, again: Array, bias: Array, bias2: Array, hx: Array, cx: Array,
    reverse: bool, batch_sizes: Any, mode: int, hidden_size: int, num_layers: int,
    has_biases: bool, bidirectional: bool, batch_first: bool, train: bool,
) -> tuple[Array, Array, Array, Array]:  # fmt: skip
    """Hidden states (T, N, H) of (T, N, I), the last hidden and cell state; gates and cells, as
    the bytes that PyTorch calls oneDNN's workspace."""
    steps, batch, _ = input.shape
    size = hidden_size
    scale, shift = _tanh_gate_scales(size, input.dtype.char)
    hidden = np.empty((steps, batch, size), input.dtype)
    kept = np.empty(5 * hidden.size, input.dtype)
    gates, cells = split_workspace(kept, hidden)
    rows = gates.reshape(steps * batch, 4 * size)
    np.matmul(input.reshape(steps * batch, -1), (weight * scale[:, None]).T, rows)
    if has_biases:
        np.add(rows, (bias + bias2) * scale, rows)
    into = np.ascontiguousarray((again * scale[:, None]).T)
    part, fresh = np.empty((batch, 4 * size), input.dtype), np.empty((batch, size), input.dtype)
    state, cell = hx, cx
    for time in time_order(steps, reverse):
        now, last, cell = gates[time], cell, cells[time]
        np.matmul(state, into, part)
        np.add(now, part, now)
        np.tanh(now, now)
        np.multiply(now, scale, now)
        np.add(now, shift, now)
        np.multiply(now[:, :size], now[:, 2 * size : 3 * size], fresh)
        np.multiply(now[:, size : 2 * size], last, cell)
        np.add(cell, fresh, cell)
        state = hidden[time]
        np.tanh(cell, state)
        np.multiply(state, now[:, 3 * size :], state)
    return hidden, state.copy(), cell.copy(), kept.view(np.uint8)


def split_workspace(kept: Array, hidden: Array) -> tuple[Array, Array]:
    """The gates (T, N, 4 H) and the cells (T, N, H) in one vector."""
    steps, batch, size = hidden.shape
    end = 4 * hidden.size
    return kept[:end].reshape(steps, batch, 4 * size), kept[end:].reshape(hidden.shape)


def previous_states(first: Array, states: Array, reverse: bool) -> Array:
    """The states that each time began with."""
    if reverse:
        return np.concatenate([states[1:], first[None]])
    return np.concatenate([first[None], states[:-1]])


def lstm_gradients(
    grads: Any, input: Array, weight: Array, again: Array, hx: Array, cx: Array, hidden: Array,
    kept: Array, reverse: bool, bias: Array | None, bias2: Array,
) -> tuple[Array | None, ...]:  # fmt: skip
    """The derivatives by input, both weights, both biases and the first states."""
    steps, batch, size = hidden.shape
    gates, cells = split_workspace(kept.view(hidden.dtype), hidden)
    enter, keep, new, out = (gates[:, :, at * size : (at + 1) * size] for at in range(4))
    bent = np.tanh(cells)
    by_state = out * (1 - bent * bent)  # of the cell by the hidden state
    slopes = np.empty_like(gates)  # of the gates, by the cell but for the last, of the hidden state
    parts = [slopes[:, :, at * size : (at + 1) * size] for at in range(4)]
    sigmoids = gates * (1 - gates)
    np.multiply(sigmoids[:, :, :size], new, parts[0])
    np.multiply(sigmoids[:, :, size : 2 * size], previous_states(cx, cells, reverse), parts[1])
    np.multiply(1 - new * new, enter, parts[2])
    np.multiply(sigmoids[:, :, 3 * size :], bent, parts[3])
    flow, inside = np.array(grads[1]), np.array(grads[2])
    for time in reversed(time_order(steps, reverse)):
        np.add(flow, grads[0][time], flow)
        inside = inside + flow * by_state[time]
        three = slopes[time, :, : 3 * size].reshape(batch, 3, size)
        slopes[time, :, : 3 * size] = (three * inside[:, None]).reshape(batch, 3 * size)
        np.multiply(parts[3][time], flow, parts[3][time])
        np.multiply(inside, keep[time], inside)
        np.matmul(slopes[time], again, flow)
    rows = slopes.reshape(steps * batch, 4 * size)
    by_bias = np.matmul(ones(len(rows), rows.dtype.char), rows) if bias is not None else None
    states = previous_states(hx, hidden, reverse).reshape(steps * batch, size)
    return (
        np.matmul(rows, weight).reshape(input.shape),
        np.matmul(rows.T, input.reshape(steps * batch, -1)),
        np.matmul(rows.T, states),
        by_bias,
        None if by_bias is None else by_bias.copy(),
        flow,
        inside,
    )


F = Namespace()

op("mkldnn_rnn_layer(input, weight0, weight1, weight2, weight3, hx_, cx_, /, reverse, batch_sizes, "
   "mode, hidden_size, num_layers, has_biases, bidirectional, batch_first, train)"
   " -> result0, result1, result2, result3", lstm,
   d_input__weight0__weight1__weight2__weight3__hx___cx_=lambda grads, input, weight0, weight1,
       weight2, weight3, hx_, cx_, result0, result1, result2, result3, reverse, batch_sizes, mode,
       hidden_size, num_layers, has_biases, bidirectional, batch_first, train:
           F.lstm_backward(grads, input, weight0, weight1, hx_, cx_, result0, result3, reverse,
                           weight2 if has_biases else None, weight3),
   public=False, sign="LSTM", text="LSTM({input})",
   onnx="LSTM")


@composite
def lstm_backward(
    grads: Any, input: Any, weight: Any, again: Any, hx: Any, cx: Any, hidden: Any, kept: Any,
    reverse: Any, bias: Any, bias2: Any,
) -> Any:  # fmt: skip
    """The derivatives by input, both weights, both biases and the first states, with a graph: the
    layer is computed again, time by time, and gone through backwards."""
    order = time_order(input.shape[0], reverse)
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


ARRAYS.__dict__["lstm_backward"] = lstm_gradients


def _valid_mask(batch_sizes: Any, rows: int) -> Array:
    """Return a mask of the (time, sequence) pairs that exist, of sequences sorted from long to
    short."""
    counts = np.asarray(batch_sizes)
    return np.arange(rows) < counts[:, None]


def pack_valid(a: Array, batch_sizes: Any, batch_first: bool) -> tuple[Array, Array]:
    """The items of (T, N, *), or (N, T, *), that exist, by time; and how many at each time."""
    a = a.swapaxes(0, 1) if batch_first else a
    present = _valid_mask(batch_sizes, a.shape[1])[: len(a)]
    return a[: len(present)][present], np.asarray(batch_sizes)


def unpack_valid(grad: Array, batch_sizes: Any, shape: Shape, batch_first: bool) -> Array:
    """The reverse of ``pack_valid``: zeros where nothing exists."""
    out = np.zeros(shape, grad.dtype)
    rows = out.swapaxes(0, 1) if batch_first else out
    present = _valid_mask(batch_sizes, rows.shape[1])[: len(rows)]
    rows[: len(present)][present] = as_array(grad)
    return out


op("pack_padded_sequence(input, /, _batch_sizes, batch_first) -> result; result1", pack_valid,
   d_input=lambda grad, input_shape, result1, _batch_sizes, batch_first:
       F.pack_padded_sequence_backward(grad, _batch_sizes, input_shape, batch_first),
   public=False, sign="pack", text="items of {input} by time", onnx=None)


@composite
def pack_padded_sequence_backward(
    grad: Any, batch_sizes: Any, shape: Any, batch_first: Any
) -> Any:
    """The gradients of all times where they were taken from: written into zeros time by time, as
    PyTorch does, whose graph of it then contains the writes."""
    first, second, *rest = shape
    lead = (second, first) if batch_first else (first, second)
    out, row = grad.new_zeros((*lead, *rest)), 0
    for time, count in enumerate(batch_sizes):
        out[time][:count].copy_(grad[row : row + count])
        row += count
    return F.transpose(out, 0, 1) if batch_first else out


ARRAYS.__dict__["pack_padded_sequence_backward"] = unpack_valid
