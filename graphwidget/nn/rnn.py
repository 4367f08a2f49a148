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
from . import functional, init, packed
from .module import Module
from .parameter import Parameter
from .rnn_cell import gru_step, lstm_step, plain_step
from .utils.rnn import PackedSequence


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

    def _run(
        self, input: Tensor, states: list[Any], batch_sizes: list[int] | None = None
    ) -> tuple[Tensor, list[Any]]:
        """(T, N, I), or packed rows (R, I), through all layers, from a state for each layer and
        direction."""
        directions = 2 if self.bidirectional else 1
        ends: list[Any] = []
        weights = self.all_weights
        for layer in range(self.num_layers):
            outputs = []
            for direction in range(directions):
                place = layer * directions + direction
                found, end = self._along(
                    input, states[place], weights[place], direction == 1, batch_sizes
                )
                outputs.append(found)
                ends.append(end)
            input = outputs[0] if directions == 1 else cat(outputs, -1)
            if self.dropout and layer < self.num_layers - 1:
                input = functional.dropout(input, self.dropout, self.training)
        return input, ends

    def _along(
        self, input: Tensor, state: Any, weights: list[Parameter], backwards: bool,
        batch_sizes: list[int] | None,
    ) -> tuple[Tensor, Any]:  # fmt: skip
        """One layer in one direction: the hidden states of all times, and the last state."""
        into, again, *biases = weights
        bias, bias2 = biases if biases else (None, None)
        rows = functional.linear(input, into, bias)
        if batch_sizes is not None:
            walk = packed.backward if backwards else packed.forward
            return walk(
                lambda row, state: self._step(row, state, again, bias2), rows, batch_sizes, state
            )
        projected = rows.unbind(0)
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
        self._check_features(input)
        return input, alone

    def _check_features(self, input: Tensor) -> None:
        if input.size(-1) != self.input_size:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got "
                f"{input.size(-1)}"
            )

    def _sorted(self, given: Tensor | None, sequence: PackedSequence) -> Tensor:
        """A first state for packed sequences: as given, in their order, or zeros."""
        shape = self._state_shape(int(sequence.batch_sizes[0]))
        if given is None:
            return Tensor._wrap(np.zeros(shape, sequence.data._data.dtype))
        return packed.permuted(given, sequence.sorted_indices)

    def _state_shape(self, batch: int) -> tuple[int, ...]:
        directions = 2 if self.bidirectional else 1
        return (self.num_layers * directions, batch, self.hidden_size)

    @staticmethod
    def _check_state(given: Tensor, shape: tuple[int, ...], name: str) -> None:
        if tuple(given.shape) != shape:
            what = name.replace("hx", "hidden") if "[" in name else "hidden"
            raise RuntimeError(f"Expected {what} size {shape}, got {list(given.shape)}")

    def _start(self, given: Tensor | None, input: Tensor, alone: bool, name: str) -> Tensor:
        """A first state for every layer and direction: as given, or zeros."""
        shape = self._state_shape(input.size(1))
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
        self._check_state(given, shape, name)
        return given

    def _out(self, output: Tensor, alone: bool) -> Tensor:
        if alone:
            return output.squeeze(1)
        return output.transpose(0, 1) if self.batch_first else output


class _Simple(RNNBase):
    """The part of those whose state is one tensor."""

    def forward(self, input: Any, hx: Tensor | None = None) -> tuple[Any, Tensor]:
        """The hidden states of all times, and the last ones of each layer and direction.

        The input is (T, N, I), (N, T, I) with `batch_first`, (T, I) alone, or packed sequences.
        """
        if isinstance(input, PackedSequence):
            if input.data.dim() != 2:
                raise RuntimeError(f"input must have 2 dimensions, got {input.data.dim()}")
            self._check_features(input.data)
            start = self._sorted(hx, input)
            self._check_state(start, self._state_shape(int(input.batch_sizes[0])), "hx")
            states, counts = list(start.unbind(0)), input.batch_sizes.tolist()
            rows, ends = self._run(input.data, states, counts)
            out = input._replace(data=rows)
            return out, packed.permuted(stack(ends), input.unsorted_indices)
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
        self, input: Any, hx: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Any, tuple[Tensor, Tensor]]:
        """The hidden states of all times, and the last hidden and cell states of each layer and
        direction.

        The input is (T, N, I), (N, T, I) with `batch_first`, (T, I) alone, or packed sequences.
        """
        hidden, cell = (None, None) if hx is None else hx
        if isinstance(input, PackedSequence):
            begin = (self._sorted(hidden, input), self._sorted(cell, input))
            states = list(zip(begin[0].unbind(0), begin[1].unbind(0), strict=True))
            rows, ends = self._run(input.data, states, input.batch_sizes.tolist())
            order = input.unsorted_indices
            kept = [packed.permuted(stack([end[i] for end in ends]), order) for i in (0, 1)]
            return input._replace(data=rows), (kept[0], kept[1])
        input, alone = self._batched(input)
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
