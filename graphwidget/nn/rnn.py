"""Recurrent layers: plain, LSTM (Hochreiter and Schmidhuber, 1997) and GRU (Cho et al., 2014).

Each is a loop over time; the inputs of all times are multiplied by their weight at once.
"""

from __future__ import annotations

import math
import warnings
from typing import Any, ClassVar

import numpy as np

from ..core.factories import empty
from ..core.joins import cat, stack
from ..core.tensor import Tensor
from . import functional, init
from .module import Module
from .parameter import Parameter
from .rnn_cell import gru_step, lstm_step, plain_step


class RNNBase(Module):
    """What all share: the weights of every layer and direction, and the loops over them.

    Raises:
        ValueError: sizes that are not positive, or a dropout outside of [0, 1].
    """

    mode: ClassVar[str]
    _gates: ClassVar[int] = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self._check_options(dropout)
        directions = 2 if bidirectional else 1
        rows = self._gates * hidden_size
        for layer in range(num_layers):
            inputs = input_size if layer == 0 else hidden_size * directions
            for name in self._names(layer):
                kind = name.split("_")[1]
                shape: tuple[int, ...] = (rows,)
                if name.startswith("weight"):
                    shape = (rows, inputs if kind == "ih" else hidden_size)
                made = Parameter(empty(shape, device=device, dtype=dtype))
                self.register_parameter(name, made)
        self.reset_parameters()

    def _check_options(self, dropout: Any) -> None:
        if (
            not isinstance(dropout, int | float)
            or isinstance(dropout, bool)
            or not 0 <= dropout <= 1
        ):
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an "
                "element being zeroed"
            )
        if dropout > 0 and self.num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero "
                f"dropout expects num_layers greater than 1, but got dropout={dropout} and "
                f"num_layers={self.num_layers}",
                stacklevel=4,
            )
        if self.hidden_size <= 0:
            raise ValueError("hidden_size must be greater than zero")
        if self.num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")

    def _names(self, layer: int) -> list[str]:
        """The names of a layer's parameters, direction by direction."""
        kinds = ["weight_ih", "weight_hh"] + (["bias_ih", "bias_hh"] if self.bias else [])
        ends = ["", "_reverse"] if self.bidirectional else [""]
        return [f"{kind}_l{layer}{end}" for end in ends for kind in kinds]

    def reset_parameters(self) -> None:
        """Draw new starting values, uniform within 1 / sqrt(hidden_size)."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def flatten_parameters(self) -> None:
        """Does nothing: there is no device that wants the weights in one piece."""

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The parameters of each layer and direction."""
        count = 4 if self.bias else 2
        found = []
        for layer in range(self.num_layers):
            members = [getattr(self, name) for name in self._names(layer)]
            found += [members[at : at + count] for at in range(0, len(members), count)]
        return found

    def extra_repr(self) -> str:
        """The sizes, and what differs from the defaults."""
        text = f"{self.input_size}, {self.hidden_size}"
        for name, usual in (
            ("num_layers", 1),
            ("bias", True),
            ("batch_first", False),
            ("dropout", 0),
            ("bidirectional", False),
        ):
            value = getattr(self, name)
            if value != usual:
                text += f", {name}={value}"
        return text

    # ---------------------------------------------------------------------------- running

    def _step(self, projected: Tensor, state: Any, weight: Tensor, bias: Tensor | None) -> Any:
        """The next state from the inputs of one time, already multiplied, and the last state."""
        raise NotImplementedError

    def _run(self, input: Tensor, states: list[Any]) -> tuple[Tensor, list[Any]]:
        """(T, N, I) through all layers, from a state for each layer and direction."""
        directions = 2 if self.bidirectional else 1
        ends: list[Any] = []
        weights = self.all_weights
        for layer in range(self.num_layers):
            outputs = []
            for direction in range(directions):
                place = layer * directions + direction
                found, end = self._along(input, states[place], weights[place], direction == 1)
                outputs.append(found)
                ends.append(end)
            input = outputs[0] if directions == 1 else cat(outputs, -1)
            if self.dropout and layer < self.num_layers - 1:
                input = functional.dropout(input, self.dropout, self.training)
        return input, ends

    def _along(
        self, input: Tensor, state: Any, weights: list[Parameter], backwards: bool
    ) -> tuple[Tensor, Any]:
        """One layer in one direction: the hidden states of all times, and the last state."""
        into, again, *biases = weights
        bias, bias2 = biases if biases else (None, None)
        projected = functional.linear(input, into, bias).unbind(0)
        hidden: list[Tensor] = []
        for each in reversed(projected) if backwards else projected:
            state = self._step(each, state, again, bias2)
            hidden.append(state[0] if isinstance(state, tuple) else state)
        return stack(hidden[::-1] if backwards else hidden), state

    def _batched(self, input: Tensor) -> tuple[Tensor, bool]:
        """The input as (T, N, I), and whether it was a single sequence."""
        if input.dim() not in (2, 3):
            raise ValueError(
                f"{type(self).__name__}: Expected input to be 2D or 3D, got {input.dim()}D instead"
            )
        alone = input.dim() == 2
        if alone:
            input = input.unsqueeze(1)
        elif self.batch_first:
            input = input.transpose(0, 1)
        if input.size(-1) != self.input_size:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got "
                f"{input.size(-1)}"
            )
        return input, alone

    def _start(self, given: Tensor | None, input: Tensor, alone: bool, name: str) -> Tensor:
        """A first state for every layer and direction: as given, or zeros."""
        count = self.num_layers * (2 if self.bidirectional else 1)
        shape = (count, input.size(1), self.hidden_size)
        if given is None:
            return Tensor._wrap(np.zeros(shape, input._data.dtype))
        if alone:
            if given.dim() != 2:
                raise RuntimeError(
                    f"For unbatched 2-D input, {name} should also be 2-D but got {given.dim()}-D "
                    "tensor"
                )
            given = given.unsqueeze(1)
        elif given.dim() != 3:
            raise RuntimeError(
                f"For batched 3-D input, {name} should also be 3-D but got {given.dim()}-D tensor"
            )
        if tuple(given.shape) != shape:
            raise RuntimeError(f"Expected hidden size {shape}, got {list(given.shape)}")
        return given

    def _out(self, output: Tensor, alone: bool) -> Tensor:
        if alone:
            return output.squeeze(1)
        return output.transpose(0, 1) if self.batch_first else output


