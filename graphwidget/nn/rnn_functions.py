"""``torch.lstm``, ``torch.gru`` and the like: the loops over time, also of packed sequences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..arrays.warnings import warn_once
from ..dispatch.offer import offer
from ..eager.op_functions import TENSORS as F
from ..functions.creation.factory_decorator import new_leaf
from ..functions.dims import wrap_dim
from ..functions.reduction.reductions import returns_tuple
from ..functions.shape.joins_splits import cat, stack
from ..graph.tensor import Tensor
from . import functional
from .rnn_cell import gru_step, lstm_step, plain_step

Step = Callable[..., Any]
"""The next state, from W x + b of one time, the last state, its weight, bias and projection."""
LayerRun = Callable[[Tensor, Any, Sequence[Tensor], bool], tuple[Tensor, Any]]

LSTM_MODE = 2
"""oneDNN's number of the kind of layer."""


def step_by_step(step: Step, has_biases: bool, batch_sizes: list[int] | None = None) -> LayerRun:
    """Time by time, each of a few ops; the inputs of all times are multiplied by their weight at
    once. With `batch_sizes` the input is packed rows (R, I), else (T, N, I)."""

    def way(
        input: Tensor, state: Any, weights: Sequence[Tensor], backwards: bool
    ) -> tuple[Tensor, Any]:
        into, again, *others = weights
        bias, bias2 = others[:2] if has_biases else (None, None)
        projection = others[2 * has_biases :]
        rows = functional.linear(input, into, bias)
        if batch_sizes is not None:
            walk = backward if backwards else forward
            return walk(
                lambda row, state: step(row, state, again, bias2, *projection),
                rows, batch_sizes, state,
            )  # fmt: skip
        projected = rows.unbind(0)
        hidden: list[Tensor] = []
        for each in reversed(projected) if backwards else projected:
            state = step(each, state, again, bias2, *projection)
            hidden.append(state[0] if isinstance(state, tuple) else state)
        return stack(hidden[::-1] if backwards else hidden), state

    return way


def fused_lstm(
    has_biases: bool, num_layers: int, train: bool, bidirectional: bool, batch_first: bool
) -> LayerRun:
    """An LSTM, all times in one op.

    Its way raises an IndexError for an input without the dim of features (PyTorch's text).
    """

    def way(
        input: Tensor, state: Any, weights: Sequence[Tensor], backwards: bool
    ) -> tuple[Tensor, Any]:
        wrap_dim(2, input._data.ndim)
        biases = weights[2:]
        if not has_biases:
            biases = [new_leaf(np.zeros_like(each._data)) for each in weights]
        output, *last = returns_tuple(F.mkldnn_rnn_layer)(
            input, *weights[:2], *biases, *state, backwards, (), LSTM_MODE,
            state[0]._data.shape[-1], num_layers, has_biases, bidirectional, batch_first, train,
        )  # fmt: skip
        return output, tuple(last[:2])

    return way


def run_layers(
    way: LayerRun, input: Tensor, states: Sequence[Any], params: Sequence[Tensor], num_layers: int,
    dropout: float, train: bool, bidirectional: bool, last: int = -1,
) -> tuple[Tensor, list[Any]]:  # fmt: skip
    """Through all layers: the hidden states of all times, and the last states of each layer and
    direction. `params` lists the weights of each layer and direction in turn; `last` is what
    nodes call the dim along which directions are joined."""
    directions = 2 if bidirectional else 1
    count = len(params) // (num_layers * directions)
    ends: list[Any] = []
    for layer in range(num_layers):
        outputs = []
        for direction in range(directions):
            place = layer * directions + direction
            weights = params[place * count : (place + 1) * count]
            output, end = way(input, states[place], weights, direction == 1)
            outputs.append(output)
            ends.append(end)
        input = outputs[0] if directions == 1 else cat(outputs, last)
        if dropout and train and layer < num_layers - 1:
            input = functional.dropout(input, dropout, train)
    return input, ends


"""The next state, from the rows of one time and the last state."""


def permute_state(state: Tensor, order: Tensor | None) -> Tensor:
    """A state (layers, N, H) with its sequences in another order."""
    return state if order is None else state.index_select(1, order)


def _part(state: Any, start: int, end: int) -> Any:
    if isinstance(state, tuple):
        return tuple(_part(each, start, end) for each in state)
    return state[start:end]


def _joined(states: list[Any]) -> Any:
    if isinstance(states[0], tuple):
        return tuple(cat(list(each)) for each in zip(*states, strict=True))
    return cat(states)


def _hidden(state: Any) -> Tensor:
    found: Tensor = state[0] if isinstance(state, tuple) else state
    return found


def forward(step: Step, rows: Tensor, batch_sizes: list[int], state: Any) -> tuple[Tensor, Any]:
    """From the first time to the last: the hidden states of all rows, and each sequence's last
    state."""
    hidden, ends, start, last = [], [], 0, batch_sizes[0]
    for count in batch_sizes:
        part = rows[start : start + count]
        if count < last:  # the shortest have ended
            ends.append(_part(state, count, last))
            state = _part(state, 0, count)
        state = step(part, state)
        hidden.append(_hidden(state))
        start, last = start + count, count
    ends.append(state)
    return cat(hidden), _joined(ends[::-1])


