"""LSTM layers on arrays (Hochreiter and Schmidhuber, 1997), all times in one op.

The gates i, f, g, o of all times lie in one array (T, N, 4 H). What depends on one time alone is
computed for all times at once; the loops do what depends on the time before.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..pointwise.common_kernels import Array, ones


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


def lstm_backward(
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
    turns = [slopes[:, :, at * size : (at + 1) * size] for at in range(4)]
    sigmoids = gates * (1 - gates)
    np.multiply(sigmoids[:, :, :size], new, turns[0])
    np.multiply(sigmoids[:, :, size : 2 * size], previous_states(cx, cells, reverse), turns[1])
    np.multiply(1 - new * new, enter, turns[2])
    np.multiply(sigmoids[:, :, 3 * size :], bent, turns[3])
    flow, inside = np.array(grads[1]), np.array(grads[2])
    for time in reversed(time_order(steps, reverse)):
        np.add(flow, grads[0][time], flow)
        inside = inside + flow * by_state[time]
        three = slopes[time, :, : 3 * size].reshape(batch, 3, size)
        slopes[time, :, : 3 * size] = (three * inside[:, None]).reshape(batch, 3 * size)
        np.multiply(turns[3][time], flow, turns[3][time])
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
