"""``RNN``, ``LSTM`` (Hochreiter and Schmidhuber, 1997) and ``GRU`` (Cho et al., 2014)."""

from __future__ import annotations

import inspect
import math
from typing import Any, ClassVar

import numpy as np

from ..arrays.warnings import warn
from ..dispatch.offer import FUNCTIONS
from ..functions.creation.factories import empty
from ..functions.creation.factory_decorator import new_leaf
from ..functions.shape.joins_splits import stack
from ..graph.tensor import Tensor
from . import init, rnn_functions
from .module import Module
from .module_base import OwnMethods
from .module_utils import repr_changed
from .parameter import Parameter
from .rnn_cell import gru_step, lstm_step
from .rnn_functions import Step, run_layers, step_by_step
from .utils.rnn import PackedSequence

__all__ = ["GRU", "LSTM", "RNN", "RNNBase"]


class RNNBase(Module):
    """Base of the recurrent modules: the weights of every layer and direction, and the loops over
    them.

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
        proj_size: int = 0,
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
        self.proj_size = proj_size
        self._check_options(dropout)
        directions = 2 if bidirectional else 1
        rows, out_size = self._gates * hidden_size, self._hidden_out_size
        for layer in range(num_layers):
            inputs = input_size if layer == 0 else out_size * directions
            shapes = {"ih": (rows, inputs), "hh": (rows, out_size), "hr": (proj_size, hidden_size)}
            for name in self._layer_weight_names(layer):
                kind, what, *_ = name.split("_")
                shape = shapes[what] if kind == "weight" else (rows,)
                made = Parameter(empty(shape, device=device, dtype=dtype))
                self.register_parameter(name, made)
        self.reset_parameters()

    @property
    def _hidden_out_size(self) -> int:
        """Size of a hidden state."""
        return self.proj_size or self.hidden_size

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
            warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero "
                f"dropout expects num_layers greater than 1, but got dropout={dropout} and "
                f"num_layers={self.num_layers}",
            )
        for name in ("bias", "batch_first", "input_size", "hidden_size"):
            given, kind = getattr(self, name), int if name.endswith("size") else bool
            if not isinstance(given, kind):
                raise TypeError(
                    f"{name} should be of type {kind.__name__}, got: {type(given).__name__}"
                )
            if kind is int and given <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if self.num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if self.proj_size < 0:
            raise ValueError(
                "proj_size should be a positive integer or zero to disable projections"
            )
        if self.proj_size >= self.hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")

    def _layer_weight_names(self, layer: int) -> list[str]:
        """The names of a layer's parameters, direction by direction."""
        kinds = ["weight_ih", "weight_hh"] + (["bias_ih", "bias_hh"] if self.bias else [])
        kinds += ["weight_hr"] if self.proj_size else []
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
        weights = self._flat_weights
        count = len(weights) // (self.num_layers * (2 if self.bidirectional else 1))
        return [weights[at : at + count] for at in range(0, len(weights), count)]

    @property
    def _flat_weights_names(self) -> list[str]:
        """The names of all layers' parameters in turn: PyTorch's, which programs ask for."""
        return [
            name for layer in range(self.num_layers) for name in self._layer_weight_names(layer)
        ]

    @property
    def _flat_weights(self) -> list[Parameter]:
        """The parameters of all layers and directions in turn."""
        return [getattr(self, name) for name in self._flat_weights_names]

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}" + repr_changed(
            self, proj_size=0, num_layers=1, bias=True, batch_first=False, dropout=0,
            bidirectional=False,
        )  # fmt: skip

    # ---------------------------------------------------------------------------- running

    def _options(self) -> tuple[Any, ...]:
        """Arguments of the functions of layers after the states."""
        return (
            self._flat_weights, self.bias, self.num_layers, self.dropout, self.training,
            self.bidirectional, self.batch_first,
        )  # fmt: skip

    def _forward_packed(
        self, step: Step, input: PackedSequence, states: list[Any]
    ) -> tuple[Any, list[Any]]:
        """Packed sequences through all layers."""
        weights, bias, *options, _ = self._options()
        way = step_by_step(step, bias, input.batch_sizes.tolist())
        rows, ends = run_layers(way, input.data, states, weights, *options)
        return input._replace(data=rows), ends

    def _add_batch_dim(self, input: Tensor) -> tuple[Tensor, bool]:
        """The input with its dim of sequences, and whether it was a single one."""
        if input.dim() not in (2, 3):
            name, tensor = type(self).__name__, " tensor" * isinstance(self, RNN)
            raise ValueError(
                f"{name}: Expected input to be 2D or 3D, got {input.dim()}D{tensor} instead"
            )
        alone = input.dim() == 2
        return (input.unsqueeze(self._sequences) if alone else input), alone

    @property
    def _sequences(self) -> int:
        """The dim of the sequences."""
        return 0 if self.batch_first else 1

    def _check_input(self, input: Tensor, dims: int) -> None:
        """Check that the layer can take the input.

        Raises:
            ValueError: it is not of the weights' type.
            RuntimeError: its shape does not fit (PyTorch's texts).
        """
        given, own = input.dtype, self.weight_ih_l0.dtype
        if given != own:
            raise ValueError(
                f"RNN input dtype ({given}) does not match weight dtype ({own}). Convert input: "
                f"input.to({own}), or convert model: model.to({given})"
            )
        if input.dim() != dims:
            raise RuntimeError(f"input must have {dims} dimensions, got {input.dim()}")
        if input.size(-1) != self.input_size:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got "
                f"{input.size(-1)}"
            )

    def _state_shape(self, batch: int, size: int) -> tuple[int, ...]:
        return (self.num_layers * (2 if self.bidirectional else 1), batch, size)

    @staticmethod
    def _check_state(given: Tensor, shape: tuple[int, ...], name: str) -> None:
        if tuple(given.shape) != shape:
            what = name.replace("hx", "hidden") if "[" in name else "hidden"
            raise RuntimeError(f"Expected {what} size {shape}, got {list(given.shape)}")

    def _permuted_state(self, given: Tensor | None, sequence: PackedSequence, size: int) -> Tensor:
        """A first state for packed sequences: as given, in their order, or zeros."""
        shape = self._state_shape(int(sequence.batch_sizes[0]), size)
        if given is None:
            return new_leaf(np.zeros(shape, sequence.data._data.dtype))
        return rnn_functions.permute_state(given, sequence.sorted_indices)

    def _initial_state(
        self, given: Tensor | None, input: Tensor, alone: bool, name: str, size: int
    ) -> Tensor:
        """A first state for every layer and direction: as given, or zeros."""
        if given is None:
            shape = self._state_shape(input.size(self._sequences), size)
            return new_leaf(np.zeros(shape, input._data.dtype))
        if given.dim() != (2 if alone else 3):
            kind = "unbatched 2-D" if alone else "batched 3-D"
            also = "should also be 2-D" if alone else "should also be 3-D"
            raise RuntimeError(f"For {kind} input, {name} {also} but got {given.dim()}-D tensor")
        return given.unsqueeze(1) if alone else given


