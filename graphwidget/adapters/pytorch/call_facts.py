"""Records the results and writes of each observed call, with its line and its names.

Writes are found by the versions of the call's arguments before and after.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from types import CodeType, FrameType
from typing import Any, Protocol

import torch

from ...recording import events as ev
from ...recording.looking import is_a
from ...recording.positions import Position
from ...recording.recorder import Recorder, Ref
from ...recording.sites import Names, Site
from . import ops
from .arguments import TENSORS, Given, given_back
from .call_recorder import CallRecorder
from .identity import Identity, Made
from .observed_functions import FLAGS
from .own_backwards import Hook
from .positions import Named
from .tape import MOST, Call, Tape, Write, new_tuple
from .tensor_facts import asked, base_of, grad_fn_of, storage_of
from .tensors import Alias
from .writes import Writes, written_by

MAX_KEPT = 10_000
"""Entries of each table of facts for the findings."""
MAX_PARTS = 32
"""Results of one call that are named one by one."""
UNUSUAL = FLAGS | {"data", "detach", "batch_norm"}
"""Calls whose record has more than their results."""


class Where(Protocol):
    """Return the user's line and the names of the result of the call that ``frame`` makes, by
    default the caller's."""

    def __call__(self, frame: FrameType | None = None, /) -> Named: ...


