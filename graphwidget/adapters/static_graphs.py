"""The adapter for static graphs: the empty graph while it is built, then values flowing through it.

Building emits an op for every operation, with values of known shape and type only. A run emits each
value again, with its numbers, and the op that computed it: so the player steps through the run, by
iterations if a loop repeats its body. Inputs of a loop's body are emitted as an op of their own,
``loop variable``, and the loop's results as those of ``while``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from sys import _getframe
from types import FrameType, TracebackType
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import numpy as np

from ..optable import TABLE, Op
from ..optable.derivative_text import derivatives
from ..recording import events as ev
from ..recording.looking import message_of
from ..recording.recorder import Recorder
from ..recording.sites import Names, Site
from ..recording.summary import Captured, capture, summary
from ..static.errors import OpError
from ..static.listener import Listener, current
from ..static.passes.program import SOURCES
from ..static.symbol import Symbol
from .identity import guarded
from .position_finder import ours
from .raised_calls import MAX_INPUTS, entries_of

UNKNOWN = -1
"""A size that is known only when the graph runs."""

SIGNS = {
    "Placeholder": "feed", "Const": "const", "VariableV2": "variable", "While": "while",
    "Cond": "cond", "Identity": "identity", "Assign": "←", "AssignAdd": "+=", "AssignSub": "−=",
    "NoOp": "group",
}  # fmt: skip
"""Signs of operations that are no ops of the table."""

TRACED = "graphwidget.tracing"
"""The package that records functions as graphs."""

ENTRY = "loop variable"
"""The op that is emitted for inputs of a loop's body."""