class _Simple(OwnMethods, RNNBase):
    """The part of those whose state is one tensor."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if len(args) > 7:  # device and dtype stand there
            args = (*args[:7], 0, *args[7:])
        super().__init__(*args, **kwargs)

    def forward(self, input: Any, hx: Tensor | None = None) -> tuple[Any, Tensor]:
        """The hidden states of all times, and the last ones of each layer and direction.

        The input is (T, N, I), (N, T, I) with `batch_first`, (T, I) alone, or packed sequences.
        """
        size = self.hidden_size
        step, layers = STEPS[self.mode]
        if isinstance(input, PackedSequence):
            start = self._permuted_state(hx, input, size)
            self._check_input(input.data, 2)
            self._check_state(start, self._state_shape(int(input.batch_sizes[0]), size), "hx")
            out, ends = self._forward_packed(step, input, list(start.unbind(0)))
            return out, rnn_functions.permute_state(stack(ends), input.unsorted_indices)
        input, alone = self._add_batch_dim(input)
        start = self._initial_state(hx, input, alone, "hx", size)
        self._check_input(input, 3)
        self._check_state(start, self._state_shape(input.size(self._sequences), size), "hx")
        output, last = layers(input, start, *self._options())
        return (output.squeeze(self._sequences), last.squeeze(1)) if alone else (output, last)


STEPS: dict[str, tuple[Step, Any]] = {
    "RNN_TANH": (rnn_functions.tanh_step, FUNCTIONS["rnn_tanh"]),
    "RNN_RELU": (rnn_functions.relu_step, FUNCTIONS["rnn_relu"]),
    "GRU": (gru_step, FUNCTIONS["gru"]),
}
"""One step, and all of a layer, by PyTorch's name of the kind."""


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


