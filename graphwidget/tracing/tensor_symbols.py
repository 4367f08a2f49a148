"""Which symbol stands for a tensor while a function is recorded, in-place writes included.

A graph knows no writing: each write makes a new value. A tensor's memory belongs to its base; a
view is a chain of view ops on that. After a write to a view the base is what it was with the
view's part replaced, and other views are taken from the base anew when somebody next reads them.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from ..graph.tensor import Tensor
from ..static.add_operation import emit
from ..static.graph import Graph
from ..static.symbol import Symbol


class Untraceable(Exception):
    """What a function does cannot be recorded."""


class TensorSymbols:
    """The symbols of tensors, as long as these live: nobody can ask for others."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._symbols: dict[int, tuple[weakref.ref[Tensor], Symbol, int]] = {}
        self._writes: dict[int, int] = {}
        """How often each base was written."""
        self.written: dict[int, Tensor] = {}

    def set(self, tensor: Tensor, symbol: Symbol) -> None:
        """Let a symbol stand for a tensor from now on."""
        key = id(tensor)
        alive = weakref.ref(tensor, lambda _: self._symbols.pop(key, None))
        self._symbols[key] = alive, symbol, self._writes.get(id(base_of(tensor)), 0)

    def made(self, tensor: Tensor, symbol: Symbol) -> None:
        """The same for a new result."""
        self.set(tensor, symbol)

    def get(self, tensor: Tensor) -> Symbol | None:
        """What stands for a tensor; None for one that was never seen."""
        found = self._symbols.get(id(tensor))
        base = base_of(tensor)
        if found is None:
            whole = None if base is tensor else self._symbols.get(id(base))
            return None if whole is None else self._view_again(tensor, base)
        _, symbol, writes = found
        if base is not tensor and writes != self._writes.get(id(base), 0):
            return self._view_again(tensor, base)
        return symbol

    def _view_again(self, tensor: Tensor, base: Any) -> Symbol:
        """A view taken from its base as that is now."""
        symbol = self.get(base)
        if symbol is None:
            raise Untraceable("a view's base was never seen")
        for link in tensor._view.chain:
            if not link.op.single:
                raise Untraceable("one of several views was written")
            symbol = emit(link.op.key, (symbol,), link.params)[0]
        self.set(tensor, symbol)
        return symbol

    def write(self, tensor: Tensor, symbol: Symbol, symbol_of: Callable[[Any], Any]) -> None:
        """Let a symbol stand for what was written into a tensor.

        Raises:
            Untraceable: its memory is shared in a way that nobody follows.
        """
        base = base_of(tensor)
        self._check_alone(base)
        if base is not tensor:
            chain = tensor._view.chain
            wholes = [symbol_of(base)]
            for link in chain[:-1]:
                wholes.append(emit(link.op.key, (wholes[-1],), link.params)[0])
            part = symbol
            for link, whole in zip(reversed(chain), reversed(wholes), strict=True):
                part = put_back(link, whole, part)
            self._writes[id(base)] = self._writes.get(id(base), 0) + 1
            self.set(base, part)
        else:
            self._writes[id(base)] = self._writes.get(id(base), 0) + 1
        self.set(tensor, symbol)
        self.written[id(base)] = base

    def tensors(self) -> list[Tensor]:
        """The tensors that live."""
        every = [alive() for alive, _, _ in list(self._symbols.values())]
        return [each for each in every if each is not None]

    def _check_alone(self, base: Any) -> None:
        """That no tensor shares the base's memory without being its view (as ``detach()`` does)."""
        for other in self.tensors():
            if base_of(other) is not base and np.may_share_memory(other._data, base._data):
                raise Untraceable("a tensor is written whose memory another one shares")


def base_of(tensor: Any) -> Any:
    """The tensor to which a tensor's memory belongs."""
    return tensor if tensor._view is None else tensor._view.base


def put_back(link: Any, whole: Symbol, part: Symbol) -> Symbol:
    """``whole`` with what a view op shows of it replaced."""
    name, params = link.op.name, link.params
    if name == "select":
        return emit("select_scatter", (whole, part), params)[0]
    if name == "slice":
        return emit("slice_scatter", (whole, part), params)[0]
    if name == "diagonal":
        return emit("diagonal_scatter", (whole, part), params)[0]
    if link.op.reshapes:
        return emit("unsafe_view", (part,), {"shape": link.shape})[0]
    if name == "t":
        return emit("t", (part,))[0]
    if name == "transpose":
        return emit("transpose", (part,), params)[0]
    if name == "permute":
        count = len(params["dims"])
        back = tuple(sorted(range(count), key=lambda i: params["dims"][i] % count))
        return emit("permute", (part,), {"dims": back})[0]
    raise Untraceable(f"a view by {name} is written")
