"""Recurrent layers as functions (``torch.lstm``, ``torch.gru_cell``): all weights are arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..arrays.warnings import warn_once
from ..dispatch.offer import offer
from ..functions.shape.joins_splits import stack
from ..graph.tensor import Tensor
from . import functional
from .rnn_cell import gru_step, lstm_step, plain_step
from .rnn_loop import Step, fused_lstm, run_layers, step_by_step

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
