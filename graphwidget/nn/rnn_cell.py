"""``RNNCell``, ``LSTMCell`` and ``GRUCell``, and one step of each as a function."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from ..dispatch.offer import FUNCTIONS
from ..eager.op_functions import TENSORS as F
from ..functions.creation.factories import empty
from ..functions.creation.factory_decorator import new_leaf
from ..graph.tensor import Tensor
from . import functional, init
from .module import Module
from .parameter import Parameter

__all__ = ["GRUCell", "LSTMCell", "RNNCell", "RNNCellBase"]

State = tuple[Tensor, Tensor]


def plain_step(
    projected: Tensor, hidden: Tensor, weight: Tensor, bias: Tensor | None, nonlinearity: str
) -> Tensor:
    """The next hidden state of a plain layer; `projected` is W x + b."""
    total = functional.linear(hidden, weight, bias) + projected
    return total.tanh() if nonlinearity == "tanh" else total.relu()


def split_gates(gates: Tensor, count: int) -> tuple[Tensor, ...]:
    """The gates one by one: ``gates.unsafe_chunk(count, -1)``."""
    found: Any = F.unsafe_split(gates, gates._data.shape[-1] // count, gates._data.ndim - 1)
    return tuple(found)


def lstm_step(
    projected: Tensor, state: State, weight: Tensor, bias: Tensor | None,
    projection: Tensor | None = None,
) -> State:  # fmt: skip
    """The next hidden and cell state of an LSTM; `projected` is W x + b of its four gates. A
    `projection` (P, H) makes the hidden state shorter (Sak et al., 2014)."""
    hidden, cell = state
    total = functional.linear(hidden, weight, bias) + projected
    into, forget, new, out = split_gates(total, 4)
    cell = (forget.sigmoid() * cell).add_(into.sigmoid() * new.tanh())
    hidden = out.sigmoid() * cell.tanh()
    return hidden if projection is None else functional.linear(hidden, projection), cell


def gru_step(projected: Tensor, hidden: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """The next hidden state of a GRU; `projected` is W x + b of its three parts."""
    reset, update, new = split_gates(projected, 3)
    reset2, update2, new2 = split_gates(functional.linear(hidden, weight, bias), 3)
    fresh = (new + new2 * (reset2 + reset).sigmoid()).tanh()
    found: Tensor = (hidden - fresh).mul_((update2 + update).sigmoid()).add_(fresh)
    return found


class RNNCellBase(Module):
    """Base of the cells: two weights and two biases."""

    _gates: ClassVar[int] = 1
    bias_ih: Parameter | None
    bias_hh: Parameter | None

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        rows = self._gates * hidden_size
        factory = {"device": device, "dtype": dtype}
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        self.weight_ih = Parameter(empty((rows, input_size), **factory))
        self.weight_hh = Parameter(empty((rows, hidden_size), **factory))
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, Parameter(empty(rows, **factory)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new starting values, uniform within 1 / sqrt(hidden_size)."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if getattr(self, "nonlinearity", "tanh") != "tanh":
            text += f", nonlinearity={self.nonlinearity}"
        return text

    def _add_batch_dim(self, input: Tensor, **states: Tensor | None) -> tuple[Tensor, bool]:
        for name, given in {"input": input, **states}.items():
            if given is not None and given.dim() not in (1, 2):
                raise ValueError(
                    f"{type(self).__name__}: Expected {name} to be 1D or 2D, got "
                    f"{given.dim()}D instead"
                )
        if input.size(-1) != self.weight_ih.size(1):
            raise RuntimeError(
                f"input has inconsistent input_size: got {input.size(-1)} expected "
                f"{self.weight_ih.size(1)}"
            )
        return (input.unsqueeze(0), True) if input.dim() == 1 else (input, False)

    def _state(self, given: Tensor | None, input: Tensor, alone: bool, nr: int = 0) -> Tensor:
        if given is None:
            return new_leaf(np.zeros((input.size(0), self.hidden_size), input._data.dtype))
        state = given.unsqueeze(0) if alone else given
        if state.size(0) != input.size(0):
            raise RuntimeError(
                f"Input batch size {input.size(0)} doesn't match hidden{nr} batch size "
                f"{state.size(0)}"
            )
        if state.size(1) != self.weight_hh.size(1):
            raise RuntimeError(
                f"hidden{nr} has inconsistent hidden_size: got {state.size(1)}, expected "
                f"{self.weight_hh.size(1)}"
            )
        return state

    def _step(self, name: str, input: Tensor, state: Any) -> Any:
        return FUNCTIONS[name](
            input, state, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh
        )


class RNNCell(RNNCellBase):
    """One step of `RNN`."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """The next hidden state, (N, H) or (H)."""
        input, alone = self._add_batch_dim(input, hidden=hx)
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        state = self._state(hx, input, alone)
        found: Tensor = self._step(f"rnn_{self.nonlinearity}_cell", input, state)
        return found.squeeze(0) if alone else found


class GRUCell(RNNCellBase):
    """One step of `GRU`."""

    _gates = 3

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """The next hidden state, (N, H) or (H)."""
        input, alone = self._add_batch_dim(input, hidden=hx)
        state = self._state(hx, input, alone)
        found: Tensor = self._step("gru_cell", input, state)
        return found.squeeze(0) if alone else found


class LSTMCell(RNNCellBase):
    """One step of `LSTM`."""

    _gates = 4

    def forward(self, input: Tensor, hx: State | None = None) -> State:
        """The next hidden and cell state, each (N, H) or (H)."""
        given = {} if hx is None else {f"hx[{place}]": each for place, each in enumerate(hx)}
        input, alone = self._add_batch_dim(input, **given)
        if isinstance(hx, Tensor):
            raise TypeError(
                "lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not Tensor"
            )
        hidden, cell = (None, None) if hx is None else hx
        state = (self._state(hidden, input, alone), self._state(cell, input, alone, 1))
        found: State = self._step("lstm_cell", input, state)
        return (found[0].squeeze(0), found[1].squeeze(0)) if alone else found
