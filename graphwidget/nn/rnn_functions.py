"""Recurrent layers as functions (``torch.lstm``, ``torch.gru_cell``): all weights are arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core.joins import cat, stack
from ..core.public import offer
from ..core.tensor import Tensor
from . import functional
from .rnn_cell import gru_step, lstm_step, plain_step

Step = Callable[[Tensor, Any, Tensor, Tensor | None], Any]


def tanh_step(projected: Tensor, hidden: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """The next hidden state of a plain layer with tanh."""
    return plain_step(projected, hidden, weight, bias, "tanh")


def relu_step(projected: Tensor, hidden: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """The next hidden state of a plain layer with relu."""
    return plain_step(projected, hidden, weight, bias, "relu")


# Layers ------------------------------------------------------------------------------------------
def through(
    step: Step, input: Tensor, states: list[Any], params: Sequence[Tensor], has_biases: bool,
    num_layers: int, dropout: float, train: bool, bidirectional: bool, batch_first: bool,
) -> tuple[Tensor, list[Any]]:  # fmt: skip
    """The hidden states of all times, and the last states of each layer and direction.

    ``params`` lists for each layer and direction the weights of the input and of the state and,
    ``has_biases``, their biases.
    """
    count, directions = 4 if has_biases else 2, 2 if bidirectional else 1
    groups = [list(params[at : at + count]) for at in range(0, len(params), count)]
    rows = input.transpose(0, 1) if batch_first else input
    ends: list[Any] = []
    for layer in range(num_layers):
        outputs = []
        for direction in range(directions):
            place = layer * directions + direction
            into, again, *biases = groups[place]
            bias, bias2 = biases if biases else (None, None)
            state, hidden = states[place], []
            projected = functional.linear(rows, into, bias).unbind(0)
            for each in reversed(projected) if direction else projected:
                state = step(each, state, again, bias2)
                hidden.append(state[0] if isinstance(state, tuple) else state)
            outputs.append(stack(hidden[::-1] if direction else hidden))
            ends.append(state)
        rows = outputs[0] if directions == 1 else cat(outputs, -1)
        if dropout and layer < num_layers - 1:
            rows = functional.dropout(rows, dropout, train)
    return (rows.transpose(0, 1) if batch_first else rows), ends


def layers(name: str, step: Step) -> None:
    """Offer a function of layers whose state is one tensor."""

    def function(
        input: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: bool, num_layers: int,
        dropout: float, train: bool, bidirectional: bool, batch_first: bool,
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        output, ends = through(
            step, input, list(hx.unbind(0)), params, has_biases, num_layers, dropout, train,
            bidirectional, batch_first,
        )  # fmt: skip
        return output, stack(ends)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        "The hidden states of all times of (T, N, I), and the last ones of each layer and "
        "direction, from first states and the weights of all layers."
    )
    offer(method=False)(function)


layers("rnn_tanh", tanh_step)
layers("rnn_relu", relu_step)
layers("gru", gru_step)


@offer(method=False)
def lstm(
    input: Tensor, hx: Sequence[Tensor], params: Sequence[Tensor], has_biases: bool,
    num_layers: int, dropout: float, train: bool, bidirectional: bool, batch_first: bool,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """The hidden states of all times of (T, N, I), and the last hidden and cell states of each
    layer and direction, from first states and the weights of all layers."""
    states = list(zip(hx[0].unbind(0), hx[1].unbind(0), strict=True))
    output, ends = through(
        lstm_step, input, states, params, has_biases, num_layers, dropout, train, bidirectional,
        batch_first,
    )  # fmt: skip
    return output, stack([end[0] for end in ends]), stack([end[1] for end in ends])


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


def cell(name: str, step: Step, gates: int) -> None:
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


cell("rnn_tanh_cell", tanh_step, 1)
cell("rnn_relu_cell", relu_step, 1)
cell("gru_cell", gru_step, 3)


@offer(method=False)
def lstm_cell(
    input: Tensor, hx: Sequence[Tensor], w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The next hidden and cell state of (N, I) inputs, from the last ones and the weights."""
    check_cell(input, hx[0], w_ih, w_hh, 4)
    return lstm_step(functional.linear(input, w_ih, b_ih), (hx[0], hx[1]), w_hh, b_hh)