class CallFacts:
    """Recording of calls, and of facts about them for the findings."""

    def __init__(
        self, recorder: Recorder, identity: Identity, records: CallRecorder, position: Where
    ) -> None:
        super().__init__()
        self.recorder = recorder
        self.identity = identity
        self.records = records
        self.position = position
        self.names_of_part: Callable[[int], Names] = lambda nr: ()
        """Gives the names that one of the results of the call gets."""
        self.observed: Callable[[], None] = lambda: None
        """Called after each call that was emitted."""
        self.origins: dict[int, Site] = {}
        """Sites that made values that are no result of a call."""
        self.became_numbers: dict[int, Site] = {}
        """Sites that made numbers or arrays of tensors with a history, by the value."""
        self.frozen: dict[int, Site] = {}
        """Sites that set ``requires_grad`` of values to False."""
        self.switch: tuple[CodeType, int] | None = None
        """The instruction that last switched gradients off where they were on."""
        self.hooks: dict[int, Hook] = {}
        """The hooks of tensors, each once, by the address of its code."""
        self.still = 0
        """Number of calls in a row that touched no gradient."""
        self.cuts = False
        """True if a call made or wrote something without a history, of what has one."""
        self.writes = Writes(identity)
        self.tape = Tape(identity.refs)

    def go_on_from(self, before: CallFacts) -> None:
        """Continue with the facts of another one."""
        self.origins, self.became_numbers, self.frozen = (
            before.origins,
            before.became_numbers,
            before.frozen,
        )
        self.switch, self.hooks, self.cuts = before.switch, before.hooks, before.cuts

    def record_usual(
        self, func: Callable[..., Any], name: str, before: Given, result: Any, frame: FrameType
    ) -> bool:
        """Record a call of the most usual kind, which ``frame`` makes: it only made one tensor from
        others, or returned one unchanged. Return whether it is one."""
        # The hot path: `record` would do the same with twice the steps.
        identity = self.identity
        tensors, refs, args, kwargs = before
        pair = type(result) is tuple and len(result) == 2 and result[1] is None
        if pair:  # what attention gives that is not asked for its weights
            result = result[0]
        if type(result) is not torch.Tensor or not tensors or identity.apart or name in UNUSUAL:
            return False
        try:
            for ref in refs:
                if ref()._version != ref.version:  # type: ignore[union-attr]  # the call has it
                    return False
            node = result.grad_fn
        except (RuntimeError, AttributeError):
            return False
        if id(result) in identity.refs:
            return id(result) in map(id, tensors)
        position, names = self.position(frame)
        if position is not None and position.initial:
            return False
        made = identity.fresh(result)
        call: Call = new_tuple(
            Call,
            (position, func, name, args, kwargs, (made, None) if pair else made, tuple(refs),
             (made,), (), torch.is_grad_enabled(), names, False, ()),
        )  # fmt: skip
        self.tape.append(call)
        if node is None:
            self.still += 1
            self.cuts = self.cuts or any(ref.facts.requires_grad for ref in refs)
        else:
            self.still = 0
        if not identity.defers:
            self.records.emit(call, () if node is None else ((node, result.output_nr, made),))
            self.observed()
            return True
        raw = self.recorder.raw
        raw.append(call)
        if node is not None:
            identity.claim_fresh(node, result.output_nr, call)
        if len(raw) > MOST:
            self.observed()
        return True

    def record(
        self, func: Callable[..., Any] | None, name: str, before: Given, result: Any
    ) -> None:
        """Record any call."""
        identity = self.identity
        tensors, refs, args, kwargs = before
        written = written_by(tensors, refs, result)
        single = type(result) in TENSORS
        results = [result] if single else ops.tensors_in(result)
        given = set(map(id, tensors))
        made = list({id(each): each for each in results if id(each) not in given}.values())
        if not made and not written:
            self._nothing(func, name, before, result)
            return
        position, names = self.position()
        if position is not None and position.initial and not any(map(grad_fn_of, made)):
            identity.forget(refs)  # seen before they had their first numbers
            return
        new = tuple([identity.made(tensor, name, tensors, refs) for tensor in made])
        also: list[torch.Tensor] = []  # what the writes changed besides
        writes = tuple([self.writes.record(*each, also) for each in written]) if written else ()
        touched = [ref.facts.requires_grad for ref in (*new, *[x.after for x in writes])]
        self.still = 0 if any(touched) else self.still + 1
        if not self.cuts and not all(touched):
            self.cuts = any(ref.facts.requires_grad for ref in refs)
        call: Call = new_tuple(
            Call,
            (position, func or torch.autograd.Function, name, args, kwargs,
             new[0] if single and made else given_back(identity, result), tuple(refs), new, writes,
             torch.is_grad_enabled(), names, False, self._parts(result, made)),
        )  # fmt: skip
        if func is not None:
            self.tape.append(call)
        if not tensors:
            self._factory(new, position, names)
            return
        if name in ("data", "detach") and made:
            self._record_alias(made[0], refs[0], name)
            if name == "data":
                self.writes.share(made[0], tensors[0])
        if written or name == "batch_norm":
            self.writes.silent(call, written)
        self._emit(call, made, written)
        if written and identity.gradients:
            self.writes.into_gradients(call, [*[each[0] for each in written], *also])
        self.observed()

    def _record_alias(self, tensor: torch.Tensor, of: Ref, how: str) -> None:
        """Record that a tensor shares the memory of another one, without its history."""
        aliases = self.identity.aliases
        if len(aliases) > MAX_KEPT:
            aliases.clear()
        aliases[id(tensor)] = Alias(weakref.ref(tensor), of, how)

    def _parts(self, result: Any, made: list[torch.Tensor]) -> tuple[Names, ...]:
        """The names that each of several results is about to get: ``du, dv = grad(...)``."""
        if not is_a(result, (tuple, list)) or len(made) > MAX_PARTS:
            return ()
        found: dict[int, Names] = dict.fromkeys(map(id, made), ())
        for nr, each in enumerate(result):
            if id(each) in found:
                found[id(each)] += self.names_of_part(nr)
        return tuple(found.values()) if any(found.values()) else ()

    def _emit(
        self, call: Call, made: list[torch.Tensor], written: list[tuple[torch.Tensor, Ref]]
    ) -> None:
        """Emit a call now, or record it with its nodes."""
        nodes: list[Made] = [
            (node, tensor.output_nr, ref)
            for tensor, ref in zip(made, call.made, strict=True)
            if (node := grad_fn_of(tensor)) is not None
        ]
        for (tensor, _ref), write in zip(written, call.writes, strict=True):
            nodes.append((grad_fn_of(tensor), tensor.output_nr, write.after))
            base = base_of(tensor)
            if base is not None:
                whole = None if self.identity.defers else write.base_after
                found: Any = None if whole is None else whole()
                if whole is not None and found is base:
                    nodes.append((grad_fn_of(found), found.output_nr, whole))
                else:
                    nodes.append((grad_fn_of(base), -1, write.after))
        if self.identity.defers:
            self.identity.claim(nodes, call)
            self.recorder.raw.append(call)
        else:
            self.records.emit(call, nodes)
            self.writes.emit_followers()

    def _nothing(
        self, func: Callable[..., Any] | None, name: str, before: Given, result: Any
    ) -> None:
        """A call made and wrote no tensor: it may have changed what is known of one."""
        tensors, refs, args, kwargs = before
        if name in FLAGS:
            self._flags(tensors, refs)
        elif name != "data":
            return
        elif tensors:
            self._data_assigned(func, name, before)
        if func is not None:
            kept, enabled = given_back(self.identity, result), torch.is_grad_enabled()
            known = tuple(refs)
            self.tape.append(Call(None, func, name, args, kwargs, kept, known, (), (), enabled))

    def _data_assigned(self, func: Callable[..., Any] | None, name: str, before: Given) -> None:
        """A tensor's ``.data`` was assigned: it has another memory now, and its version."""
        identity = self.identity
        tensors, refs, args, kwargs = before
        facts = refs[0].facts
        place = storage_of(tensors[0]), tensors[0].shape, tensors[0].stride()
        stays = place == (facts.address, facts.shape, facts.stride or tensors[0].stride())
        identity.moved(tensors[0])
        if stays or identity.defers or len(tensors) != 2 or func is None:
            return
        position, _names = self.position()
        if position is not None and position.initial:
            return
        self.writes.share(*tensors)
        after = identity.renew(tensors[0])
        identity.assure(after)
        write = Write(refs[0], after, None, None, False)
        enabled = torch.is_grad_enabled()
        call = Call(position, func, name, args, kwargs, None, tuple(refs), (), (write,), enabled)
        self.records.emit(call, ())

    def _factory(self, made: Sequence[Ref], position: Position | None, names: Names) -> None:
        """A call without tensors made one: a leaf, and no op of the graph."""
        for ref in made:
            if not self.identity.defers:
                self.identity.assure(ref)
            result_names = names if len(made) == 1 else ()
            if position is not None and position.site is not None:
                keep_site(self.origins, ref.id, position.site)
            self.identity.record(ref, (self.records.made, position, "made", ref.id, result_names))
        self.observed()

    def stepped(
        self, name: str, given: Given, position: Position | None, observed: bool = False
    ) -> None:
        """An optimizer's step wrote parameters, which are ``given``; ``observed`` says that its
        calls were observed, by which they may have newer versions."""
        # The hot path: every parameter of every step.
        identity = self.identity
        writes: list[Write] = []
        for tensor, ref in zip(*given[:2], strict=True):
            before = (identity.known(tensor) or ref) if observed else ref
            if tensor._is_view() or (self.writes.sharing and not identity.defers):
                write = self.writes.record(tensor, before)
            else:
                after = identity.rewritten(tensor, before)
                write = new_tuple(Write, (before, after, None, None, False))
                if not identity.defers:
                    identity.emit(write.after)
            writes.append(write)
            if write.after.version == ref.version:  # PyTorch did not notice
                site = None if position is None else position.site
                how = f"a fused step of {name}"
                identity.wrote_silently(tensor, write.after.id, site, how)
        known = tuple([write.before for write in writes])
        call = Call(position, None, name, known, {}, None, known, (), tuple(writes), False)
        if any(write.after.version != write.before.version for write in writes):
            self.tape.append(call)
        if self.identity.defers:
            self.recorder.raw.append(call)
        else:
            self.records.stepped(call)
            self.writes.emit_followers()

    def _flags(self, tensors: list[torch.Tensor], refs: list[Ref]) -> None:
        for tensor, ref in zip(tensors[:1], refs[:1], strict=True):
            retains = not asked(tensor, "is_leaf") and tensor.retains_grad
            if retains:
                self.identity.retaining.append(ref)
            needed, leaf = asked(tensor, "requires_grad"), asked(tensor, "is_leaf")
            ref.facts = ref.facts._replace(requires_grad=needed, leaf=leaf)
            if not needed:
                position, _names = self.position()
                if position is not None and position.site is not None:
                    keep_site(self.frozen, ref.id, position.site)
            self.identity.record(ref, (self.recorder.emit, ev.Flag(ref.id, needed, retains)))

    def left_off(self) -> Site | None:
        """Return where gradients were switched off, if they still are."""
        known = None if torch.is_grad_enabled() else self.switch
        return None if known is None else self.recorder.sites.at(*known)


def keep_site(table: dict[int, Site], value: int, site: Site) -> None:
    """Store a site, the newest last; the table is bounded."""
    table.pop(value, None)
    table[value] = site
    if len(table) > MAX_KEPT:
        del table[next(iter(table))]
