"""Records what a function does with tensors as a graph, while it runs.

The function runs on the eager engine with the user's own tensors; the recorder observes each op, as
a picture does, and adds it to a graph. So one rule records everything the engine can do, and the
first call's results, with their history, are the engine's own. Where the recorder cannot follow it
notes the user's line: the recording is then of no use, and says why.

A graph knows no writing: each write makes a new value. A tensor's memory belongs to its base; a
view is a chain of view ops on that. After a write to a view the base is what it was with the
view's part replaced, and other views are taken from the base anew when they are next read.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..arrays.warnings import user_frame
from ..eager.promote import Absent, Constant, promotion_of
from ..functions.random.generator import Generator
from ..graph.tensor import Tensor
from ..optable import TABLE, Op
from ..random import default_generator
from ..static.add_operation import emit, make_constant, type_of
from ..static.dtypes import as_dtype, float32
from ..static.graph import Graph
from ..static.symbol import Spec, Symbol
from .recording import other_random_states

# Which symbol stands for a tensor while a function is recorded, in-place writes i ----------------


class Untraceable(Exception):
    """Error: an operation of the function cannot be recorded."""


class TensorSymbols:
    """The symbols of tensors, as long as these live: others cannot be asked for."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._symbols: dict[int, tuple[weakref.ref[Tensor], Symbol, int]] = {}
        self._writes: dict[int, int] = {}
        """Number of writes to each base."""
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
        """Return the symbol of a tensor; None for one that was never seen."""
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
            Untraceable: its memory is shared in a way that is not followed.
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
        """Check that no tensor but views shares the base's memory (as ``detach()`` does)."""
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


# -------------------------------------------------------------------------------------------------
class Guard:
    """Values that Python read: the graph holds only while it would read the same."""

    __slots__ = ("function", "seen", "where")

    def __init__(self, function: Callable[..., Any], seen: Any, where: str) -> None:
        self.function, self.seen, self.where = function, seen, where

    def holds(self, *arrays: Any) -> bool:
        """Return whether Python would read the same."""
        found = self.function(*arrays)
        same = found == self.seen or (found != found and self.seen != self.seen)
        return bool(same)


