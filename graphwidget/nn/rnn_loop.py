"""The loops of recurrent layers over time, layers and directions.

A way takes the input, a layer's first state, its weights and whether to go backwards, and gives the
hidden states of all times and the last state. States are tensors (N, H), or the two of an LSTM.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..eager.op_functions import TENSORS as F
from ..functions.creation.factory_decorator import new_leaf
from ..functions.dims import wrap_dim
from ..functions.reduction.reductions import returns_tuple
from ..functions.shape.joins_splits import cat, stack
from ..graph.tensor import Tensor
from . import functional, rnn_packed

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
            walk = rnn_packed.backward if backwards else rnn_packed.forward
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
