"""Hears every call of PyTorch's API, through one function mode, and tells what it did.

A function mode and not a dispatch mode: an active dispatch mode keeps fused in-place functions from
raising versions, so that wrong programs would no longer fail. What a call wrote is seen by the
versions of its arguments before and after; what it made, by its result.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from ...recording import events as ev
from ...recording.findings import Finding
from ...recording.positions import Position
from ...recording.recorder import Recorder, Ref
from ...recording.sites import Names, Site
from ..bindings import Bindings
from ..scopes import Scopes
from . import ops
from .causes import leaf_written, view_written
from .identity import Alias, Identity
from .inside import saved_inside
from .tape import Tape
from .tensor_facts import Captured, asked, base_of, content_of, grad_fn_of, summarized, version_of
from .trying import tried

MAX_TIMES = 10_000
LEAF = "a leaf Variable that requires grad"
VIEW = "is being modified inplace"
LEAKS = frozenset({"item", "numpy", "tolist", "__float__", "__array__", "__int__"})
NOT_ONE_NUMBER = ev.Stats("nan", "nan", "nan", 0)

QUIET = frozenset(
    {
        "__repr__", "__str__", "__format__", "__len__", "__bool__", "__float__", "__int__",
        "__index__", "__contains__", "__iter__", "__hash__", "__reduce_ex__", "__dir__",
        "__setstate__", "__deepcopy__", "item", "tolist", "numpy", "size", "dim", "numel",
        "stride", "is_floating_point", "is_complex", "storage_offset", "data_ptr", "get_device",
        "untyped_storage", "element_size", "ndimension", "is_contiguous", "backward",
        "register_hook", "register_post_accumulate_grad_hook", "equal", "allclose",
        "result_type", "is_tensor", "is_same_size", "share_memory_", "nelement", "is_nonzero",
        "_record_function_enter_new", "_record_function_exit._RecordFunction",
    }
)  # fmt: skip
"""Calls that neither make nor write tensors of the program's."""

PROPERTIES = frozenset({"T", "mT", "H", "mH", "real", "imag", "data"})
"""Attributes that are calls: reading them makes a tensor."""

FLAGS = frozenset({"requires_grad_", "requires_grad", "retain_grad", "detach_"})

Place = tuple[Position | None, Names, Names]
"""Where the user's program stands, the names that its call's result is about to get; and, where
its trail is lost inside PyTorch, those of the result of the user's call, which it may be."""