class _Simple(RNNBase):
    """The part of those whose state is one tensor."""

    def forward(self, input: Tensor, hx: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """The hidden states of all times, and the last ones of each layer and direction.

        The input is (T, N, I), (N, T, I) with `batch_first`, or (T, I) alone.
        """
        input, alone = self._batched(input)
        start = self._start(hx, input, alone, "hx")
        output, ends = self._run(input, list(start.unbind(0)))
        last = stack(ends)
        return self._out(output, alone), last.squeeze(1) if alone else last


class RNN(_Simple):
    """h' = tanh(W x + b + U h + c), or relu."""

    def __init__(self, *args: Any, nonlinearity: str = "tanh", **kwargs: Any) -> None:
        if len(args) > 3:
            nonlinearity, args = args[3], (*args[:3], *args[4:])
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(
                f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'."
            )
        self.__dict__["nonlinearity"] = nonlinearity
        super().__init__(*args, **kwargs)

    @property
    def mode(self) -> str:  # type: ignore[override]
        """PyTorch's name of the kind."""
        return "RNN_TANH" if self.nonlinearity == "tanh" else "RNN_RELU"

    def _step(self, projected: Tensor, state: Any, weight: Tensor, bias: Tensor | None) -> Any:
        return plain_step(projected, state, weight, bias, self.nonlinearity)


class GRU(_Simple):
    """Gated recurrent units: a reset gate, an update gate, and the new state."""

    mode = "GRU"
    _gates = 3

    def _step(self, projected: Tensor, state: Any, weight: Tensor, bias: Tensor | None) -> Any:
        return gru_step(projected, state, weight, bias)


class LSTM(RNNBase):
    """Long short-term memory: input, forget and output gates around a cell."""

    mode = "LSTM"
    _gates = 4

    def forward(
        self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """The hidden states of all times, and the last hidden and cell states of each layer and
        direction.

        The input is (T, N, I), (N, T, I) with `batch_first`, or (T, I) alone.
        """
        input, alone = self._batched(input)
        hidden, cell = (None, None) if hx is None else hx
        first = self._start(hidden, input, alone, "hx[0]")
        second = self._start(cell, input, alone, "hx[1]")
        states = list(zip(first.unbind(0), second.unbind(0), strict=True))
        output, ends = self._run(input, states)
        last = tuple(stack([end[part] for end in ends]) for part in (0, 1))
        if alone:
            last = tuple(each.squeeze(1) for each in last)
        return self._out(output, alone), (last[0], last[1])

    def _step(self, projected: Tensor, state: Any, weight: Tensor, bias: Tensor | None) -> Any:
        return lstm_step(projected, state, weight, bias)