class StaticAdapter(Listener):
    """Observes static graphs and records into ``recorder``."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._values: WeakKeyDictionary[Any, int] = WeakKeyDictionary()
        self._scopes: WeakKeyDictionary[Any, int] = WeakKeyDictionary()
        self._entries: WeakKeyDictionary[Any, list[ev.Op]] = WeakKeyDictionary()
        self._sites: WeakKeyDictionary[Any, Site] = WeakKeyDictionary()
        self._waiting: dict[Any, None] = {}  # what the run at hand has not computed yet
        self._bound: WeakSet[Any] = WeakSet()  # those whose name was emitted
        self._latest: tuple[Any, Site | None, list[Names]] | None = None

    def start(self) -> None:
        """Observe from now on."""
        current.listener = self

    def stop(self) -> None:
        """Stop observing, unless another does already."""
        if current.listener is self:
            current.listener = None

    @property
    def active(self) -> bool:
        """True if this adapter observes."""
        return current.listener is self

    def fault(self, error: BaseException) -> None:
        """Recording has failed: leave the user's program alone."""
        self.stop()

    def numbers(self) -> dict[Any, int]:
        """The ids of the symbols that were emitted."""
        return dict(self._values)

    # Building ------------------------------------------------------------------------------
    @guarded
    def added(self, operation: Any) -> None:
        if number_of(operation) is not None:
            return
        site, names = self._site(operation)
        if self._latest is not None and self._latest[1] is site and operation.type != "Exit":
            self._latest = self._latest[0], None, []  # a part of the same call: not its result
        self.settle()
        self._latest = operation, site, names
        if site is not None:
            self._sites[operation] = site
        if operation.region.parent is None:  # others are emitted with their loop or branch
            self._emit_operation(operation)

    def settle(self) -> None:
        """The program has moved on: the operation added last is what its call gave."""
        if self._latest is not None:
            operation, _site, names = self._latest
            self._latest = None
            if operation.region.parent is None:
                self._names(operation, names)

    def _emit_operation(self, operation: Any) -> None:
        """Emit an operation that is not known yet, after its inputs."""
        if number_of(operation) is not None:
            return
        if operation.type == "Exit":  # another name for a loop's result
            self._values[operation.outputs[0]] = self._value(operation.operands[0])
            return
        scope = self._scope(operation.region)
        inputs = tuple(self._input(each) for each in operation.operands if not _is_memory(each))
        results = [each for each in operation.outputs if not _is_memory(each)]
        outputs = tuple(self._value(each) for each in results)
        if operation.type in SOURCES or not operation.outputs:
            return  # a source is drawn as the value that it gives
        if operation.type == "While":
            inputs = self._loop(operation, inputs)
        else:
            for region in operation.regions:
                self._region(region)
                inputs += tuple(self._value(each) for each in region.outputs)
        call = self.recorder.ids.call()
        key = key_of(operation, operation.op)
        self._define(key, operation.op)
        params = texts_of(operation.params)
        event = ev.Op(call, key, inputs, params, outputs, None, False, scope, None)
        self._entries[operation] = [event]
        self._again(operation)

    def _input(self, symbol: Any) -> int | str:
        """Return an input of an op: a value's id, or a number that the user wrote."""
        return number_of(symbol.op) or self._value(symbol)

    def _loop(self, operation: Any, outside: tuple[int | str, ...]) -> tuple[int, ...]:
        """Tell how values enter a loop's regions; what the loop's results are made of."""
        ids: list[int] = []
        self._define(ENTRY, None)
        for region in operation.regions:
            scope = self._scope(region)
            entries = self._entries[region] = []
            for first, inner in zip(outside, region.inputs, strict=False):
                value, call = self._value(inner), self.recorder.ids.call()
                entries.append(ev.Op(call, ENTRY, (first,), {}, (value,), None, False, scope, None))
                self._emit(entries[-1])
            self._region(region)
            ids += [self._value(each) for each in region.outputs]
        return tuple(ids)

    def _region(self, region: Any) -> None:
        """Emit what stands in a region that is complete."""
        for operation in region.operations:
            self._emit_operation(operation)
            self._names(operation, [])

    def _again(self, operation: Any) -> None:
        """Emit an operation's call, or that it runs again."""
        for event in self._entries.get(operation, ()):
            self.recorder.raw.append((self._sited, event, self._sites.get(operation)))

    def _sited(self, event: ev.Op | ev.Error, site: Site | None) -> None:
        self.recorder.emit(event._replace(source=self.recorder.source(site)))

    def _define(self, key: str, op: Op | None) -> None:
        self.recorder.raw.append((self._defined, key, op))

    def _defined(self, key: str, op: Op | None) -> None:
        if not self.recorder.define(key):
            return
        if op is None:
            self.recorder.emit(ev.Define(key, SIGNS.get(key, key.lower()), "", (), ()))
            return
        inputs = tuple("*" + each if op.variadic else each for each in op.inputs)
        formulas = tuple(ev.Derivative(*each) for each in derivatives(op))
        self.recorder.emit(ev.Define(key, op.sign, op.text, inputs, formulas))

    def _names(self, operation: Any, names: list[Names]) -> None:
        """Emit a result's name in the graph, and its variable's."""
        for nr, symbol in enumerate(operation.outputs):
            if symbol not in self._values:
                continue
            bound = names[nr] if nr < len(names) else ()
            if bound:
                self._bound.add(symbol)
            for scope, name in (("graph", symbol.name), *bound):
                self._emit(ev.Name(self._value(symbol), name, scope))

    def bind(self, names: Iterable[tuple[str, str, Any]]) -> None:
        """Emit the bindings of variables to known values that had no name."""
        for scope, name, symbol in names:
            if symbol in self._values and symbol not in self._bound:
                self._bound.add(symbol)
                self._emit(ev.Name(self._value(symbol), name, scope))

    def _value(self, symbol: Any) -> int:
        """The id of a symbol, emitted with what is known of it at its first use."""
        known = self._values.get(symbol)
        if known is not None:
            return known
        number = self._values[symbol] = self.recorder.ids.value()
        self._emit_value(symbol, number, _unknown(symbol))
        return number

    def _emit_value(self, symbol: Any, number: int, info: ev.Summary) -> None:
        source = symbol.op.type in SOURCES
        self._emit(
            ev.Value(number, number, 0, False, source, symbol.op.type == "VariableV2", None, info)
        )

    def _scope(self, region: Any) -> int | None:
        """The scope of a loop's or branch's region; None for the graph itself."""
        if region is None or region.parent is None:
            return None
        known = self._scopes.get(region)
        if known is None:
            parent = self._scope(region.parent)
            known = self._scopes[region] = self.recorder.ids.scope()
            of = "cond" if region.kind == "branch" else "while"
            title = f"{of} {region.kind}"
            self._emit(ev.Scope(known, parent, "function", title, "", None, True))
            self._emit(ev.Scope(known, None, "function", "", "", None, False))
        return known

    def _emit(self, event: ev.Event) -> None:
        self.recorder.raw.append((self.recorder.emit, event))

    @guarded
    def raised(self, error: BaseException) -> None:
        """After an error that ended a cell, emit the call that raised it, if that was building."""
        entries = entries_of(error)
        last = max((n for n, each in enumerate(entries) if not _is_ours(each)), default=-1)
        within = entries[last + 1 :]
        given = next(filter(None, map(_symbols, within)), ())
        if last < 0 or not given or within[0].tb_frame.f_code.co_name in RUNS:
            return
        self.settle()
        frame = entries[last].tb_frame
        variables = {id(value): name for name, value in frame.f_locals.items()}
        for symbol in given:
            if symbol not in self._values and id(symbol) in variables:
                self._emit(ev.Name(self._value(symbol), variables[id(symbol)], ""))
        inputs = tuple(map(self._value, given))
        op = _op_of(within)
        if op in TABLE:
            self._define(op, TABLE[op])
        event = ev.Error(
            "call", type(error).__name__, message_of(error), (), None, None, None, None, None, None,
            (), None, op, inputs,
        )  # fmt: skip
        site = self.recorder.sites.at(frame.f_code, entries[last].tb_lasti)
        self.recorder.raw.append((self._sited, event, site))

    # Running -------------------------------------------------------------------------------
    @guarded
    def begins(self, operations: Sequence[Any], fed: Sequence[tuple[Any, Any]]) -> None:
        self.settle()
        self._waiting = dict.fromkeys(operations)
        before = set(self._values)
        for operation in operations:  # those that were built before recording began
            known = any(each in self._values for each in operation.outputs)
            if operation.region.parent is None and not known:
                self._emit_operation(operation)
                self._names(operation, [])
        for symbol, array in fed:
            if symbol in self._values and symbol not in before:
                self._names(symbol.op, [])
            self._flow(symbol, array)

    @guarded
    def computed(self, operation: Any, values: Sequence[Any]) -> None:
        self._waiting.pop(operation, None)
        for symbol, value in zip(operation.outputs, values, strict=True):
            self._flow(symbol, value)
        self._again(operation)

    @guarded
    def ends(self, error: BaseException | None) -> None:
        """A failed run leaves no numbers behind the operation that failed."""
        waiting, self._waiting = self._waiting, {}
        if error is None or not waiting:
            return
        for operation in waiting:
            for symbol in operation.outputs:
                if symbol in self._values and operation.type not in SOURCES:
                    self._emit_value(symbol, self._values[symbol], _unknown(symbol))
        failed = next(iter(waiting))
        if failed not in self._entries or not isinstance(error, OpError):
            return
        inputs = self._entries[failed][0].inputs
        event = ev.Error(
            "call", type(error).__name__, message_of(error), (), None, None, None, None, None, None,
            (), None, key_of(failed, failed.op), tuple(x for x in inputs if isinstance(x, int)),
        )  # fmt: skip
        self.recorder.raw.append((self._sited, event, self._sites.get(failed)))

    @guarded
    def entered(self, region: Any, values: Sequence[Any]) -> None:
        for nr, (symbol, value) in enumerate(zip(region.inputs, values, strict=True)):
            self._flow(symbol, value)
            entries = self._entries.get(region, [])
            if nr < len(entries):
                self._emit(entries[nr])

    def _flow(self, symbol: Any, value: Any) -> None:
        """Emit a value that has arrived."""
        known = symbol in self._values and isinstance(value, (np.ndarray, np.generic))
        if known and value.dtype != object:
            self.recorder.raw.append((self._arrived, symbol, self._value(symbol), capture(value)))

    def _arrived(self, symbol: Any, number: int, content: Captured) -> None:
        numbers = summary(content)
        source = symbol.op.type in SOURCES
        parameter = symbol.op.type == "VariableV2"
        self.recorder.emit(ev.Value(number, number, 0, False, source, parameter, None, numbers))

    # Where ---------------------------------------------------------------------------------
    def _site(self, operation: Any) -> tuple[Site | None, list[Names]]:
        """The user's line that builds, and the names that each result is about to get."""
        outputs = len(operation.outputs)
        frame: FrameType | None = _getframe(1)
        traced = False
        while frame is not None and ours(frame.f_code.co_filename):
            traced = traced or frame.f_globals.get("__name__", "").startswith(TRACED)
            frame = frame.f_back
        if frame is None:
            return None, []
        sites = self.recorder.sites
        site = sites.at(frame.f_code, frame.f_lasti)
        if traced and operation.type == "Placeholder":
            return site, []  # the call that records a function does not give its arguments
        paths: list[tuple[int, ...]] = [()] if outputs == 1 else [(nr,) for nr in range(outputs)]
        if operation.type == "Exit":  # a loop gives a list of its results
            paths = [(operation.operands[0].value_index,)]
        found = [sites.names(frame, path, ours)[0] for path in paths]
        if operation.type == "Exit" and not found[0]:
            found = [sites.names(frame, (), ours)[0]]
        return site, found