class Calls(TorchFunctionMode):
    """The function mode. ``place`` gives the user's line and the names that the result gets."""

    def __init__(
        self,
        recorder: Recorder,
        identity: Identity,
        names: Bindings,
        scopes: Scopes,
        place: Callable[[], Place],
        fault: Callable[[BaseException], None],
    ) -> None:
        super().__init__()
        self.recorder = recorder
        self.identity = identity
        self.names = names
        self.scopes = scopes
        self.place = place
        self.fault = fault
        self.heard: Callable[[], None] = lambda: None
        """Called after each call that was told."""
        self.write_times: dict[tuple[int, int], int] = {}
        """When each (storage, version) was written."""
        self.origins: dict[int, Site] = {}
        """Where values were made that are no result of a call."""
        self.leaks: dict[int, Site] = {}
        """Where tensors with a history became numbers or arrays; by the value."""
        self.frozen: dict[int, Site] = {}
        """Where values were told to need no gradient."""
        self.found: Callable[[Finding], None] = lambda finding: None
        self._last: Captured | None = None  # while sorting: what the last call made
        self.errs: Callable[..., None] = lambda *record: None
        """Tells an error, while draining."""
        self.off = False
        self.tape = Tape()

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type[Any]],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        if self.off:
            return func(*args, **kwargs)
        name, quiet, leaks = _looked_at(func)
        if leaks:
            self._leaks(args)
        if quiet:
            return func(*args, **kwargs)
        before = self._before(name, args, kwargs)
        try:
            result = func(*args, **kwargs)
        except RuntimeError as error:
            self.failed(error, before, func, args, kwargs)
            raise
        if before is not None:
            try:
                with torch._C.DisableTorchFunction():
                    self._after(func, name, args, kwargs, before, result)
            except Exception as error:
                self.fault(error)
        return result

    def applied(
        self,
        function: type[Any],
        apply: Callable[..., Any],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> Any:
        """A custom Function is applied, which no mode hears: it is one call of the program's."""
        if self.off or function.__module__.startswith("torch."):  # its calls inside are heard
            return apply(*args, **kwargs)
        before = self._before(function.__name__, args, kwargs)
        with self.silent():
            result = apply(*args, **kwargs)
        if before is not None:
            try:
                with torch._C.DisableTorchFunction():
                    self._after(None, function.__name__, args, kwargs, before, result)
            except Exception as error:
                self.fault(error)
        return result

    def failed(
        self, error: RuntimeError, before: list[tuple[torch.Tensor, Ref]] | None,
        func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any],
    ) -> None:  # fmt: skip
        """A call of the program's raised: a write that is not allowed is explained."""
        leaf = LEAF in str(error)
        if not leaf and VIEW not in str(error):
            return
        try:
            with torch._C.DisableTorchFunction():
                place, _names, _late = self.place()
                written = leaf_written if leaf else view_written
                finding = written(str(error), None if place is None else place.site)
                self.tape.heard(place, func, args, kwargs, None, ())
                finding = tried(finding, self.tape)
                self.found(finding)
                for line in finding.lines():
                    error.add_note(line)
                kind = "leaf" if leaf else "other"
                event = ev.Error(
                    kind, type(error).__name__, str(error), finding.help(), None, None, None,
                    before[0][1].id if before else None, None, None, (), None, None, (), None,
                )  # fmt: skip
                self.recorder.raw.append((self.errs, None, event, place))
        except Exception as fault:
            self.fault(fault)

    def _leaks(self, args: Sequence[Any]) -> None:
        """A tensor with a history becomes a number or an array."""
        try:
            with torch._C.DisableTorchFunction():
                tensor = args[0] if args else None
                if not isinstance(tensor, torch.Tensor):
                    return
                alias = self.identity.aliases.get(id(tensor))
                cut = alias is not None and alias.tensor() is tensor
                if cut or asked(tensor, "requires_grad"):
                    place, _names, _late = self.place()
                    if place is not None and place.site is not None:
                        ref = self.identity.known(tensor)
                        _keep(self.leaks, 0 if ref is None else ref.id, place.site)
        except Exception as fault:
            self.fault(fault)

    def _before(
        self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> list[tuple[torch.Tensor, Ref]] | None:
        """The tensors that a call is given, each with its identity before it."""
        try:
            with torch._C.DisableTorchFunction():
                given = [*ops.tensors_in(args), *ops.tensors_in(kwargs)]
                self.tape.meet(given)
                return [(tensor, self.identity.current(tensor)) for tensor in given]
        except Exception as error:
            self.fault(error)
            return None

    def _after(
        self,
        func: Callable[..., Any] | None,
        name: str,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        before: list[tuple[torch.Tensor, Ref]],
        result: Any,
    ) -> None:
        identity = self.identity
        given = {id(tensor) for tensor, _ in before}
        made = [each for each in ops.tensors_in(result) if id(each) not in given]
        written = self._written(name, before, result)
        if not made and not written:
            if name in FLAGS:
                self._flags(before)
            if func is not None and (name in FLAGS or name == "data"):
                self.tape.heard(None, func, args, kwargs, result, ())
            return
        refs = {id(tensor): ref for tensor, ref in before}
        place, names, late = self.place()
        if place is not None and place.initial and not any(map(grad_fn_of, made)):
            return
        if not before:
            if func is not None:
                self.tape.created(func, args, kwargs, result)
            self._factory(made, place, names or late)
            return
        if func is None:
            self.tape.unheard(made)
        else:
            self.tape.heard(place, func, args, kwargs, result, written)
        call: list[int] = []
        told = ops.called(name, args, kwargs, bool(written) and not made)
        inputs = tuple(x if isinstance(x, str) else refs[id(x)].id for x in told.inputs)
        values: list[Any] = []
        for tensor in made:
            ref = identity.known(tensor)
            if ref is None or ref.version != version_of(tensor):
                ref = identity.made(tensor, name, before)
            self.recorder.values.add(ref.id)
            base = base_of(tensor)
            view = None if base is None else identity.current(base).id
            needed, leaf = asked(tensor, "requires_grad"), asked(tensor, "is_leaf")
            values.append((ref, identity.captured(tensor), needed, view, leaf))
        writes = [self.written(tensor, refs[id(tensor)]) for tensor in written]
        aliases = self.identity.aliases
        if name in ("data", "detach") and made and before:
            if len(aliases) > MAX_TIMES:
                aliases.clear()
            aliases[id(made[0])] = Alias(weakref.ref(made[0]), refs[id(before[0][0])], name)
        self._silently(name, args, kwargs, refs, written, place)
        self.recorder.raw.append(
            (self.tell_call, place, name, told.key, inputs, values, None, told.params, writes,
             call, names)
        )  # fmt: skip
        if late and values:
            self.recorder.raw.append((self.names.perhaps, None, values[0][0], place, late))
        near = [*made, *written, *(tensor for tensor, _ in before)]
        bases = [base for tensor in written if (base := base_of(tensor)) is not None]
        roots = [grad_fn_of(tensor) for tensor in (*made, *written, *bases)]
        inside = None
        if written:
            inside = saved_inside(name, told.inputs, refs, written[0], identity) if bases else []
        identity.tell_nodes(roots, near, call, inside)
        self.heard()

    def _silently(
        self,
        name: str,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        refs: Mapping[int, Ref],
        written: list[torch.Tensor],
        place: Position | None,
    ) -> None:
        """Note what the call wrote without raising a version that others see."""
        identity = self.identity
        site = None if place is None else place.site
        for tensor in written if identity.apart else ():
            of = identity.apart.get(refs[id(tensor)].storage)
            if of is not None:
                identity.wrote_silently(tensor, of, site, ".data")
        if name == "batch_norm" and _trains(args, kwargs):
            for tensor in args[1:3]:
                known = refs.get(id(tensor))
                if known is not None and known.version == version_of(tensor):
                    identity.wrote_silently(tensor, known.id, site, "a batch norm in training")

    def _factory(self, made: list[torch.Tensor], place: Position | None, names: Names) -> None:
        """A call without tensors made one: a leaf, and no op of the graph."""
        for tensor in made:
            ref = self.identity.current(tensor)
            told = names if len(made) == 1 else ()
            if place is not None and place.site is not None:
                _keep(self.origins, ref.id, place.site)
            self.recorder.raw.append((self.made, place, "made", ref.id, told))
        self.heard()

    def _written(
        self, name: str, before: list[tuple[torch.Tensor, Ref]], result: Any
    ) -> list[torch.Tensor]:
        """The tensors that the call wrote: of several with one storage, the one it returned or
        was given first."""
        returned = {id(tensor) for tensor in ops.tensors_in(result)}
        found: dict[int, torch.Tensor] = {}
        for tensor, ref in before:
            if version_of(tensor) == ref.version:
                continue
            if ref.storage not in found or id(tensor) in returned:
                found[ref.storage] = tensor
        return list(found.values())

    def stepped(self, name: str, tensor: torch.Tensor, before: Ref, place: Position | None) -> None:
        """An optimizer's step wrote a parameter."""
        write = self.written(tensor, before)
        if write.version != before.version:
            self.tape.stepped(place, tensor)
        if write.version == before.version:
            site = None if place is None else place.site
            self.identity.wrote_silently(tensor, write.value, site, f"a fused step of {name}")
        inputs: tuple[int | str, ...] = (before.id,)
        self.recorder.raw.append(
            (self.tell_call, place, name, f"{name}_", inputs, [], None, {}, [write], [], ())
        )

    def written(self, tensor: torch.Tensor, before: Ref) -> ev.Write:
        """What an in-place write did: the new values are told, the event is given back."""
        identity = self.identity
        base = base_of(tensor)
        base_before = base_after = None
        if base is not None:
            known = identity.known(base)
            base_before = None if known is None else known.id
            base_after = identity.renew(base).id
            identity.tell(base, identity.refs[id(base)])
        after = identity.renew(tensor)
        identity.tell(tensor, after)
        return ev.Write(
            after.storage, after.version, before.id, after.id, base_before, base_after, None, None
        )

    def _flags(self, before: list[tuple[torch.Tensor, Ref]]) -> None:
        for tensor, ref in before[:1]:
            retains = not asked(tensor, "is_leaf") and tensor.retains_grad
            if retains:
                self.identity.retaining.append(ref)
            if not asked(tensor, "requires_grad"):
                place, _names, _late = self.place()
                if place is not None and place.site is not None:
                    _keep(self.frozen, ref.id, place.site)
            flag = ev.Flag(ref.id, asked(tensor, "requires_grad"), retains)
            self.recorder.raw.append((self.recorder.tell, flag))

    # While draining ------------------------------------------------------------------------
    def tell_call(
        self, place: Position | None, name: str, key: str, inputs: tuple[int | str, ...],
        values: list[Any], _: None, params: dict[str, str], writes: list[ev.Write],
        number: list[int], names: Names,
    ) -> None:  # fmt: skip
        """A call, what it made or wrote and what that is bound to; its id goes into ``number``.
        Its nodes are told by records of their own."""
        recorder = self.recorder
        self.names.moved(place)
        source = None if place is None else recorder.source(place.site)
        if recorder.define(key):
            recorder.tell(ops.definition(name, key))
        for made in values:
            self._value(*made)
        if recorder.lost:
            before = [each for write in writes for each in (write.before, write.base_before)]
            self.names.recall((*inputs, *before))
        call, scope = recorder.ids.call(), self.scopes.current
        number.append(call)
        outputs = tuple(ref.id for ref, *_ in values) or tuple(write.value for write in writes)
        view_of = values[0][3] if values else None
        inplace = not values
        recorder.tell(ev.Op(call, key, inputs, params, outputs, view_of, inplace, scope, source))
        if len(self.write_times) > MAX_TIMES:
            self.write_times.clear()
        for write in writes:
            self.write_times[write.storage, write.version] = recorder.now
            recorder.tell(write._replace(call=call, source=source))
            for each in (write.before, write.base_before):
                if each is not None:  # no tensor is that value any more
                    recorder.values.discard(each)
                    recorder.refs.pop(each, None)
        if len(outputs) == 1:
            self.names.bound(outputs[0], names)

    def _value(self, ref: Ref, data: Any, needed: bool, view: int | None, leaf: bool) -> None:
        event = ev.Value(
            ref.id, ref.storage, ref.version, needed, leaf, False, view, summarized(data)
        )
        self.recorder.value(ref, event)

    def retell(self, record: Any, value: int) -> None:
        """Tell a value that a call made which was let go of."""
        for made in record[5]:
            if made[0].id == value:
                self._value(*made)

    def made(self, _place: Position | None, _what: str, value: int, names: Names) -> None:
        self.names.bound(value, names)

    def scalar(self, record: Any) -> None:
        """While sorting: a number that a call gives to a name is the turn's."""
        values, names = record[5], record[10]
        self._last = values[0][1] if len(values) == 1 else None
        if names:
            self._computed(names)

    def scalar_perhaps(self, record: Any) -> None:
        """While sorting: what the last call made is perhaps what gets these names."""
        self._computed(record[4])

    def _computed(self, names: Names) -> None:
        data = self._last
        if data is not None:
            content = content_of(data) if data[1] in ((), (1,)) else None
            self.scopes.computed(names, content or (None, (), NOT_ONE_NUMBER))

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Within the block calls are not told: they are not the user's."""
        self.off, before = True, self.off
        try:
            yield
        finally:
            self.off = before


def _keep(table: dict[int, Site], value: int, site: Site) -> None:
    """Note a place, the newest last, and not too many."""
    table.pop(value, None)
    table[value] = site
    if len(table) > MAX_TIMES:
        del table[next(iter(table))]


@lru_cache(maxsize=4_096)
def _looked_at(func: Callable[..., Any]) -> tuple[str, bool, bool]:
    """What a function is called; whether it neither makes nor writes tensors of the program's, as
    what reads an attribute that is none; and whether it makes a number or an array of one."""
    name, attribute = ops.plain_name(func), getattr(func, "__name__", "")
    quiet = attribute == "__get__" and name not in PROPERTIES
    quiet = quiet or (attribute == "__set__" and name == "grad")
    return name, quiet or name in QUIET, name in LEAKS


def _trains(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether a batch norm writes its running mean and variance, which raises no version."""
    return bool(args[5] if len(args) > 5 else kwargs.get("training"))
