"""The tape: the newest calls of a program, kept so that they can be played again on stand-ins.

Of a call it keeps the function, its plain arguments, and numbers in the place of tensors; of
tensors that no call on the tape made, how they look. No tensor is kept alive and nothing is copied.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import torch

from ...recording.positions import Position

LONG, MOST = 2_000, 20_000
"""Calls after which the tape begins anew: when a backward is over, and at once."""

PLAIN: frozenset[type[Any]] = frozenset(
    {
        type(None), bool, int, float, complex, str, torch.dtype, torch.layout,
        torch.memory_format, type(Ellipsis), torch.Size, torch.device,
    }
)  # fmt: skip
"""Arguments that are what they are."""


class Held(int):
    """A tensor, by its number on the tape."""


class Look(NamedTuple):
    """How a tensor looks that no call on the tape made; ``base`` is what it is a view of."""

    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    dtype: torch.dtype
    requires_grad: bool
    leaf: bool
    base: int | None


class Entry(NamedTuple):
    """A call; ``args`` is None where something was given that cannot be given again. ``run`` says
    that it is a backward run, and ``made`` that it was given no tensor; without a ``func`` an
    optimizer wrote ``written``."""

    place: Position | None
    func: Callable[..., Any] | None
    args: tuple[Any, ...] | None
    kwargs: dict[str, Any]
    result: Any
    written: tuple[int, ...]
    grad_mode: bool
    run: bool = False
    made: bool = False


class Unknown(Exception):
    """An argument that the tape cannot keep."""


class Tape:
    """The calls of a program, the newest last."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.looks: dict[int, Look] = {}
        self._numbers: dict[int, tuple[weakref.ref[torch.Tensor], Held]] = {}
        self._count = 0

    def heard(
        self, place: Position | None, func: Callable[..., Any], args: Sequence[Any],
        kwargs: Mapping[str, Any], result: Any, written: Sequence[torch.Tensor],
        run: bool = False,
    ) -> None:  # fmt: skip
        """A call was made, or has raised (then the result is None)."""
        if len(self.entries) > MOST:
            self.clear()
        kept: tuple[Any, ...] | None
        words: dict[str, Any] = {}
        try:
            kept = tuple([self._kept(each) for each in args])
            if kwargs:
                words = {word: self._kept(each) for word, each in kwargs.items()}
        except Unknown:
            kept = None
        made = self._made(result)
        numbers = tuple([self._number(each) for each in written])
        self.entries.append(
            Entry(place, func, kept, words, made, numbers, torch.is_grad_enabled(), run)
        )

    def meet(self, tensors: Iterable[torch.Tensor]) -> None:
        """See how tensors look before they are given to a call."""
        for tensor in tensors:
            self._number(tensor)

    def created(
        self, func: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], result: Any
    ) -> None:
        """A call made tensors of nothing: for the tape they come from outside."""
        for tensor in result if isinstance(result, (list, tuple)) else (result,):
            if isinstance(tensor, torch.Tensor):
                self._numbers.pop(id(tensor), None)
                self._number(tensor)
        self.heard(None, func, args, kwargs, result, ())
        self.entries[-1] = self.entries[-1]._replace(made=True)

    def number(self, tensor: torch.Tensor) -> int | None:
        """The number of a tensor that is on the tape."""
        known = self._numbers.get(id(tensor))
        return known[1] if known is not None and known[0]() is tensor else None

    def living(self) -> dict[int, torch.Tensor]:
        """The tensors of the tape that the program still has."""
        found = {}
        for ref, number in self._numbers.values():
            tensor = ref()
            if tensor is not None:
                found[int(number)] = tensor
        return found

    def unheard(self, made: Iterable[torch.Tensor]) -> None:
        """A call was made that cannot be repeated: for the tape, its tensors come from outside."""
        for tensor in made:
            self._numbers.pop(id(tensor), None)

    def stepped(self, place: Position | None, tensor: torch.Tensor) -> None:
        """An optimizer wrote a parameter."""
        number = (self._number(tensor),)
        self.entries.append(Entry(place, None, (), {}, None, number, False))

    def returned(self, result: Any) -> None:
        """The backward run that was heard last is over: a good place to forget what was before."""
        if len(self.entries) > LONG:
            self.clear()
        elif result is not None and self.entries and self.entries[-1].run:
            self.entries[-1] = self.entries[-1]._replace(result=self._made(result))

    def clear(self) -> None:
        """Begin anew."""
        self.entries.clear()
        self.looks.clear()
        self._numbers.clear()

    def _kept(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return self._number(value)
        kind = type(value)
        if kind in PLAIN:
            return value
        if kind is list or kind is tuple:
            return kind([self._kept(each) for each in value])
        if kind is slice:
            return slice(*map(self._kept, (value.start, value.stop, value.step)))
        if kind is dict:
            return {key: self._kept(each) for key, each in value.items()}
        raise Unknown

    def _number(self, tensor: torch.Tensor) -> Held:
        """The number of a tensor that a call is given."""
        known = self._numbers.get(id(tensor))
        if known is not None and known[0]() is tensor:
            return known[1]
        number = self._fresh(tensor)
        base = tensor._base if tensor._is_view() else None
        strided = tensor.layout is torch.strided
        self.looks[number] = Look(
            tuple(tensor.shape), tensor.stride() if strided else (),
            int(tensor.storage_offset()) if strided else 0, tensor.dtype, tensor.requires_grad,
            tensor.is_leaf, None if base is None else self._number(base),
        )  # fmt: skip
        return number

    def _fresh(self, tensor: torch.Tensor) -> Held:
        self._count += 1
        number = Held(self._count)
        self._numbers[id(tensor)] = weakref.ref(tensor), number
        return number

    def _made(self, result: Any) -> Any:
        """The numbers of what a call gave back."""
        if isinstance(result, torch.Tensor):
            known = self._numbers.get(id(result))
            if known is not None and known[0]() is result:
                return known[1]
            return self._fresh(result)
        if isinstance(result, (list, tuple)):
            return tuple([self._made(each) for each in result])
        return None
