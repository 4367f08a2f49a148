"""Memory use of a compiled program: what each line allocates, and when it is released.

The lines of the program are gone through once more, with the arrays of a real run: results that
share the memory of others (views) need none of their own, and what was let go of while a view of it
lives on is held all the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .compiler import Compiled
from .symbol import Symbol

Env = Mapping[Symbol, Any]


def peak(compiled: Compiled, env: Env) -> int:
    """The most bytes that results hold at a time while the program runs.

    Args:
        env: the arrays of a run of the same operations. What is given, and constants, are not
            counted: they are there before.
    """
    held = Held(compiled, env)
    steps, place = compiled.program.steps, 0
    while place < len(steps):
        block = compiled.blocks.get(place)
        if block is None:
            for each in steps[place].outputs:
                held.take(each)
            count = 1
        else:
            for each in block.results:
                held.take(each)
            held.note(block.scratch)
            count = len(block.steps)
        for at in range(place, place + count):
            for each in compiled.dying.get(at, ()):
                held.drop(each)
        place += count
    return held.most


class Held:
    """The arrays that are held, by the memory that they share."""

    def __init__(self, compiled: Compiled, env: Env) -> None:
        self.env, self.over = env, compiled.over
        self.homes: dict[Symbol, Any] = {}
        """For each symbol what owns its memory: the id of an array, or another symbol."""
        self.users: dict[Any, set[Symbol]] = {}
        self.sizes: dict[Any, int] = {}
        self.free = {owner(env[each])[0] for each in compiled.given if each in env}
        self.free |= {owner(array)[0] for array in compiled.program.constants.values()}
        self.now = self.most = 0

    def take(self, symbol: Symbol) -> None:
        """A result is there."""
        array = self.env.get(symbol)
        operand = self.over.get(symbol)
        if not isinstance(array, np.ndarray):
            return
        home, size = owner(array)
        if operand in self.homes:
            home = self.homes[operand]
        if home in self.free:
            return
        if home not in self.users:
            self.users[home], self.sizes[home] = set(), size
            self.now += size
        self.users[home].add(symbol)
        self.homes[symbol] = home
        self.note(0)

    def note(self, more: int) -> None:
        """Record the memory in use now, and the extra memory in use for a moment."""
        self.most = max(self.most, self.now + more)

    def drop(self, symbol: Symbol) -> None:
        """Nobody reads a result any more."""
        home = self.homes.pop(symbol, None)
        if home is None:
            return
        self.users[home].discard(symbol)
        if not self.users[home]:
            del self.users[home]
            self.now -= self.sizes.pop(home)


def owner(array: Any) -> tuple[int, int]:
    """The array whose memory this one looks into, as its id, and its bytes."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return id(array), array.nbytes
