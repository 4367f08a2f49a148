"""Writes each observed call as a record; while draining, makes events of these records.

Without a picture, calls are emitted only when something is wrong: ``unfold`` makes of the short
records those for a picture. ``drop`` forgets what no later error can need.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ...recording import events as ev
from ...recording.positions import Position
from ...recording.recorder import NodeRef, Recorder, Ref
from ...recording.sites import Names
from ..bindings import Bindings
from ..optimizer_steps import step_key
from ..raw_records import MADE
from ..scope_marks import Given
from ..scopes import Scopes
from ..sorting import BEGINS
from . import ops
from .identity import TOKEN, Identity, Made
from .read_names import by_user, read_by
from .tape import Call, Facts
from .tensor_facts import Captured, content_of, grad_fn_of, summarized
from .tensors import Deferred
from .view_writes import saved_inside

MOST_READ = 100_000
"""Values of which it is known that a call has read them."""

NO_NODE = None
"""Stands where records of calls have their node: PyTorch's nodes have records of their own."""

NOT_ONE_NUMBER: Any = (None, (), ev.Stats("nan", "nan", "nan", 0))
"""Placeholder for other results, in the form of ``recording.summary.capture``."""


class CallRecorder:
    """Emits calls. Those of its methods that a record names run while draining."""

    def __init__(
        self, recorder: Recorder, identity: Identity, names: Bindings, scopes: Scopes
    ) -> None:
        self.recorder = recorder
        self.identity = identity
        self.names = names
        self.scopes = scopes
        self.emit_call, self.emit_step = self._emit_call, self._emit_step  # one object each

    # Records -------------------------------------------------------------------------------
    def emit(self, call: Call, nodes: Sequence[Made]) -> None:
        """Emit a call and the nodes that it made."""
        identity, raw = self.identity, self.recorder.raw
        values: list[Any] = []
        for ref in call.made:
            self.recorder.values.add(ref.id)
            values.append((ref, identity.content(ref), ref.facts))
        number: list[int] = []
        raw.append((self.emit_call, call.position, call.name, call, number, values, NO_NODE))
        inside, near = None, call.made + call.given
        if call.writes:
            near = (*call.made, *[each.after for each in call.writes], *call.given)
            through = [each for each in call.writes if each.base_after is not None]
            given = ops.called(call.name, call.args, call.kwargs, not call.made).inputs
            inside = saved_inside(call.name, given, call.writes[0]) if through else []
        identity.emit_nodes(nodes, near, number, inside)

    def stepped(self, call: Call) -> None:
        """Record a step of an optimizer on its parameters."""
        self.recorder.raw.append((self.emit_step, call.position, call.name, call, [], [], NO_NODE))

    def _write(self, write: Any) -> ev.Write:
        after, of, to = write.after, write.base_before, write.base_after
        return ev.Write(
            after.storage, after.version, write.before.id, after.id,
            None if of is None else of.id, None if to is None else to.id, None, None,
        )  # fmt: skip

    # Short records, emitted ------------------------------------------------------------------
    def unfold(self, batch: Iterable[Any], roots: Iterable[Any]) -> tuple[list[Any], list[Any]]:
        """The records that are not emitted yet; and the nodes that are alive, ``roots`` among
        them."""
        identity, raw = self.identity, self.recorder.raw
        waiting = raw[:]
        raw.clear()
        identity.defers = False
        living = list(self._living(roots))
        made: dict[int, list[Any]] = {}
        for node in living:
            token = node.metadata.get(TOKEN)
            if token is not None and token.ref is None:
                made.setdefault(id(token.call), []).append(node)
        try:
            for record in batch:
                kind = type(record)
                if kind is Call:
                    self._unfold(record, made.get(id(record), ()))
                elif kind is Deferred:
                    self.identity.assure(record.ref, record.before)
                    raw.append(record.record)
                elif kind in (tuple, Ref, NodeRef):
                    raw.append(record)
                else:
                    record.emit()
            return raw[:], living
        finally:
            raw[:] = waiting
            identity.defers = True

    def _unfold(self, call: Call, nodes: Iterable[Any]) -> None:
        self.identity.assure(*call.given)
        for write in call.writes:
            self.identity.assure(write.before, write.base_before)
        self.identity.assure(*[ref.facts.base for ref in call.made])
        for write in call.writes:
            self.identity.assure(write.base_after, write.after)
        if call.func is None:
            self.stepped(call)
            return
        triples = [(node, nr, ref) for node in nodes for nr, ref in node.metadata[TOKEN].outputs]
        now = self.identity.time
        for node in nodes:
            self.identity.time = node.metadata[TOKEN].made  # that of the nodes inside of it too
        self.emit(call, triples or [(node, -1, call.given[0]) for node in nodes])
        self.identity.time = now

    def _living(self, roots: Iterable[Any]) -> Iterator[Any]:
        """The nodes that tensors of the program lead to, each once."""
        seen: set[Any] = set()
        tensors = [ref() for ref in list(self.identity.refs.values())]
        waiting = [grad_fn_of(tensor) for tensor in tensors if tensor is not None]
        waiting += roots
        while waiting:
            node = waiting.pop()
            if node is not None and node not in seen:
                seen.add(node)
                yield node
                waiting.extend(before for before, _ in node.next_functions)

    def drop(self, open_scopes: Sequence[int], most: int) -> None:
        """Forget the older half of the records, except those of tensors that are alive."""
        raw = self.recorder.raw
        half = len(raw) // 2
        kept: list[Any] = []
        since = 0  # how many calls were kept when the last run was
        for record in raw[:half]:
            kind = type(record)
            if kind is tuple:
                if record[0] is BEGINS and record[3] in open_scopes:
                    kept.append(record)
            elif kind is Call:
                if self._lasts(record):
                    kept.append(record)
            elif kind is Deferred:
                tensor = record.ref()
                if tensor is not None:
                    kept.append(self._now(record, tensor))
            elif kind not in (Ref, NodeRef) and len(kept) > since:
                kept.append(record)
                since = len(kept)
        raw[:half] = kept[-most:]

    def _lasts(self, call: Call) -> bool:
        """Return whether a tensor is still what a call made or wrote."""
        refs = self.identity.refs
        values = [*call.made, *[write.after for write in call.writes]]
        return any(refs.get(ref.facts.key) is ref and ref() is not None for ref in values)

    def _now(self, record: Deferred, tensor: Any) -> Deferred:
        """A record of a variable's name, of the value that is bound to it now."""
        ref = self.identity.known(tensor)
        if ref is None or record.record[0] != self.names.rebound:
            return record
        return Deferred(ref, (self.names.rebound, ref.id, *record.record[2:]), None)

    # While draining ------------------------------------------------------------------------
    def _emit_call(
        self, position: Position | None, name: str, call: Call, number: list[int],
        values: list[Any], _node: None,
    ) -> None:  # fmt: skip
        """A call, what it made or wrote and what that is bound to; its id goes into ``number``.
        Its nodes are emitted by records of their own."""
        called = ops.called(name, call.args, call.kwargs, bool(call.writes) and not call.made)
        inputs = tuple([x if isinstance(x, str) else x.id for x in called.inputs])
        writes = [self._write(each) for each in call.writes]
        direct = position is not None and by_user(position)
        if direct and position is not None and position.site is not None:
            for ref, text in read_by(call, position.site.spelling):  # before it is written
                self.names.read(None, ref.id, position.site.scope_of(text), text)
        self._emit(position, name, called.key, inputs, values, called.params, writes, number)
        if len(values or writes) == 1:
            self.names.bound(values[0][0].id if values else writes[0].value, call.names)
        for made, names in zip(values, call.parts, strict=False):
            if names:
                self.names.bound(made[0].id, names)
        if len(values) == 1 and direct:
            self.names.own(position, values[0][0].id)

    def _emit_step(
        self, position: Position | None, name: str, call: Call, number: list[int],
        values: list[Any], _node: None,
    ) -> None:  # fmt: skip
        """Emit a step of an optimizer: one call for each parameter that it wrote."""
        for write in call.writes:
            written = [self._write(write)]
            self._emit(
                position, name, step_key(name), (write.before.id,), values, {}, written, number
            )

    def _emit(
        self, position: Position | None, name: str, key: str, inputs: tuple[int | str, ...],
        values: list[Any], params: dict[str, str], writes: list[ev.Write], number: list[int],
    ) -> None:  # fmt: skip
        recorder, read = self.recorder, self.identity.read
        if len(read) > MOST_READ:
            read.clear()
        read.update([each for each in inputs if type(each) is int])
        source = None if position is None else recorder.source(position.site)
        if recorder.define(key):
            recorder.emit(ops.definition(name, key))
        for made in values:
            self._value(*made)
        if recorder.lost:
            before = [each for write in writes for each in (write.before, write.base_before)]
            self.names.recall((*inputs, *before))
        call, scope = recorder.ids.call(), self.scopes.current
        number.append(call)
        outputs = tuple(made[0].id for made in values) or tuple(write.value for write in writes)
        view_of = _base(values[0][2]) if values else None
        inplace = not values
        recorder.emit(ev.Op(call, key, inputs, params, outputs, view_of, inplace, scope, source))
        for write in writes:
            recorder.emit(write._replace(call=call, source=source))
            self.names.written(write.before, write.value)
            for each in (write.before, write.base_before):
                if each is not None:  # no tensor is that value any more
                    recorder.values.discard(each)
                    recorder.refs.pop(each, None)

    def _value(self, ref: Ref, data: Captured, facts: Facts) -> None:
        event = ev.Value(
            ref.id, ref.storage, ref.version, facts.requires_grad, facts.leaf, False, _base(facts),
            summarized(data),
        )  # fmt: skip
        self.recorder.value(ref, event)

    def emit_again(self, record: Any, value: int) -> None:
        """Emit a value of a call that was dropped."""
        for made in record[MADE]:
            if made[0].id == value:
                self._value(*made)

    def made(self, _position: Position | None, _what: str, value: int, names: Names) -> None:
        """A leaf was made."""
        self.names.bound(value, names, self.scopes.current)


def named(record: Any) -> Sequence[Given]:
    """Return the values that a call names."""
    values, call = record[MADE], record[3]
    parts = call.parts or ((call.names,) if call.names and len(values) == 1 else ())
    both = zip(values, parts, strict=False)
    return [(made[0].id, names, number_of(made[1])) for made, names in both if names]


def number_of(data: Captured) -> Any:
    """Return captured data in the form of ``recording.summary.capture``, if it is one number."""
    content = content_of(data) if data[1] in ((), (1,)) else None
    return content or NOT_ONE_NUMBER


def _base(facts: Facts) -> int | None:
    """Return the id of the value's base, if it is a view."""
    return None if facts.base is None else facts.base.id
