"""From raw records of calls to events: the part of the adapter that runs while draining."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from ..optable import Op
from ..optable.derivative_text import derivatives
from ..recording import events as ev
from ..recording.recorder import NodeRef, Recorder, Ref
from ..recording.sites import Names, Site
from ..recording.summary import Captured, summary

Edges = list[tuple[int | None, int]]
Made = tuple[Ref, Captured, bool, int | None, Names]
"""A result: its identity, content, ``requires_grad``, base (when it is a view) and names."""


class Calls:
    """Tells calls: their values, the op, its node and the names."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.bindings: dict[tuple[str, str], int] = {}
        """What each (scope, name) was last told to be bound to."""
        self.write_times: dict[tuple[int, int], int] = {}
        """When each (storage, version) was written."""
        self._perhaps: tuple[Ref, Site, Names] | None = None
        recorder.passing[self.call] = self.events_if_over

    def call(
        self, op: Op, refs: list[Any], params: dict[str, str], made: Sequence[Made],
        node: NodeRef | None, cls: Any, edges: Edges | None, scope: int | None, site: Site | None,
    ) -> None:  # fmt: skip
        """A call, its results and its node; ``edges`` has those of what it gives gradients to, of
        an op on a list one for each input."""
        self._moved(site)
        tell = self.recorder.tell
        source = self.recorder.source(site)
        if self.recorder.define(op.key):
            self._define(op, "")
        for ref, data, needs, view_of, _names in made:
            leaf, told = node is None or not needs, summary(data)
            self.recorder.value(
                ref, ev.Value(ref.id, ref.storage, ref.version, needs, leaf, False, view_of, told)
            )
        call = self.recorder.ids.call()
        ids = tuple([each.id for each in refs])
        outputs = tuple([each[0].id for each in made])
        tell(ev.Op(call, op.key, ids, params, outputs, made[0][3], False, scope, source))
        if node is not None:
            assert edges is not None
            nexts = tuple(edges)
            saved: tuple[ev.Saved, ...] = ()
            if not op.variadic:
                places, saves = plan(cls)
                nexts = tuple([NO_EDGE if at is None else edges[at] for at in places])
                saved = tuple([_saved(name, at, refs, made, params) for name, at in saves])
            event = ev.Node(node.id, cls.__name__, call, outputs, nexts, saved, None)
            self.recorder.node(node, event)
        for ref, _data, _needs, _view_of, names in made:
            if names:
                self.bound(ref.id, names)

    @staticmethod
    def events_if_over(record: Any) -> int:
        """How many events the raw record of a call would make if nothing of it lives; else 0."""
        made = record[4]
        return 0 if len(made) > 1 or made[0][0]() is not None else 5

    def wrote(
        self, op: Op, ids: tuple[Any, ...], params: dict[str, str], number: list[int],
        write: ev.Write, scope: int | None, site: Site | None, names: Names,
    ) -> None:  # fmt: skip
        """An in-place write: the call, whose id goes into ``number``, and what it did."""
        self._moved(site)
        call, value = self.recorder.ids.call(), write.value
        number.append(call)
        source = self.recorder.source(site)
        drawn = op.key.replace(op.name, op.name + "_", 1)
        if self.recorder.define(drawn):
            self._define(op, "_")
        self.recorder.tell(ev.Op(call, drawn, ids, params, (value,), None, True, scope, source))
        if len(self.write_times) > 10_000:
            self.write_times.clear()
        self.write_times[write.storage, write.version] = self.recorder.now
        self.recorder.tell(write._replace(call=call, source=source))
        self.bound(value, names)

    def bound(self, value: int, names: Names) -> None:
        """Tell what is bound to the value."""
        for scope, name in names:
            self.bindings[scope, name] = value
            self.recorder.tell(ev.Name(value, name, scope))

    def perhaps(self, ref: Ref, site: Site, names: Names) -> None:
        """The value is the last so far of a call at ``site``, inside of this package, whose
        result gets these names: if nothing follows there, it is that result."""
        self._perhaps = ref, site, names

    def settle(self) -> None:
        """The program has moved on: what was perhaps the result of its call is it, if it lives."""
        if self._perhaps is not None:
            ref, _site, names = self._perhaps
            self._perhaps = None
            if ref.id in self.recorder.refs:
                self.bound(ref.id, names)

    def _moved(self, site: Site | None) -> None:
        """A call is told: it follows on what was perhaps the last of its site, or on its end."""
        if self._perhaps is not None:
            if self._perhaps[1] is site:
                self._perhaps = None
            else:
                self.settle()

    def rebound(self, value: int, scope: str, name: str) -> None:
        """Tell what a variable is bound to if that is new."""
        if self.bindings.get((scope, name)) != value:
            self.bound(value, ((scope, name),))

    def _define(self, op: Op, suffix: str) -> None:
        inputs = tuple("*" + name if op.variadic else name for name in op.inputs)
        self.recorder.tell(
            ev.Define(
                op.key.replace(op.name, op.name + suffix, 1), op.sign, op.text, op.tex, inputs,
                tuple(ev.Derivative(*each) for each in derivatives(op)),
            )
        )  # fmt: skip


NO_EDGE = (None, 0)


@cache
def plan(cls: Any) -> tuple[tuple[int | None, ...], tuple[tuple[str, int], ...]]:
    """For a node class: for each differentiable input, its place in ``next``; and for each saved
    slot, the number of the input that it keeps (outputs count from -1 downward)."""
    op = cls.op
    assert op is not None
    targets = {name: at for at, name in enumerate(cls.targets)}
    places = tuple(targets.get(name) for name in op.derivatives)
    saves = []
    for name in cls.saves:
        if name in op.kept:  # no value of the program
            continue
        at = op.inputs.index(name) if name in op.inputs else -1 - op.outputs.index(name)
        saves.append((name, at))
    saves += [(name, PARAM) for name in op.metadata(cls.targets) if name in op.params]
    return places, tuple(saves)


PARAM = 1_000
"""Stands for metadata among the places of saved things."""


def _saved(
    name: str, at: int, refs: list[Any], made: Sequence[Made], params: dict[str, str]
) -> ev.Saved:
    if at == PARAM:
        return ev.Saved(name, None, None, None, params.get(name))
    ref = refs[at] if at >= 0 else made[-1 - at][0]
    if ref.storage is None:  # a Python number
        return ev.Saved(name, None, None, None, ref.id)
    return ev.Saved(name, ref.id, ref.storage, ref.version, None)