class Recorder:
    """Observes the ops of a function, as a listener of the heart."""

    def __init__(self, graph: Graph, known: Mapping[int, Tensor]) -> None:
        self.graph = graph
        self.known = known
        """The tensors that the function finds in its surroundings, by ``id``."""
        self.symbols = TensorSymbols(graph)
        self.captured: dict[Symbol, Tensor] = {}
        self.changed: set[Symbol] = set()
        """Captured symbols whose arrays kernels change."""
        self.guards: list[Guard] = []
        self.failure = ""
        self.draws: dict[int, tuple[np.ndarray, Symbol]] = {}
        """Arrays of random numbers that the graph draws too, by ``id``."""
        self.random = default_generator.get_state()
        """The state of random numbers before the function ran."""
        self._after = self.random._data
        """The state after what the graph draws too."""
        self._times = Generator.times
        self._others = other_random_states()

    # What goes wrong -----------------------------------------------------------------------
    def fail(self, reason: str) -> None:
        """Record why there is no graph; the function runs on."""
        if not self.failure:
            self.failure = f"{reason}, in {where()}"

    def check_random(self) -> None:
        """Random numbers of which the graph does not know how they are drawn."""
        if Generator.times != self._times:
            self.fail("it draws random numbers in a way that no graph can")
        elif self._others != other_random_states():
            self.fail("it draws random numbers of Python's or numpy's")

    def check_seed(self) -> None:
        """Check that only recorded draws have advanced the random numbers."""
        if not np.array_equal(default_generator.get_state()._data, self._after):
            self.fail("it seeds the random numbers")

    def draw(self, numbers: Callable[[], np.ndarray]) -> np.ndarray:
        """Random numbers, which the graph draws anew in each run."""
        self.check_random()
        self.check_seed()
        before = default_generator.get_state()._data
        array = numbers()
        if Generator.times == self._times:  # zeros and the like
            return array
        self._times, self._after = Generator.times, default_generator.get_state()._data
        if np.array_equal(self._after, before):
            self.fail("it draws random numbers of a generator of its own")
        spec = Spec(as_dtype(array.dtype), array.shape)
        made = self.graph.create("Draw", (), [spec], params={"numbers": numbers})
        self.draws[id(array)] = array, made.outputs[0]
        return array

    # Tensors -------------------------------------------------------------------------------
    def give(self, tensor: Tensor) -> Symbol:
        """A placeholder for an argument, or for a tensor found in the surroundings."""
        array = tensor._data
        spec = Spec(as_dtype(array.dtype), array.shape)
        symbol = self.graph.create("Placeholder", (), [spec]).outputs[0]
        self.symbols.set(tensor, symbol)
        return symbol

    def symbol(self, tensor: Any) -> Symbol | None:
        """Return the present symbol of a tensor.

        Raises:
            Untraceable: its origin is unknown.
        """
        if tensor is None or tensor.__class__ is Absent:
            return None
        if isinstance(tensor, Constant):
            return make_constant(tensor._data.copy(), graph=self.graph)
        found = self.symbols.get(tensor)
        if found is None and id(tensor._data) in self.draws:
            found = self.draws[id(tensor._data)][1]
            self.symbols.set(tensor, found)
        if found is None and id(tensor) in self.known:
            found = self.give(tensor)
            self.captured[found] = tensor
        if found is None:
            other = twin(tensor, [*self.symbols.tensors(), *self.known.values()])
            if other is None:
                self.check_random()
                raise Untraceable("a tensor comes from where nobody looks")
            found = emit("detach", (self.symbol(other),))[0]
            self.symbols.set(tensor, found)
        return found

    # What is observed ----------------------------------------------------------------------
    def made(self, tensor: Tensor) -> None:
        """A factory made a constant."""
        self.check_random()
        drawn = self.draws.get(id(tensor._data))
        symbol = drawn[1] if drawn else make_constant(np.array(tensor._data), graph=self.graph)
        self.symbols.set(tensor, symbol)

    def called(
        self, op: Op, inputs: Sequence[Any], params: Mapping[str, Any], outputs: tuple[Any, ...],
        node: Any,
    ) -> None:  # fmt: skip
        """An op made new tensors."""
        if self.failure:
            return
        if TABLE.get(op.key) is not op:  # of a user's Function the forward is recorded already
            if node is not None:
                self.fail(f"it calls {op.name}, whose backward is the user's")
            elif any(self.symbols.get(each) is None for each in outputs):
                self.fail(f"it calls {op.name}, which is no op of the table")
            return
        try:
            symbols = self.compute(op, inputs, params, outputs)
            operands = inputs[0] if op.variadic else inputs
            wanted = any(getattr(each, "_requires_grad", False) for each in operands)
            for out, symbol in zip(outputs, symbols, strict=False):
                if out is None:
                    continue
                if wanted and not out._requires_grad and op.derivatives and out._meta.floating:
                    symbol = emit("detach", (symbol,))[0]  # computed without a history
                self.symbols.made(out, symbol)
            if op.sized_by_values:
                self.guard_sizes(symbols[0], outputs[0])
        except (Untraceable, NotImplementedError, TypeError, ValueError) as error:
            self.fail(str(error))

    def compute(
        self, op: Op, inputs: Sequence[Any], params: Mapping[str, Any], outputs: Sequence[Any]
    ) -> list[Symbol]:
        """The operation for a call."""
        tensors = list(inputs[0]) if op.variadic else list(inputs)
        symbols = [self.symbol(each) for each in tensors]
        if op.pointwise:
            symbols = promoted(op, tensors, symbols)
        for name in op.mutates if params.get("training") else ():
            changed = symbols[op.inputs.index(name)]
            if changed is not None:
                if changed not in self.captured:
                    raise Untraceable(f"{op.name} changes what is no buffer")
                self.changed.add(changed)
        given = {**op.params, **{name: self.param(value) for name, value in params.items()}}
        given = {name: given[name] for name in op.params}
        specs = [
            Spec(float32, None) if out is None else Spec(as_dtype(out._data.dtype), out._data.shape)
            for out in outputs
        ]
        specs += [Spec(float32, None)] * len(op.kept)
        made = self.graph.create(type_of(op), symbols, specs, op=op, params=given)
        return made.outputs

    def param(self, value: Any) -> Any:
        """A piece of metadata with symbols in the place of tensors.

        Raises:
            Untraceable: there is an array in it of unknown origin.
        """
        if hasattr(value, "tensors") and hasattr(value, "versions"):  # advanced indices
            found = tuple(self.index(each) for each in value.tensors)
            if any(each is not None and each.dtype.name == "uint8" for each in found):
                raise Untraceable("bytes are a mask")
            return found
        if isinstance(value, Tensor):
            return self.symbol(value)
        if isinstance(value, np.ndarray):
            raise Untraceable("an array is handed to an op as it is")
        if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
            items = [self.param(each) for each in value]
            return tuple(items) if isinstance(value, tuple) else items
        return value

    def index(self, tensor: Any) -> Symbol | None:
        """An advanced index; one that the user wrote as a list is a constant."""
        if tensor is not None and self.symbols.get(tensor) is None and id(tensor) not in self.known:
            return make_constant(np.array(tensor._data), graph=self.graph)
        return self.symbol(tensor)

    def wrote(
        self, op: Op, tensor: Tensor, inputs: Sequence[Any], params: Mapping[str, Any], base: Any,
        node: Any,
    ) -> None:  # fmt: skip
        """An op wrote into a tensor: from now on another symbol stands for it, and for all that
        share its memory."""
        if self.failure:
            return
        try:
            self.check_random()
            old = self.symbol(tensor)
            assert old is not None
            symbols = [old, *(self.symbol(each) for each in inputs[1:])]
            if op.pointwise:
                symbols = promoted(op, [tensor, *inputs[1:]], symbols)
            given = {**op.params, **{name: self.param(value) for name, value in params.items()}}
            found = emit(op.key, symbols, {name: given[name] for name in op.params})[0]
            if found.dtype.base_dtype != old.dtype.base_dtype:
                found = emit("to_copy", (found,), {"dtype": old.dtype.numpy})[0]
            if found.sizes != tensor._data.shape:
                raise Untraceable(f"{op.name}_ changes a shape")
            self.symbols.write(tensor, found, self.symbol)
        except (Untraceable, NotImplementedError, TypeError, ValueError, KeyError) as error:
            self.fail(str(error))

    def stepped(self, optimizer: Any, _parameters: Any) -> None:
        """Refuse the step of an optimizer, which is no op."""
        self.fail(f"{type(optimizer).__name__} makes a step")

    def run_begins(self, run: Any) -> None:
        """A backward run is no op."""
        self.fail("it runs backward")

    # What Python sees ----------------------------------------------------------------------
    def read(self, tensors: Sequence[Any], function: Any, words: str) -> None:
        """Numbers leave tensors: a guard holds what Python sees of them."""
        if self.failure:
            return
        if function is None:
            self.fail(f"{words} of a tensor shows its numbers")
            return
        try:
            symbols = [self.symbol(each) for each in tensors]
            self.guard(symbols, function, function(*(each._data for each in tensors)), words)
        except Untraceable as error:
            self.fail(str(error))

    def guard_sizes(self, symbol: Symbol, tensor: Tensor) -> None:
        """Hold the sizes of a result that depend on values."""
        self.guard([symbol], np.shape, tensor._data.shape, "its sizes")

    def guard(self, symbols: Sequence[Any], function: Any, seen: Any, words: str) -> None:
        """An operation that fails where Python would see something else."""
        new_guard = Guard(function, seen, f"{words}, in {where()}")
        self.guards.append(new_guard)
        self.graph.create("Guard", symbols, (), params={"guard": new_guard})


def twin(tensor: Tensor, others: Iterable[Tensor]) -> Tensor | None:
    """The tensor of which another one is the same memory without its history."""
    return next((each for each in others if each._data is tensor._data), None)


def promoted(op: Op, tensors: Sequence[Any], symbols: Sequence[Symbol | None]) -> list[Any]:
    """Operands of the types that the kernel computes with."""
    casts = promotion_of(op, [Absent._wrap(np.zeros(())) if each is None else each
                              for each in tensors]).casts  # fmt: skip
    return [
        symbol if cast is None or symbol is None or symbol.dtype.numpy == cast
        else emit("to_copy", (symbol,), {"dtype": cast})[0]
        for symbol, cast in zip(symbols, casts, strict=True)
    ]  # fmt: skip


def where() -> str:
    """The user's line."""
    frame = user_frame(2)
    if frame is None:
        return "no line of the user's"
    return f"{frame.f_code.co_filename}, line {frame.f_lineno}"
