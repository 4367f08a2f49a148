"""The adapter for passes: the program of a static graph, emitted again after each of them.

A call keeps its number from pass to pass as long as it is the same op with the same metadata and
result; so the page can show what is new, what is gone, and what only reads other values now.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..recording import events as ev
from ..recording.recorder import Recorder
from ..recording.sites import Names
from ..recording.summary import capture, summary
from ..static.listener import Listener
from ..static.passes.program import SOURCES, Program
from ..static.stages import Stage
from .static_graphs import StaticAdapter, key_of, texts_of

FUSED = "fused"
"""The kind of scope that a block is."""


class PassAdapter(StaticAdapter):
    """Observes a graph being built, for its lines and names of values; then emits passes."""

    begins, computed, entered, ends = (
        Listener.begins, Listener.computed, Listener.entered, Listener.ends,
    )  # fmt: skip

    def __init__(self, recorder: Recorder) -> None:
        super().__init__(recorder)
        self._named: dict[Any, str] = {}
        self._calls: dict[Any, int] = {}
        self._blocks: dict[Any, int] = {}
        self._known: set[Any] = set()
        self.skipped: set[tuple[str, str]] = set()
        """Variables, (scope, name) each, that no value of the program is called by."""

    def _emit_operation(self, operation: Any) -> None:
        """Do nothing: it is emitted with the first pass."""

    def _names(self, operation: Any, names: list[Names]) -> None:
        for symbol, bound in zip(operation.outputs, names, strict=False):
            for each in bound:
                if each not in self.skipped:
                    self._named[symbol] = each[1]

    def emit_passes(self, stages: Sequence[Stage], names: Mapping[Any, str]) -> None:
        """Emit the program after each pass, the first as it was built.

        Args:
            names: what the user calls symbols, besides the observed names.
        """
        self.settle()
        self._named.update(names)
        for stage in stages:
            self._pass(stage)
            if stage is stages[0]:
                for symbol, number in self._values.items():
                    if symbol in self._named:
                        self._emit(ev.Name(number, self._named[symbol], ""))
        self.recorder.drain()

    def _pass(self, stage: Stage) -> None:
        compiled = stage.compiled
        program = compiled.program
        scopes = {
            number: self._block(block.steps[0], len(block.steps))
            for first, block in compiled.blocks.items()
            for number in range(first, first + len(block.steps))
            for block in [block]
        }
        steps = [
            self._step(step, program, scopes.get(number))
            for number, step in enumerate(program.steps)
            if step.operation.type not in SOURCES
        ]
        over = tuple((self._value(a), self._value(b)) for a, b in compiled.over.items())
        microseconds, spread = (
            None if each is None else round(each * 1e6, 3) for each in (stage.seconds, stage.spread)
        )
        wanted = tuple(self._operand(each, program, True) for each in program.wanted)
        self._emit(
            ev.Pass(
                stage.name or "built", tuple(steps), wanted, over, stage.nodes, stage.bytes,
                microseconds, spread,
            )
        )  # fmt: skip

    def _step(self, step: Any, program: Program, scope: int | None) -> ev.Step:
        operation, op = step.operation, step.op or step.operation.op
        key = key_of(operation, op)
        params = texts_of(step.params)
        own = [each for each in step.inputs if each is not None]
        reads = [*own, *(each for each in step.reads if each not in own)]
        inputs = tuple(self._operand(each, program) for each in reads)
        outputs = [each for each in step.outputs if operation.type != "While" or keeps(each)]
        mark = operation, key, tuple(params.items())
        call = self._calls.get(mark)
        if call is None:
            call = self._calls[mark] = self.recorder.ids.call()
        self._define(key, op)
        results = tuple(self._value(each) for each in outputs)
        source = self.recorder.source(self._sites.get(operation))
        return ev.Step(call, key, inputs, params, results, scope, source)

    def _operand(self, symbol: Any, program: Program, wanted: bool = False) -> Any:
        """Return an input of a call: a value, with its numbers if it is a constant; or, unless
        the value is ``wanted``, a number that the user wrote."""
        array = program.constants.get(symbol)
        if array is None:
            return self._value(symbol)
        written = symbol.op.type == "Const" and symbol not in self._named
        if written and not wanted and array.ndim == 0 and array.dtype.kind in "iuf":
            return f"{array.item():g}"
        number = self._value(symbol)
        if symbol not in self._known:
            self._known.add(symbol)
            content = summary(capture(np.asarray(array)))
            self._emit_value(symbol, number, content)
        return number

    def _block(self, first: Any, count: int) -> int:
        """The scope of steps that run together."""
        known = self._blocks.get(first.operation)
        if known is None:
            known = self._blocks[first.operation] = self.recorder.ids.scope()
            text = f"{count} ops, block by block"
            self._emit(ev.Scope(known, None, FUSED, "fused", text, None, True))
            self._emit(ev.Scope(known, None, FUSED, "", "", None, False))
        return known


def keeps(symbol: Any) -> bool:
    """Return whether a loop's result is one of the user's: the last is its memory, for the
    gradient."""
    return bool(symbol.value_index < len(symbol.op.regions[1].inputs))