class GRU(_Simple):
    """Gated recurrent units: a reset gate, an update gate, and the new state."""

    mode = "GRU"
    _gates = 3


# What editors show: wrong calls are answered in the words of ``RNNBase``, so these take any.
_TAKEN = [
    each for each in inspect.signature(RNNBase).parameters.values() if each.name != "proj_size"
]
_KIND = inspect.Parameter("nonlinearity", _TAKEN[0].kind, default="tanh", annotation="str")
GRU.__signature__ = inspect.Signature(_TAKEN)  # type: ignore[attr-defined]
RNN.__signature__ = inspect.Signature([*_TAKEN[:3], _KIND, *_TAKEN[3:]])  # type: ignore[attr-defined]


class LSTM(RNNBase):
    """Long short-term memory: input, forget and output gates around a cell. With `proj_size` the
    hidden states are projected to so many numbers (Sak et al., 2014)."""

    mode = "LSTM"
    _gates = 4

    def forward(
        self, input: Any, hx: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Any, tuple[Tensor, Tensor]]:
        """The hidden states of all times, and the last hidden and cell states of each layer and
        direction.

        The input is (T, N, I), (N, T, I) with `batch_first`, (T, I) alone, or packed sequences.
        """
        hidden, cell = (None, None) if hx is None else (hx[0], hx[1])
        sizes = (self._hidden_out_size, self.hidden_size)
        if isinstance(input, PackedSequence):
            begin = (
                self._permuted_state(hidden, input, sizes[0]),
                self._permuted_state(cell, input, sizes[1]),
            )
            states = list(zip(begin[0].unbind(0), begin[1].unbind(0), strict=True))
            out, ends = self._forward_packed(lstm_step, input, states)
            order = input.unsorted_indices
            kept = [
                rnn_functions.permute_state(stack([end[i] for end in ends]), order) for i in (0, 1)
            ]
            return out, (kept[0], kept[1])
        input, alone = self._add_batch_dim(input)
        dims = 2 if alone else 3
        if hx is not None and {hx[0].dim(), hx[1].dim()} != {dims}:
            raise RuntimeError(
                f"For {'un' * alone}batched {dims}-D input, hx and cx should also be {dims}-D but "
                f"got ({hx[0].dim()}-D, {hx[1].dim()}-D) tensors"
            )
        start = (
            self._initial_state(hidden, input, alone, "hx[0]", sizes[0]),
            self._initial_state(cell, input, alone, "hx[1]", sizes[1]),
        )
        batch = input.size(self._sequences)
        self._check_input(input, 3)
        self._check_state(start[0], self._state_shape(batch, sizes[0]), "hx[0]")
        self._check_state(start[1], self._state_shape(batch, sizes[1]), "hx[1]")
        output, *last = FUNCTIONS["lstm"](input, start, *self._options())
        if alone:
            output, *last = (output.squeeze(self._sequences), *(each.squeeze(1) for each in last))
        return output, (last[0], last[1])