def backward(step: Step, rows: Tensor, batch_sizes: list[int], state: Any) -> tuple[Tensor, Any]:
    """From the last time to the first: the hidden states of all rows, and the last state."""
    whole, hidden, end, last = state, [], rows.size(0), batch_sizes[-1]
    state = _part(whole, 0, last)
    for count in reversed(batch_sizes):
        if count > last:  # shorter sequences join
            state = _joined([state, _part(whole, last, count)])
        state = step(rows[end - count : end], state)
        hidden.append(_hidden(state))
        end, last = end - count, count
    return cat(hidden[::-1]), state


NOT_FUSED = "LSTM with projections is not supported with oneDNN. Using default implementation."


def tanh_step(projected: Tensor, hidden: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """The next hidden state of a plain layer with tanh."""
    return plain_step(projected, hidden, weight, bias, "tanh")


def relu_step(projected: Tensor, hidden: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """The next hidden state of a plain layer with relu."""
    return plain_step(projected, hidden, weight, bias, "relu")


# Layers ------------------------------------------------------------------------------------------
def time_first(input: Tensor, batch_first: bool) -> Tensor:
    """The input as (T, N, I).

    Raises:
        RuntimeError: there is no time (PyTorch's text).
    """
    input = input.transpose(0, 1) if batch_first else input
    if not input._data.shape[0]:
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
    return input


def offer_layers(name: str, step: Step) -> Callable[..., tuple[Tensor, Tensor]]:
    """Offer a function of layers whose state is one tensor."""

    def function(
        input: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: bool, num_layers: int,
        dropout: float, train: bool, bidirectional: bool, batch_first: bool,
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        output, ends = run_layers(
            step_by_step(step, has_biases), time_first(input, batch_first), hx.unbind(0), params,
            num_layers, dropout, train, bidirectional, last=2,
        )  # fmt: skip
        return output.transpose_(0, 1) if batch_first else output, stack(ends)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        "The hidden states of all times of (T, N, I), and the last ones of each layer and "
        "direction, from first states and the weights of all layers."
    )
    return offer(method=False)(function)


rnn_tanh = offer_layers("rnn_tanh", tanh_step)
rnn_relu = offer_layers("rnn_relu", relu_step)
gru = offer_layers("gru", gru_step)


@offer(method=False)
def lstm(
    input: Tensor, hx: Sequence[Tensor], params: Sequence[Tensor], has_biases: bool,
    num_layers: int, dropout: float, train: bool, bidirectional: bool, batch_first: bool,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """The hidden states of all times of (T, N, I), and the last hidden and cell states of each
    layer and direction, from first states and the weights of all layers.

    Layers in float32 without projections are one op each, as PyTorch has oneDNN compute them.
    """
    projected = hx[0].size(2) != hx[1].size(2)
    alike = input._data.dtype == np.float32 and input._data.size > 0
    if alike and projected:
        warn_once(NOT_FUSED)
    one_op = alike and not projected
    rows = time_first(input, batch_first)
    if one_op:
        way = fused_lstm(has_biases, num_layers, train, bidirectional, batch_first)
        rows, hidden, cell = rows.contiguous(), hx[0].contiguous(), hx[1].contiguous()
        states = [(hidden.select(0, at), cell.select(0, at)) for at in range(hidden.size(0))]
    else:
        way = step_by_step(lstm_step, has_biases)
        states = list(zip(hx[0].unbind(0), hx[1].unbind(0), strict=True))
    output, ends = run_layers(
        way, rows, states, params, num_layers, dropout, train, bidirectional, -1 if one_op else 2
    )
    return (
        output.transpose(0, 1) if batch_first else output,
        stack([end[0] for end in ends]),
        stack([end[1] for end in ends]),
    )


# Cells -------------------------------------------------------------------------------------------
def check_cell(input: Tensor, hidden: Tensor, w_ih: Tensor, w_hh: Tensor, gates: int) -> None:
    """The sizes of a step.

    Raises:
        RuntimeError: PyTorch's texts.
    """
    sizes = input._data.shape, hidden._data.shape
    if sizes[0][-1] != w_ih._data.shape[1]:
        raise RuntimeError(
            f"input has inconsistent input_size: got {sizes[0][-1]} expected {w_ih._data.shape[1]}"
        )
    if w_hh._data.shape[0] != gates * sizes[1][-1]:
        raise RuntimeError(
            f"weight_hh first dim must be {gates} * hidden_size = {gates * sizes[1][-1]}, but got "
            f"{w_hh._data.shape[0]}"
        )


def offer_cell(name: str, step: Step, gates: int) -> None:
    """Offer a step of a layer whose state is one tensor."""

    def function(
        input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None,
        b_hh: Tensor | None = None,
    ) -> Tensor:  # fmt: skip
        check_cell(input, hx, w_ih, w_hh, gates)
        found: Tensor = step(functional.linear(input, w_ih, b_ih), hx, w_hh, b_hh)
        return found

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "The next hidden state of (N, I) inputs, from the last one and the weights."
    offer(method=False)(function)


offer_cell("rnn_tanh_cell", tanh_step, 1)
offer_cell("rnn_relu_cell", relu_step, 1)
offer_cell("gru_cell", gru_step, 3)


@offer(method=False)
def lstm_cell(
    input: Tensor, hx: Sequence[Tensor], w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The next hidden and cell state of (N, I) inputs, from the last ones and the weights."""
    check_cell(input, hx[0], w_ih, w_hh, 4)
    return lstm_step(functional.linear(input, w_ih, b_ih), (hx[0], hx[1]), w_hh, b_hh)
