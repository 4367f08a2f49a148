"""Hears every call of PyTorch's API, through one function mode, and notes what it did.

A function mode and not a dispatch mode: an active dispatch mode keeps fused in-place functions from
raising versions, so that wrong programs would no longer fail. What a call wrote is seen by the
versions of its arguments before and after; what it made, by its result.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from sys import _getframe
from types import FrameType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from ...recording import events as ev
from ...recording.findings import Finding
from ...recording.positions import Position
from ...recording.recorder import Recorder, Ref
from ...recording.sites import Names, Site
from . import ops
from .arguments import TENSORS, Before, given_back, given_to, given_to_run, unmet
from .call_recorder import CallRecorder
from .fix_trials import tried
from .heard_functions import FLAGS, looked_at
from .identity import Identity, Made
from .positions import Named, not_the_users
from .refused_calls import INFERENCE, LEAF, inference, is_explained, leaf_written, view_written
from .tape import MOST, Heard, Tape, Write, new_tuple
from .tensor_facts import asked, base_of, grad_fn_of, traced
from .tensors import Alias
from .writes import Writes, written_by

MAX_KEPT = 10_000
"""Entries of each table of what was noted by the way."""
STILL, OFTEN = 500, 50
"""After so many calls in a row that touched no gradient, those of a line that made so many of them
are not noted any more."""
UNUSUAL = FLAGS | {"data", "detach", "batch_norm"}
"""Calls of which more is noted than what they made."""


class HeardCalls(TorchFunctionMode):
    """The function mode. ``position`` gives the user's line and the names that the result gets."""

    def __init__(
        self,
        recorder: Recorder,
        identity: Identity,
        records: CallRecorder,
        position: Callable[[], Named],
        fault: Callable[[BaseException], None],
    ) -> None:
        super().__init__()
        self.recorder = recorder
        self.identity = identity
        self.records = records
        self.position = position
        self.fault = fault
        self.heard: Callable[[], None] = lambda: None
        """Called after each call that was told."""
        self.origins: dict[int, Site] = {}
        """Where values were made that are no result of a call."""
        self.became_numbers: dict[int, Site] = {}
        """Where tensors with a history became numbers or arrays; by the value."""
        self.frozen: dict[int, Site] = {}
        """Where values were told to need no gradient."""
        self.found: Callable[[Finding], None] = lambda finding: None
        self.errs: Callable[..., None] = lambda *record: None
        """Tells an error, while draining."""
        self.off = False
        self.still = 0
        """How many calls in a row touched no gradient."""
        self._often: dict[tuple[int, int], int] = {}
        self.writes = Writes(identity)
        self.tape = Tape(identity.refs)

    def go_on_from(self, before: HeardCalls) -> None:
        """Know what another one has noted by the way."""
        self.origins, self.became_numbers, self.frozen = (
            before.origins,
            before.became_numbers,
            before.frozen,
        )

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type[Any]],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        name, quiet, to_number = looked_at(func)
        if (quiet and not to_number) or self.off or traced():
            return func(*args, **kwargs)
        if to_number:
            self._note_number(args)
        if quiet:
            return func(*args, **kwargs)
        defers = self.identity.defers
        if defers and self.still >= STILL and self._negligible(name, args, kwargs):
            return func(*args, **kwargs)
        before: Before | None = None
        try:  # as ``_before``, without a call more: each heard call comes through here
            before = given_to(self.identity, args, kwargs)
        except Exception as error:
            self.fault(error)
        try:
            result = func(*args, **kwargs)
        except RuntimeError as error:
            self.failed(error, before, func, name)
            raise
        if before is not None:
            try:
                with torch._C.DisableTorchFunction():
                    if not self._usual(func, name, before, result):
                        self._after(func, name, before, result)
            except Exception as error:
                self.fault(error)
        return result

    def _negligible(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
        """Whether no gradient can ever depend on this being noted, and its line has made many
        calls since one was touched: so data sets are made. These calls are counted."""
        if self.still == STILL:
            self._often.clear()
            self.still += 1
        try:
            frame: FrameType | None = _getframe(1)
            while frame is not None and not_the_users(frame.f_code.co_filename):
                frame = frame.f_back
            line = (0, 0) if frame is None else (id(frame.f_code), frame.f_lasti)
            count = self._often[line] = self._often.get(line, 0) + 1
            return count > OFTEN and name not in FLAGS and unmet(self.identity, args, kwargs)
        except Exception as error:
            self.fault(error)
            return False

    def applied(
        self,
        function: type[Any],
        apply: Callable[..., Any],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> Any:
        """A custom Function is applied, which no mode hears: it is one call of the program's."""
        if traced() or self.off or function.__module__.startswith("torch."):
            # the calls inside are heard
            return apply(*args, **kwargs)
        before = self._before(args, kwargs)
        with self.silenced():
            result = apply(*args, **kwargs)
        if before is not None:
            try:
                with torch._C.DisableTorchFunction():
                    self._after(None, function.__name__, before, result)
            except Exception as error:
                self.fault(error)
        return result

    def failed(
        self, error: RuntimeError, before: Before | None, func: Callable[..., Any], name: str
    ) -> None:
        """A call of the program's raised: what PyTorch does not allow is explained."""
        if before is None or not is_explained(str(error)):
            return
        try:
            with torch._C.DisableTorchFunction():
                position, _names, _late = self.position()
                _tensors, known, args, kwargs = before
                finding = self._refused(str(error), position, before)
                refs, enabled = tuple(known), torch.is_grad_enabled()
                self.tape.heard(
                    Heard(position, func, name, args, kwargs, None, refs, (), (), enabled)
                )
                finding = tried(finding, self.tape)
                self.found(finding)
                for line in finding.lines():
                    error.add_note(line)
                kind = "leaf" if finding.kind == "leaf" else "other"
                event = ev.Error(
                    kind, type(error).__name__, str(error), (), None, None, None,
                    refs[0].id if refs else None, None, None, (), None, None, (), None,
                    finding.as_json(),
                )  # fmt: skip
                record = (self.errs, None, event, position)
                if refs:
                    self.identity.note(refs[0], record)
                else:
                    self.recorder.raw.append(record)
        except Exception as fault:
            self.fault(fault)

    def _refused(self, error: str, position: Position | None, before: Before) -> Finding:
        site = None if position is None else position.site
        if INFERENCE not in error:
            return (leaf_written if LEAF in error else view_written)(error, site)
        self.recorder.drain()
        given = zip(before.tensors, before.refs, strict=True)
        made = [ref.id for tensor, ref in given if tensor.is_inference()]
        return inference(self.recorder.log.model(), made, self.origins, site)

    def _note_number(self, args: Sequence[Any]) -> None:
        """A tensor with a history becomes a number or an array."""
        try:
            with torch._C.DisableTorchFunction():
                tensor = args[0] if args else None
                if not isinstance(tensor, torch.Tensor):
                    return
                alias = self.identity.aliases.get(id(tensor))
                cut = alias is not None and alias.tensor() is tensor
                if cut or asked(tensor, "requires_grad"):
                    position, _names, _late = self.position()
                    if position is not None and position.site is not None:
                        ref = self.identity.known(tensor)
                        _keep(self.became_numbers, 0 if ref is None else ref.id, position.site)
        except Exception as fault:
            self.fault(fault)

    def _before(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Before | None:
        try:
            return given_to(self.identity, args, kwargs)
        except Exception as error:
            self.fault(error)
            return None

    def run(
        self, position: Position | None, entry: Callable[..., Any], args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
    ) -> None:  # fmt: skip
        """A backward run begins: ``entry`` is PyTorch's to its engine."""
        self.still = 0
        refs: list[Ref] = []
        given = given_to_run(self.identity, args, refs)
        enabled = torch.is_grad_enabled()
        self.tape.heard(
            Heard(position, entry, "", given, kwargs, None, tuple(refs), (), (), enabled, run=True)
        )

    def returned(self, result: Any) -> None:
        """The run is over."""
        self.tape.returned(given_back(self.identity, result) if result else None)

    def _usual(self, func: Callable[..., Any], name: str, before: Before, result: Any) -> bool:
        """Note a call of the most usual kind: it only made one tensor of others, or gave one back
        as it was. Whether it is one."""
        # The hot path: `_after` would do the same with twice the steps.
        identity = self.identity
        tensors, refs, args, kwargs = before
        pair = type(result) is tuple and len(result) == 2 and result[1] is None
        if pair:  # what attention gives that is not asked for its weights
            result = result[0]
        if type(result) is not torch.Tensor or not tensors or identity.apart or name in UNUSUAL:
            return False
        try:
            for tensor, ref in zip(tensors, refs, strict=True):
                if tensor._version != ref.version:
                    return False
            node = result.grad_fn
        except RuntimeError:
            return False
        if id(result) in identity.refs:
            return id(result) in map(id, tensors)
        position, names, late = self.position()
        if position is not None and position.initial:
            return False
        made = identity.fresh(result)
        call: Heard = new_tuple(
            Heard,
            (position, func, name, args, kwargs, (made, None) if pair else made, tuple(refs),
             (made,), (), torch.is_grad_enabled(), names, late, False),
        )  # fmt: skip
        self.tape.heard(call)
        self.still = self.still + 1 if node is None else 0
        if not identity.defers:
            nodes = () if node is None else ((node, result.output_nr, made),)
            self.records.tell(call, nodes)
            self.heard()
            return True
        self.recorder.raw.append(call)
        if node is not None:
            identity.claim_fresh(node, result.output_nr, call)
        if len(self.recorder.raw) > MOST:
            self.heard()
        return True

    def _after(
        self, func: Callable[..., Any] | None, name: str, before: Before, result: Any
    ) -> None:
        identity = self.identity
        tensors, refs, args, kwargs = before
        written = written_by(tensors, refs, result)
        single = type(result) in TENSORS
        results = [result] if single else ops.tensors_in(result)
        given = set(map(id, tensors))
        made = [each for each in results if id(each) not in given]
        if not made and not written:
            self._nothing(func, name, before, result)
            return
        position, names, late = self.position()
        if position is not None and position.initial and not any(map(grad_fn_of, made)):
            identity.forget(refs)  # met before they had their first numbers
            return
        new = tuple([identity.made(tensor, name, tensors, refs) for tensor in made])
        writes = tuple([self.writes.note(*each) for each in written]) if written else ()
        touched = any(ref.facts.requires_grad for ref in (*new, *[x.after for x in writes]))
        self.still = 0 if touched else self.still + 1
        call: Heard = new_tuple(
            Heard,
            (position, func or torch.autograd.Function, name, args, kwargs,
             new[0] if single and made else given_back(identity, result), tuple(refs), new, writes,
             torch.is_grad_enabled(), names, late, False),
        )  # fmt: skip
        if func is not None:
            self.tape.heard(call)
        else:
            identity.unheard += 1
        if not tensors:
            self._factory(new, position, names or late)
            return
        if name in ("data", "detach") and made:
            if len(identity.aliases) > MAX_KEPT:
                identity.aliases.clear()
            identity.aliases[id(made[0])] = Alias(weakref.ref(made[0]), refs[0], name)
        if written or name == "batch_norm":
            self.writes.silent(call, written)
        self._tell(call, made, written)
        if written and identity.gradients:
            self.writes.into_gradients(call, written)
        self.heard()

    def _tell(
        self, call: Heard, made: list[torch.Tensor], written: list[tuple[torch.Tensor, Ref]]
    ) -> None:
        """Tell a call now, or note it with the nodes that are its own."""
        nodes: list[Made] = [
            (node, tensor.output_nr, ref)
            for tensor, ref in zip(made, call.made, strict=True)
            if (node := grad_fn_of(tensor)) is not None
        ]
        for (tensor, _ref), write in zip(written, call.writes, strict=True):
            nodes.append((grad_fn_of(tensor), tensor.output_nr, write.after))
            base = base_of(tensor)
            if base is not None:
                nodes.append((grad_fn_of(base), -1, write.after))
        if self.identity.defers:
            self.identity.claim(nodes, call)
            self.recorder.raw.append(call)
        else:
            self.records.tell(call, nodes)

    def _nothing(
        self, func: Callable[..., Any] | None, name: str, before: Before, result: Any
    ) -> None:
        """A call made and wrote no tensor: it may have changed what is known of one."""
        tensors, refs, args, kwargs = before
        if name in FLAGS:
            self._flags(tensors, refs)
        elif name != "data":
            return
        elif tensors:
            self.identity.moved(tensors[0])
        if func is not None:
            kept, enabled = given_back(self.identity, result), torch.is_grad_enabled()
            known = tuple(refs)
            self.tape.heard(Heard(None, func, name, args, kwargs, kept, known, (), (), enabled))

    def _factory(self, made: Sequence[Ref], position: Position | None, names: Names) -> None:
        """A call without tensors made one: a leaf, and no op of the graph."""
        for ref in made:
            if not self.identity.defers:
                self.identity.assure(ref)
            told = names if len(made) == 1 else ()
            if position is not None and position.site is not None:
                _keep(self.origins, ref.id, position.site)
            self.identity.note(ref, (self.records.made, position, "made", ref.id, told))
        self.heard()

    def stepped(
        self, name: str, before: Sequence[tuple[torch.Tensor, Ref]], position: Position | None
    ) -> None:
        """An optimizer's step wrote parameters."""
        identity = self.identity
        writes: list[Write] = []
        for tensor, ref in before:
            if tensor._is_view():
                write = self.writes.note(tensor, ref)
            else:
                write = new_tuple(Write, (ref, identity.rewritten(tensor, ref), None, None, False))
                if not identity.defers:
                    identity.tell(write.after)
            writes.append(write)
            if write.after.version == ref.version:
                site = None if position is None else position.site
                how = f"a fused step of {name}"
                identity.wrote_silently(tensor, write.after.id, site, how)
        given = tuple([ref for _tensor, ref in before])
        call = Heard(position, None, name, given, {}, None, given, (), tuple(writes), False)
        if any(each.after.version != each.before.version for each in writes):
            self.tape.heard(call)
        if identity.defers:
            self.recorder.raw.append(call)
        else:
            self.records.stepped(call)

    def _flags(self, tensors: list[torch.Tensor], refs: list[Ref]) -> None:
        for tensor, ref in zip(tensors[:1], refs[:1], strict=True):
            retains = not asked(tensor, "is_leaf") and tensor.retains_grad
            if retains:
                self.identity.retaining.append(ref)
            needed, leaf = asked(tensor, "requires_grad"), asked(tensor, "is_leaf")
            ref.facts = ref.facts._replace(requires_grad=needed, leaf=leaf)
            if not needed:
                position, _names, _late = self.position()
                if position is not None and position.site is not None:
                    _keep(self.frozen, ref.id, position.site)
            self.identity.note(ref, (self.recorder.tell, ev.Flag(ref.id, needed, retains)))

    @contextmanager
    def silenced(self) -> Iterator[None]:
        """Within the block calls are not told: they are not the user's."""
        self.off, before = True, self.off
        try:
            yield
        finally:
            self.off = before


def _keep(table: dict[int, Site], value: int, site: Site) -> None:
    """Note a position, the newest last, and not too many."""
    table.pop(value, None)
    table[value] = site
    if len(table) > MAX_KEPT:
        del table[next(iter(table))]
