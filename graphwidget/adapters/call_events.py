"""Events of calls, made from records when the log is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from ..optable import Op
from ..optable.derivative_text import derivatives
from ..recording import events as ev
from ..recording.positions import Position
from ..recording.recorder import NodeRef, Recorder, Ref
from ..recording.sites import Names
from ..recording.summary import Captured, summary
from .bindings import Bindings
from .earlier_calls import Earlier
from .error_words import packed
from .grad_calls import grad_options
from .identity import texts
from .optimizer_steps import step_definition, step_key
from .position_finder import in_engine
from .raw_records import MADE, NODE
from .scopes import Scopes

Edges = list[tuple[int | None, int]]
Made = tuple[Ref, Captured, bool, int | None, Names]
"""A result: its identity, content, ``requires_grad``, base (when it is a view) and names."""


Written = tuple[Ref, Ref, Ref | None, Ref | None]
"""A value written in place, before and after; and the same of its base, if it is a view."""


ASSIGNED = "data_"
"""The op that is emitted for ``tensor.data = other``."""


class CallEvents(Bindings):
    """Emits calls: their values, the op, its node and the names."""

    def __init__(self, recorder: Recorder, scopes: Scopes) -> None:
        super().__init__(recorder)
        self.scopes = scopes
        self.write_times: dict[tuple[int, int], int] = {}
        """When each (storage, version) was written."""
        self.emit_again[self.call] = self.emit_again[self.differentiated] = self._emit_again

    def call(
        self, position: Position | None, op: Op, refs: list[Any], given: Mapping[str, Any],
        made: Sequence[Made], node: NodeRef | None, cls: Any, edges: Edges | None,
        saved: tuple[ev.Saved, ...] = (), packing: str | None = None,
    ) -> None:  # fmt: skip
        """A call, its results and its node; ``edges`` has those of what it gives gradients to, of
        an op on a list one for each input. ``saved`` is given for a custom Function's node alone:
        what others saved their op says. ``packing`` says what became of saved tensors in hooks."""
        params = texts(given)
        emit, scope = self.recorder.emit, self.scopes.current
        source = self._source(position)
        self.define(op)
        self._values(made, node)
        call = self.recorder.ids.call()
        ids = tuple([each.id for each in refs])
        if self.recorder.lost:
            self.recall(ids)
        outputs = tuple([each[0].id for each in made])
        emit(ev.Op(call, op.key, ids, params, outputs, made[0][3], False, scope, source))
        if node is not None:
            assert edges is not None
            nexts = tuple(edges)
            if not op.variadic:
                indices, saves = edge_and_saved_indices(cls)
                nexts = tuple([NO_EDGE if at is None else edges[at] for at in indices])
                saved = tuple([_saved(name, at, refs, made, params) for name, at in saves])
            if packing is not None:
                saved = packed(saved, packing)
            event = ev.Node(node.id, cls.__name__, call, outputs, nexts, saved, None)
            self.recorder.node(node, event)
        for ref, _data, _needs, view_of, names in made:
            if names:
                self.bound(ref.id, names)
            elif view_of is not None and len(made) == 1 and in_engine(position):
                self.own(position, ref.id)

    def differentiated(
        self, position: Position | None, what: str, refs: list[Any], options: Mapping[str, Any],
        made: Sequence[Made], node: None,
    ) -> None:  # fmt: skip
        """A call of ``autograd.grad``, or ``.data``, gave what no op of the table has made."""
        if self.recorder.define(what):
            self.recorder.emit(ev.Define(what, what, "", (), ()))
        self._values(made, node)
        ids = tuple([each.id for each in refs])
        if self.recorder.lost:
            self.recall(ids)
        outputs = tuple([each[0].id for each in made])
        call, scope = self.recorder.ids.call(), self.scopes.current
        params, source = texts(grad_options(options)), self._source(position)
        self.recorder.emit(ev.Op(call, what, ids, params, outputs, None, False, scope, source))
        for ref, _data, _needs, _view_of, names in made:
            if names:
                self.bound(ref.id, names)
            elif what == "data":
                self.own(position, ref.id)

    def _values(self, made: Sequence[Made], node: NodeRef | None) -> None:
        for ref, data, needs, view_of, _names in made:
            leaf, info = node is None or not needs, summary(data)
            self.recorder.value(
                ref, ev.Value(ref.id, ref.storage, ref.version, needs, leaf, False, view_of, info)
            )

    def earlier(self, made: Earlier) -> int:
        """Emit an earlier call, known from its node; its id."""
        for value in made.values:
            self.recorder.emit(value)
        call, drawn, params = self.recorder.ids.call(), self.define(made.op), texts(made.params)
        event = ev.Op(call, drawn, made.inputs, params, made.outputs, None, False, None, None)
        self.recorder.emit(event)
        return call

    def wrote(
        self, position: Position | None, op: Op, before: Ref, others: list[Any],
        params: Mapping[str, Any], number: list[int], after: Ref, base_before: Ref | None,
        base_after: Ref | None, names: Names,
    ) -> None:  # fmt: skip
        """An in-place write: the call, whose id goes into ``number``, and what it did."""
        ids = tuple([ref.id for ref in others])
        written = before, after, base_before, base_after
        number.append(self._wrote(position, self.define(op, "_"), ids, texts(params), written))
        self.written(before.id, after.id)
        self.bound(after.id, names)

    def assigned(self, position: Position | None, before: Ref, given: Any, after: Ref) -> None:
        """A tensor's ``.data`` was assigned."""
        if self.recorder.define(ASSIGNED):
            self.recorder.emit(ev.Define(ASSIGNED, "data", "", (), ()))
        self._wrote(position, ASSIGNED, (given.id,), {}, (before, after, None, None))

    def stepped(self, position: Position | None, name: str, written: Sequence[Written]) -> None:
        """A step of an optimizer of the class ``name``: one call is emitted for each parameter that
        it wrote."""
        key = step_key(name)
        if self.recorder.define(key):
            self.recorder.emit(step_definition(name))
        for each in written:
            self._wrote(position, key, (), {}, each)

    def _wrote(
        self, position: Position | None, key: str, others: tuple[Any, ...],
        params: dict[str, str], written: Written,
    ) -> int:  # fmt: skip
        """Emit a call that wrote in place, reading ``others`` too; its id."""
        before, after, base_before, base_after = written
        call, value, storage = self.recorder.ids.call(), after.id, after.storage
        source, scope = self._source(position), self.scopes.current
        ids = (before.id, *others)
        old = None if base_before is None else base_before.id
        new = None if base_after is None else base_after.id
        if self.recorder.lost:
            self.recall((*ids, old))
        self.recorder.emit(ev.Op(call, key, ids, params, (value,), None, True, scope, source))
        if len(self.write_times) > 10_000:
            self.write_times.clear()
        self.write_times[storage, after.version] = self.recorder.now
        self.recorder.emit(
            ev.Write(storage, after.version, before.id, value, old, new, call, source)
        )
        for each in (before.id, old):
            if each is not None:  # no tensor is that value any more
                self.recorder.values.discard(each)
                self.recorder.refs.pop(each, None)
        return call

    def made(self, _position: Position | None, what: str, value: int, names: Names) -> None:
        """A leaf was ``made``, or a call of ``grad`` ``gave`` a value."""
        self.bound(value, names, self.scopes.current if what == "made" else None)

    def _emit_again(self, record: Any, value: int) -> None:
        node = record[NODE]
        for ref, data, needs, view_of, _names in record[MADE]:
            if ref.id == value:
                leaf, info = node is None or not needs, summary(data)
                event = ev.Value(value, ref.storage, ref.version, needs, leaf, False, view_of, info)
                self.recorder.value(ref, event)

    def _source(self, position: Position | None) -> int | None:
        return None if position is None else self.recorder.source(position.site)

    def define(self, op: Op, suffix: str = "") -> str:
        """Emit an op at its first use, in place with the suffix ``_``; how it is called."""
        drawn = op.key.replace(op.name, op.name + suffix, 1)
        if not self.recorder.define(drawn):
            return drawn
        inputs = tuple("*" + name if op.variadic else name for name in op.inputs)
        self.recorder.emit(
            ev.Define(
                drawn, op.sign, op.text, inputs,
                tuple(ev.Derivative(*each) for each in derivatives(op)),
            )
        )  # fmt: skip
        return drawn


NO_EDGE = (None, 0)


@cache
def edge_and_saved_indices(
    cls: Any,
) -> tuple[tuple[int | None, ...], tuple[tuple[str, int], ...]]:
    """For a node class: for each differentiable input, its index in ``next``; and for each saved
    slot, the number of the input that it keeps (outputs count from -1 downward)."""
    op = cls.op
    assert op is not None
    targets = {name: at for at, name in enumerate(cls.targets)}
    indices = tuple(targets.get(name) for name in op.derivatives)
    saves = []
    for name in cls.saves:
        if name in op.kept:  # no value of the program
            continue
        at = op.inputs.index(name) if name in op.inputs else -1 - op.outputs.index(name)
        saves.append((name, at))
    saves += [(name, PARAM) for name in op.metadata(cls.targets) if name in op.params]
    return indices, tuple(saves)


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
