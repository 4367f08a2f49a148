"""Tensors that a node of PyTorch's graph saved for its backward, read without changing anything.

From 2.10 on PyTorch shows saved tensors as they are. Before, it shows them as backward would get
them: it refuses those that were written since, and calls the program's own hooks. There the text
of a refusal is parsed, and hooks are not called.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator
from functools import cache
from typing import Any, NamedTuple

import torch

from ..error_words import word_of
from .node_facts import class_of

SAVED, RAW = "_saved_", "_raw_saved_"
SHOWN = hasattr(torch._C._autograd.SavedTensor, "data")
"""True if this PyTorch shows what was saved as it is."""
REFUSAL = re.compile(r"\[(?:[\w.]+ )?\[([\d, ]*)\]\].* at version (\d+); expected version (\d+)")
PUSH = "_push_saved_tensors_default_hooks"


class Stale(NamedTuple):
    """A saved tensor that was written since: its shape, the version that it has and the one that
    backward expects."""

    shape: tuple[int, ...]
    found: int
    expected: int


class _Hooked(Exception):
    """Raised for a value behind a hook of the program, which is its argument."""


@cache
def slots_of(kind: Hashable) -> tuple[tuple[str, str], ...]:
    """The slots in which a class of nodes holds what a node saved, and the attributes for them."""
    return tuple((name.removeprefix(RAW), name) for name in dir(kind) if name.startswith(RAW))


@cache
def _checked(kind: Hashable, slot: str) -> str:
    """The attribute that gives what is in a slot as backward would get it. Nodes of the program's
    own functions call it otherwise."""
    return SAVED + slot if hasattr(kind, SAVED + slot) else SAVED[1:] + slot


def saved_slots(node: Any) -> list[tuple[str, torch.Tensor | None, str | None]]:
    """(slot, tensor, word) of what a node saved, without calling hooks; before PyTorch 2.10 without
    what was written since, which ``stale`` reports. The word says what became of a tensor that
    hooks of the program keep; the tensor is then what they keep, if that is one."""
    # The hot path: every node of every iteration.
    kind = class_of(node)
    found: list[tuple[str, torch.Tensor | None, str | None]] = []
    for slot, attribute in slots_of(kind):
        try:
            saved = getattr(node, attribute) if SHOWN else _look(node, _checked(kind, slot))
        except _Hooked as hooked:
            found.append((slot, None, word_of(hooked.args[0])))
            continue
        except (RuntimeError, AttributeError):  # freed, or written since
            continue
        named = [(slot, saved)]
        if type(saved) in (tuple, list):
            named = [(f"{slot}[{nr}]", each) for nr, each in enumerate(saved)]
        for name, each in named:
            tensor, unpack = (each.data, each.unpack_hook) if SHOWN else (each, None)
            if unpack is not None:
                tensor = tensor if isinstance(tensor, torch.Tensor) else None
                found.append((name, tensor, word_of(unpack)))
            elif isinstance(tensor, torch.Tensor):
                found.append((name, tensor, None))
    return found


def saved_tensors(node: Any) -> list[tuple[str, torch.Tensor]]:
    """(slot, tensor) of what a node or the program's hooks keep for its backward."""
    return [(slot, tensor) for slot, tensor, _ in saved_slots(node) if tensor is not None]


def staleness_of(node: Any, slot: str) -> Stale | None:
    """Return the facts in PyTorch's refusal of a saved tensor that was written since; None if it
    does not refuse it for that."""
    if SHOWN and getattr(getattr(node, RAW + slot, None), "unpack_hook", None) is not None:
        return None
    try:
        _look(node, _checked(class_of(node), slot))
    except RuntimeError as error:
        found = REFUSAL.search(str(error))
        if found:
            shape = tuple(int(size) for size in found[1].split(",") if size.strip())
            return Stale(shape, int(found[2]), int(found[3]))
    except _Hooked:
        pass
    return None


def refused_slots(node: Any) -> Iterator[tuple[str, Stale]]:
    """(slot, what is known) of what ``saved_tensors`` cannot show."""
    if not SHOWN:
        for slot, _attribute in slots_of(class_of(node)):
            found = staleness_of(node, slot)
            if found is not None:
                yield slot, found


_looking = False


def _look(node: Any, attribute: str) -> Any:
    global _looking
    _looking = True
    try:
        return getattr(node, attribute, None)
    finally:
        _looking = False


class CarefulHooks:
    """Keeps the program's hooks of saved tensors from being called by a look, where PyTorch would:
    wraps them as they are pushed."""

    _push: Callable[..., Any] | None = None

    def install(self) -> None:
        """Wrap the hooks that are pushed from now on."""
        push = getattr(torch._C._autograd, PUSH, None)
        if SHOWN or push is None or self._push is not None:
            return
        self._push = push

        def pushed(pack: Callable[[Any], Any], unpack: Callable[[Any], Any]) -> Any:
            def careful(packed: Any) -> Any:
                if _looking:
                    raise _Hooked(unpack)
                return unpack(packed)

            return push(pack, careful)

        setattr(torch._C._autograd, PUSH, pushed)

    def remove(self) -> None:
        """Leave PyTorch as it was."""
        if self._push is not None:
            setattr(torch._C._autograd, PUSH, self._push)
            self._push = None