RUNS = frozenset({"run", "eval"})
"""Functions that run a graph: their errors are not those of a call that builds it."""


def _is_ours(entry: TracebackType) -> bool:
    return ours(entry.tb_frame.f_code.co_filename)


def _symbols(entry: TracebackType) -> tuple[Any, ...]:
    """The symbols among the arguments of a call, those in lists included."""
    code, values = entry.tb_frame.f_code, entry.tb_frame.f_locals
    given = [values.get(name) for name in code.co_varnames[: code.co_argcount]]
    parts = [x for each in given for x in (each if isinstance(each, list | tuple) else (each,))]
    return tuple(each for each in parts if isinstance(each, Symbol))[:MAX_INPUTS]


def _op_of(entries: Sequence[TracebackType]) -> str:
    """Return the op that a failed call was to add: its key in the table, else its name."""
    keys = (each.tb_frame.f_locals.get("key") for each in entries)
    known = (key for key in keys if isinstance(key, str) and key in TABLE)
    return next(known, entries[0].tb_frame.f_code.co_name.strip("_"))


def _unknown(symbol: Symbol) -> ev.Summary:
    """Return the summary of a symbol before a run."""
    sizes = symbol.sizes
    shape = () if sizes is None else tuple(UNKNOWN if n is None else int(n) for n in sizes)
    return ev.Summary(shape, str(symbol.dtype.name), None, None, None)


def key_of(operation: Any, op: Op | None) -> str:
    """Return how an operation is called: by the op of the table, or by the user's word for it."""
    key: str = operation.type if op is None else op.key
    return "reshape" if key == "unsafe_view" else key


def texts_of(params: Mapping[str, Any]) -> dict[str, str]:
    """Metadata as text, if one word can say it."""
    return {
        name: str(value)
        for name, value in params.items()
        if isinstance(value, (int, float, str, tuple, bool)) and value != ()
    }


def number_of(operation: Any) -> str | None:
    """The number that the user wrote in a symbol's place (``w + 1``), as text; else None."""
    if operation.type != "Const" or "/" not in operation.name:
        return None
    value = np.asarray(operation.params.get("value"))
    if value.ndim or value.dtype.kind not in "iuf":
        return None
    return f"{value.item():g}"


def _is_memory(symbol: Symbol) -> bool:
    """Return whether it is what a loop keeps for its gradient, the last of its results: no
    value."""
    loop = symbol.op
    return bool(loop.type == "While" and symbol.value_index >= len(loop.regions[1].inputs))
