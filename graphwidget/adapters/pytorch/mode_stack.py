"""The stack of function modes: how one is put on it and taken off, wherever it stands there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from .observed_calls import ObservedCalls

_count: Callable[[], int] = torch._C._len_torch_function_stack
_at: Callable[[int], Any] = torch._C._get_function_stack_at
_pop: Callable[[], Any] = torch._C._pop_torch_function_stack
_push: Callable[[Any], None] = torch._C._push_on_torch_function_stack


def enter(mode: ObservedCalls) -> None:
    """Put the mode below the program's own, which are taken off from the top when their blocks
    end; above the default device's alone, which PyTorch wants at the bottom."""
    if not _count():
        _push(mode)
        return
    above = []
    while _count():
        above.append(_pop())
    default = getattr(getattr(torch, "_GLOBAL_DEVICE_CONTEXT", None), "device_context", None)
    if above and above[-1] is default:
        _push(above.pop())
    _push(mode)
    for each in reversed(above):
        _push(each)


def put_back(mode: ObservedCalls) -> None:
    """Put the mode on the stack if it is not there: an interrupt may have come before it was taken
    off, or after that."""
    if not _count():
        _push(mode)
    elif not any(_at(nr) is mode for nr in range(_count())):
        enter(mode)


def leave(mode: ObservedCalls) -> bool:
    """Take the mode off the stack of modes, wherever it stands there; whether it did."""
    if _count() == 1 and _at(0) is mode:
        _pop()
        return True
    above = []
    found = False
    try:
        while not found and _count():
            top = _pop()
            found = top is mode
            if not found:
                above.append(top)
    finally:
        for each in reversed(above):
            _push(each)
    return found


class Without:
    """Take the mode off the stack within the block, if it was there."""

    def __init__(self, mode: ObservedCalls) -> None:
        self.mode = mode

    def __enter__(self) -> None:
        self.left = True  # assumed until it is known: an interrupt may come just after
        try:
            self.left = leave(self.mode)
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_error: object) -> None:
        if self.left and not self.mode.off:
            put_back(self.mode)


class Replaced:
    """A method of PyTorch's in whose place stands what ``make`` makes of it."""

    def __init__(
        self, owner: type[Any], name: str, make: Callable[[Callable[..., Any]], Callable[..., Any]]
    ) -> None:
        self._owner, self._name, self._before = owner, name, getattr(owner, name)
        self._own = make(self._before)
        setattr(owner, name, self._own)

    def remove(self) -> None:
        """Restore it, unless other code has replaced it since."""
        if getattr(self._owner, self._name) is self._own:
            setattr(self._owner, self._name, self._before)
