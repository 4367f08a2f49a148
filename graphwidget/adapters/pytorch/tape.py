"""The tape: the newest calls of a program, kept so that they can be emitted or played again later.

``call_facts.py`` fills it. Of a call it keeps the function, its plain arguments, and references in
the place of tensors. No tensor is kept alive and nothing is copied. Read, it describes how to
repeat the calls on stand-ins.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import torch

from ...recording.positions import Position
from ...recording.recorder import Ref
from ...recording.sites import Names
from ...recording.summary import Copy

LONG, MOST = 2_000, 20_000
"""Calls after which older ones are forgotten: when a backward is over, and at once."""

PLAIN: frozenset[type[Any]] = frozenset(
    {
        type(None), bool, int, float, complex, str, torch.dtype, torch.layout,
        torch.memory_format, type(Ellipsis), torch.Size, torch.device,
    }
)  # fmt: skip
"""Arguments that are what they are."""


new_tuple: Any = tuple.__new__
"""Makes a named tuple of a tuple, faster than its class does."""


class TensorNumber(int):
    """A tensor, by its number on the tape."""


class Facts(NamedTuple):
    """Facts about a tensor that outlive it; ``key`` was its address and ``address`` its storage's,
    ``base`` is the base of a view, and ``content`` a copy of its numbers at that ``version``, if
    these are few and wanted."""

    key: int
    number: int
    dtype: torch.dtype
    shape: tuple[int, ...]
    address: int
    requires_grad: bool
    leaf: bool
    parameter: bool
    base: Ref | None
    stride: tuple[int, ...]
    offset: int
    content: bytes | Copy | None
    version: int


class Foreign(NamedTuple):
    """An argument that cannot be given again, as text; with the references in it."""

    text: str
    refs: tuple[Ref, ...]

    def __str__(self) -> str:
        return self.text


class Write(NamedTuple):
    """A tensor that was written, before and after; and what it is a view of, if it is one.
    ``grown`` says that this had a history before."""

    before: Ref
    after: Ref
    base_before: Ref | None
    base_after: Ref | None
    grown: bool


class Call(NamedTuple):
    """An observed call. References stand for tensors; ``given`` are those of its arguments before,
    ``made`` and ``writes`` its results and writes. Without a ``func`` it is a step of an
    optimizer. ``run`` is True for a backward run.
    ``parts`` has the names of each of several results."""

    position: Position | None
    func: Callable[..., Any] | None
    name: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    result: Any
    given: tuple[Ref, ...]
    made: tuple[Ref, ...]
    writes: tuple[Write, ...]
    grad_mode: bool
    names: Names = ()
    run: bool = False
    parts: tuple[Names, ...] = ()


class Look(NamedTuple):
    """Layout of a tensor that no call on the tape made; ``base`` is the base of a view."""

    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    dtype: torch.dtype
    requires_grad: bool
    leaf: bool
    base: int | None


class Entry(NamedTuple):
    """A call to be repeated; ``args`` is None where something was given that cannot be given again.
    ``run`` says that it is a backward run, and ``made`` that it was given no tensor; without a
    ``func`` an optimizer wrote ``written``."""

    position: Position | None
    func: Callable[..., Any] | None
    args: tuple[Any, ...] | None
    kwargs: dict[str, Any]
    result: Any
    written: tuple[int, ...]
    grad_mode: bool
    run: bool = False
    made: bool = False


class Tape:
    """The calls of a program, the newest last; ``refs`` are those of the living tensors."""

    def __init__(self, refs: Mapping[int, Ref]) -> None:
        self.calls: deque[Call] = deque(maxlen=MOST)
        self.append = self.calls.append
        """A call was made, or has raised (then the result is None)."""
        self._refs = refs
        self._read: tuple[int, Call | None, list[Entry], dict[int, Look]] = (0, None, [], {})

    def returned(self, result: Any) -> None:
        """The backward run that was observed last is over, with a result if it was asked for one: a
        good place to forget what was before."""
        if len(self.calls) > LONG:
            self.calls.clear()
        elif result and self.calls and self.calls[-1].run:
            self.calls[-1] = self.calls[-1]._replace(result=result)

    def number(self, tensor: torch.Tensor) -> int | None:
        """The number of a tensor that is on the tape."""
        known = self._refs.get(id(tensor))
        return known.facts.number if known is not None and known() is tensor else None

    def living(self) -> dict[int, torch.Tensor]:
        """The tensors that the program still has."""
        found = {}
        for ref in list(self._refs.values()):
            tensor = ref()
            if tensor is not None:
                found[ref.facts.number] = tensor
        return found

    # Reading -------------------------------------------------------------------------------
    @property
    def entries(self) -> list[Entry]:
        """The calls, to be repeated."""
        return self._reading()[0]

    @property
    def looks(self) -> dict[int, Look]:
        """Layouts of the tensors that no call made."""
        return self._reading()[1]

    def _reading(self) -> tuple[list[Entry], dict[int, Look]]:
        count, last, entries, looks = self._read
        newest = self.calls[-1] if self.calls else None
        if count != len(self.calls) or last is not newest:
            entries, looks = self._all()
            self._read = len(self.calls), newest, entries, looks
        return entries, looks

    def _all(self) -> tuple[list[Entry], dict[int, Look]]:
        looks: dict[int, Look] = {}
        made: set[int] = set()
        entries = []
        for call in self.calls:
            for ref in call.given:
                _look(ref, looks, made)
            fresh = not call.given and not call.run
            for ref in call.made:
                if fresh:  # for who repeats the calls it comes from outside
                    _look(ref, looks, made)
                made.add(ref.facts.number)
            args: Any = None
            if not any(_foreign(each) for each in (*call.args, *call.kwargs.values())):
                args = tuple([_numbered(each) for each in call.args])
            kwargs = {word: _numbered(each) for word, each in call.kwargs.items()}
            entries.append(
                Entry(
                    call.position, call.func, args, kwargs, _numbered(call.result),
                    tuple(each.before.facts.number for each in call.writes), call.grad_mode,
                    call.run, fresh,
                )
            )  # fmt: skip
        return entries, looks


def _look(ref: Ref, looks: dict[int, Look], made: set[int]) -> None:
    facts: Facts = ref.facts
    if facts.number in looks or facts.number in made:
        return
    base = facts.base
    if base is not None:
        _look(base, looks, made)
    looks[facts.number] = Look(
        facts.shape, facts.stride, facts.offset, facts.dtype, facts.requires_grad, facts.leaf,
        None if base is None else base.facts.number,
    )  # fmt: skip


def _foreign(value: Any) -> bool:
    kind = type(value)
    if kind is list or kind is tuple:
        return any(map(_foreign, value))
    if kind is slice:
        return any(map(_foreign, (value.start, value.stop, value.step)))
    return any(map(_foreign, value.values())) if kind is dict else kind is Foreign


def _numbered(value: Any) -> Any:
    """The same, with numbers in the place of references."""
    kind = type(value)
    if kind is Ref:
        return TensorNumber(value.facts.number)
    if kind is list or kind is tuple:
        return kind([_numbered(each) for each in value])
    if kind is slice:
        return slice(*map(_numbered, (value.start, value.stop, value.step)))
    return {key: _numbered(each) for key, each in value.items()} if kind is dict else value


def refs_in(value: Any) -> Iterator[Ref]:
    """The references in arguments or results."""
    kind = type(value)
    if kind is Ref:
        yield value
    elif kind is Foreign:
        yield from value.refs
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from refs_in(each)
    elif kind is slice:
        yield from refs_in((value.start, value.stop, value.step))
    elif kind is dict:
        yield from refs_in(tuple(value.values()))
